//! What launchers do with the environment. A variable in the launcher's own environment reaches the ranks of its node
//! everywhere; on other nodes, and where the user restricts what is passed on, the launcher must be told.
//!
//! | launcher | passes on by itself | told by |
//! |---|---|---|
//! | Open MPI, PRRTE | all on its own node, `OMPI_*` elsewhere | `-x NAME` |
//! | Hydra (MPICH, Intel MPI) | all | `-genvlist`, `-envlist`, if the command uses these |
//! | `srun` | all | `--export`, if the command or `SLURM_EXPORT_ENV` uses it |
//! | `flux run` | all | - |

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A job's command and environment, completed so that the variables `names` reach every rank.
pub(crate) struct Job {
    pub(crate) command: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// How a launcher treats the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launcher {
    OpenMpi,
    Hydra,
    Srun,
    Other,
}

const OPEN_MPI_LIST: &str = "mca_base_env_list";

impl Job {
    /// Sees to it that the variables `names` of `environment` reach every rank of a job that `launcher` starts.
    pub(crate) fn forward(mut self, launcher: &Path, names: &[&str]) -> Job {
        match Launcher::of(launcher) {
            Launcher::OpenMpi => self.open_mpi(names),
            Launcher::Hydra => self.hydra(names),
            Launcher::Srun => self.srun(names),
            Launcher::Other => {}
        }
        self
    }

    fn open_mpi(&mut self, names: &[&str]) {
        // Open MPI 4 refuses `-x` beside a list of its own.
        let listed = |value: &OsStr| append(value, ";", names);
        let in_command = self.command.iter().position(|a| *a == *OPEN_MPI_LIST);
        if let Some(value) = in_command.and_then(|i| self.command.get_mut(i + 1)) {
            *value = listed(value);
        } else if let Some((_, value)) =
            self.environment.iter_mut().find(|(n, v)| *n == *"OMPI_MCA_mca_base_env_list" && !v.is_empty())
        {
            *value = listed(value);
        } else {
            // Each of several programs (`mpirun -n 1 ./a : -n 1 ./b`) has options of its own.
            let options: Vec<OsString> = names.iter().flat_map(|n| ["-x".into(), (*n).into()]).collect();
            let all = std::mem::take(&mut self.command);
            for (i, argument) in all.into_iter().enumerate() {
                let opens = i == 0 || argument == *":";
                self.command.push(argument);
                if opens {
                    self.command.extend(options.iter().cloned());
                }
            }
        }
    }

    fn hydra(&mut self, names: &[&str]) {
        let mut i = 1;
        while i < self.command.len() {
            let option = self.command[i].to_string_lossy().trim_start_matches('-').to_owned();
            match option.as_str() {
                "genvlist" | "envlist" => {
                    if let Some(value) = self.command.get_mut(i + 1) {
                        *value = append(value, ",", names);
                    }
                    i += 1;
                }
                "genvnone" | "envnone" => {
                    self.command[i] = format!("-{}list", option.trim_end_matches("none")).into();
                    self.command.insert(i + 1, names.join(",").into());
                    i += 1;
                }
                _ => {}
            }
            i += 1;
        }
    }

    fn srun(&mut self, names: &[&str]) {
        let extended = |value: &str| match value {
            "ALL" => value.to_owned(),
            "NONE" | "NIL" => names.join(","),
            _ if value.split(',').any(|v| v == "ALL") => value.to_owned(),
            _ => format!("{value},{}", names.join(",")),
        };
        let mut found = false;
        for i in 1..self.command.len() {
            let argument = self.command[i].to_string_lossy().into_owned();
            if let Some(value) = argument.strip_prefix("--export=") {
                self.command[i] = format!("--export={}", extended(value)).into();
                found = true;
            } else if argument == "--export"
                && let Some(next) = self.command.get_mut(i + 1)
            {
                *next = extended(&next.to_string_lossy()).into();
                found = true;
            }
        }
        if let Some((_, value)) = self.environment.iter_mut().find(|(n, _)| !found && *n == *"SLURM_EXPORT_ENV") {
            *value = extended(&value.to_string_lossy()).into();
        }
    }
}

fn append(list: &OsStr, separator: &str, names: &[&str]) -> OsString {
    let mut all = list.to_owned();
    for name in names {
        all.push(separator);
        all.push(name);
    }
    all
}

impl Launcher {
    /// By the name of the file behind all links, and for the plain names by what lies beside it.
    fn of(path: &Path) -> Launcher {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = |p: &Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (called, real_name) = (name(path), name(&real));
        let beside = |file: &str| real.with_file_name(file).exists() || path.with_file_name(file).exists();
        // Debian's programs carry the name of their MPI too.
        let is_launcher =
            |suffix: &str| real_name.strip_suffix(suffix).is_some_and(|n| n == "mpirun" || n == "mpiexec");
        match real_name.as_str() {
            "orterun" | "prterun" | "prun" | "ompirun_wrapper" => Launcher::OpenMpi,
            "srun" => Launcher::Srun,
            _ if is_launcher(".openmpi") => Launcher::OpenMpi,
            _ if is_launcher(".hydra") || is_launcher(".mpich") => Launcher::Hydra,
            "mpirun" | "mpiexec" if beside("hydra_pmi_proxy") => Launcher::Hydra,
            "mpirun" | "mpiexec" if beside("ompi_info") || beside("prterun") => Launcher::OpenMpi,
            _ if called.starts_with("mpi") && real_name.contains("hydra") => Launcher::Hydra,
            _ => Launcher::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["LD_PRELOAD", "MPIVET_DIR"];

    fn forward(command: &str, environment: &[(&str, &str)]) -> (String, Vec<String>) {
        let words: Vec<OsString> = command.split(' ').map(Into::into).collect();
        let launcher = Path::new("/nowhere").join(&words[0]);
        let environment = environment.iter().map(|(n, v)| (n.into(), v.into())).collect();
        let job = Job { command: words, environment }.forward(&launcher, &NAMES);
        let shown: Vec<_> = job.command.iter().map(|a| a.to_string_lossy()).collect();
        (shown.join(" "), job.environment.iter().map(|(_, v)| v.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn open_mpi_is_told_for_every_program() {
        assert_eq!(
            forward("orterun -n 1 ./a : -n 1 ./b", &[]).0,
            "orterun -x LD_PRELOAD -x MPIVET_DIR -n 1 ./a : -x LD_PRELOAD -x MPIVET_DIR -n 1 ./b"
        );
    }

    #[test]
    fn open_mpi_refuses_two_ways_at_once() {
        assert_eq!(
            forward("orterun --mca mca_base_env_list FOO;BAR=1 ./a", &[]).0,
            "orterun --mca mca_base_env_list FOO;BAR=1;LD_PRELOAD;MPIVET_DIR ./a"
        );
        let (command, environment) = forward("prterun ./a", &[("OMPI_MCA_mca_base_env_list", "FOO")]);
        assert_eq!((command.as_str(), environment), ("prterun ./a", vec!["FOO;LD_PRELOAD;MPIVET_DIR".to_owned()]));
    }

    #[test]
    fn launchers_are_known_by_debians_names() {
        assert_eq!(forward("mpirun.openmpi ./a", &[]).0, "mpirun.openmpi -x LD_PRELOAD -x MPIVET_DIR ./a");
        assert_eq!(
            forward("mpiexec.mpich -genvlist PATH ./a", &[]).0,
            "mpiexec.mpich -genvlist PATH,LD_PRELOAD,MPIVET_DIR ./a"
        );
    }

    #[test]
    fn hydra_is_told_where_the_command_restricts() {
        assert_eq!(forward("mpiexec.hydra -n 2 ./a", &[]).0, "mpiexec.hydra -n 2 ./a");
        assert_eq!(
            forward("mpiexec.hydra -genvlist PATH,HOME -n 2 ./a", &[]).0,
            "mpiexec.hydra -genvlist PATH,HOME,LD_PRELOAD,MPIVET_DIR -n 2 ./a"
        );
        assert_eq!(
            forward("mpiexec.hydra -genvnone -n 2 ./a", &[]).0,
            "mpiexec.hydra -genvlist LD_PRELOAD,MPIVET_DIR -n 2 ./a"
        );
    }

    #[test]
    fn srun_is_told_where_the_command_restricts() {
        assert_eq!(forward("srun -n 2 ./a", &[]).0, "srun -n 2 ./a");
        assert_eq!(forward("srun --export=ALL,X=1 ./a", &[]).0, "srun --export=ALL,X=1 ./a");
        assert_eq!(forward("srun --export=PATH ./a", &[]).0, "srun --export=PATH,LD_PRELOAD,MPIVET_DIR ./a");
        assert_eq!(forward("srun --export NONE ./a", &[]).0, "srun --export LD_PRELOAD,MPIVET_DIR ./a");
        assert_eq!(forward("srun ./a", &[("SLURM_EXPORT_ENV", "NONE")]).1, ["LD_PRELOAD,MPIVET_DIR"]);
    }

    #[test]
    fn others_are_left_alone() {
        assert_eq!(forward("./a -x : --export=NONE", &[]).0, "./a -x : --export=NONE");
        for program in ["./app.openmpi", "./app.mpich -genvnone", "./mpiapp.openmpi"] {
            assert_eq!(forward(program, &[]).0, program);
        }
    }
}
