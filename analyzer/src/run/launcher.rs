//! The way of environment variables through launchers. Every launcher passes its own environment on to the ranks of its
//! node. For ranks on other nodes, and where the user restricts the variables that are passed on, the launcher needs
//! options.
//!
//! | launcher | passes on by itself | told by |
//! |---|---|---|
//! | Open MPI, PRRTE | all on its own node, `OMPI_*` elsewhere | `-x NAME` |
//! | Hydra (MPICH, Intel MPI) | all | `-genvlist`, `-envlist`, if the command uses these |
//! | `srun` | all | `--export`, if the command or `SLURM_EXPORT_ENV` uses it |
//! | `flux run` | all | `--env`, if the command uses `--env`, `--env-remove` or `--env-file` |
//!
//! A launcher may stand behind other commands (`timeout 60 mpirun`, `salloc -N 2 mpirun`).

use super::find::program::{file, flux_command, starts};
use super::launcher_options::{Program, name, programs};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A job's command and environment, completed so that the variables `names` reach every rank.
pub(crate) struct Job {
    pub(crate) command: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// A launcher's treatment of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Launcher {
    OpenMpi,
    Hydra,
    Srun,
    Flux,
    Other,
}

const OPEN_MPI_LIST: &str = "mca_base_env_list";
const PRELOAD: &str = "LD_PRELOAD";

/// The value of LD_PRELOAD with these libraries, in front of those that the environment has.
pub(super) fn preloading(libraries: &Path) -> OsString {
    let mut all = libraries.as_os_str().to_owned();
    if let Some(existing) = std::env::var_os(PRELOAD).filter(|value| !value.is_empty()) {
        all.push(":");
        all.push(existing);
    }
    all
}

impl Job {
    /// Sees to it that the variables `names` of `environment` reach every rank of a job that `launcher` starts, and that
    /// `library` is preloaded also where the command has a value of its own for LD_PRELOAD.
    pub(crate) fn forward(mut self, launcher: &Path, library: &Path, names: &[&str]) -> Job {
        let additions = Additions { library, names };
        // The innermost first: what is inserted moves nothing that is in front of it.
        for start in starts(&self.command).into_iter().rev() {
            let mut job = Job { command: self.command.split_off(start), environment: self.environment };
            let kind = if start == 0 { Launcher::of(launcher) } else { Launcher::of(&file(&job.command[0])) };
            let programs = programs(kind, &job.command);
            match kind {
                Launcher::OpenMpi => job.open_mpi(&programs, &additions),
                Launcher::Hydra => job.hydra(&programs, &additions),
                Launcher::Srun => job.srun(&programs, &additions),
                Launcher::Flux => job.flux(&additions),
                Launcher::Other => {}
            }
            self.command.append(&mut job.command);
            self.environment = job.environment;
        }
        self
    }

    fn open_mpi(&mut self, programs: &[Program], additions: &Additions) {
        // Open MPI 4 refuses `-x` beside a list of its own.
        let mut lists = false;
        for i in programs.iter().flat_map(|p| &p.options) {
            let is_list = name(&self.command[*i].to_string_lossy()).ends_with("mca")
                && self.command.get(i + 1).is_some_and(|a| *a == *OPEN_MPI_LIST);
            if let Some(value) = self.command.get_mut(i + 2).filter(|_| is_list) {
                *value = additions.append(value, ";");
                lists = true;
            }
        }
        let of_environment =
            self.environment.iter_mut().find(|(n, v)| *n == *"OMPI_MCA_mca_base_env_list" && !v.is_empty());
        if lists {
            return;
        } else if let Some((_, value)) = of_environment {
            *value = additions.append(value, ";");
            return;
        }
        // Each of several programs (`mpirun -n 1 ./a : -n 1 ./b`) has options of its own.
        for program in programs.iter().rev() {
            let mut names = additions.names.to_vec();
            let exports: Vec<usize> = program.options.iter().copied().filter(|i| self.command[*i] == *"-x").collect();
            for i in exports {
                let Some(value) = self.command.get_mut(i + 1) else { continue };
                let given = value.to_string_lossy().into_owned();
                names.retain(|n| given.split_once('=').map_or(given.as_str(), |g| g.0) != *n);
                *value = additions.preloaded(value);
            }
            let options = names.iter().flat_map(|n| ["-x".into(), (*n).into()]);
            self.command.splice(program.start..program.start, options);
        }
    }

    fn hydra(&mut self, programs: &[Program], additions: &Additions) {
        // The loop goes backwards, because it inserts words.
        for i in programs.iter().flat_map(|p| &p.options).copied().rev().collect::<Vec<_>>() {
            let option = self.command[i].to_string_lossy().into_owned();
            let name = name(&option);
            match (name, option.split_once('=')) {
                ("genvlist" | "envlist", Some((_, list))) => {
                    self.command[i] = OsString::from(format!("-{name}="));
                    let list = additions.append(OsStr::new(list), ",");
                    self.command[i].push(list);
                }
                ("genvlist" | "envlist", None) => {
                    if let Some(value) = self.command.get_mut(i + 1) {
                        *value = additions.append(value, ",");
                    }
                }
                ("genvnone" | "envnone", _) => {
                    self.command[i] = format!("-{}list", name.trim_end_matches("none")).into();
                    self.command.insert(i + 1, additions.names.join(",").into());
                }
                ("genv" | "env", None) => {
                    let own = self.command.get(i + 1).is_some_and(|a| *a == *PRELOAD);
                    if let Some(value) = self.command.get_mut(i + 2).filter(|_| own) {
                        *value = additions.before(value);
                    } else if let Some(value) = self.command.get_mut(i + 1) {
                        *value = additions.preloaded(value);
                    }
                }
                _ => {}
            }
        }
    }

    fn srun(&mut self, programs: &[Program], additions: &Additions) {
        let names = additions.names.join(",");
        let extended = |value: &str| match value {
            "ALL" => value.to_owned(),
            "NONE" | "NIL" => names.clone(),
            _ => {
                let own = additions.preload_in(value, ",");
                if value.split(',').any(|v| v == "ALL") { own } else { additions.missing_from(&own, ",") }
            }
        };
        let mut found = false;
        for i in programs.iter().flat_map(|p| &p.options).copied() {
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

impl Job {
    /// Rules are applied one after the other; a name alone takes the variable of the command's environment, unless a rule before
    /// it has set it.
    fn flux(&mut self, additions: &Additions) {
        let Some(start) = flux_command(&self.command) else { return };
        let mut behind = self.command.split_off(start);
        let Some(Program { options, program: Some(place), .. }) = programs(Launcher::Flux, &behind).into_iter().next()
        else {
            self.command.append(&mut behind);
            return;
        };
        let mut restricts = false;
        for i in options {
            let option = behind[i].to_string_lossy().into_owned();
            restricts |= matches!(name(&option), "env" | "env-remove" | "env-file");
            if let Some(rule) = option.strip_prefix("--env=") {
                let rule = additions.preloaded(OsStr::new(rule));
                behind[i] = "--env=".into();
                behind[i].push(rule);
            } else if option == "--env"
                && let Some(rule) = behind.get_mut(i + 1)
            {
                *rule = additions.preloaded(rule);
            }
        }
        if restricts {
            let rules = additions.names.iter().map(|name| format!("--env={name}").into());
            behind.splice(place..place, rules);
        }
        self.command.append(&mut behind);
    }
}

/// The additions to a launcher's command.
struct Additions<'a> {
    library: &'a Path,
    names: &'a [&'a str],
}

impl Additions<'_> {
    /// Our library, and the libraries of the command.
    fn before(&self, others: &OsStr) -> OsString {
        let mut all = self.library.as_os_str().to_owned();
        if !others.is_empty() {
            all.push(":");
            all.push(others);
        }
        all
    }

    /// `LD_PRELOAD=value` with our library in front; anything else as it is.
    fn preloaded(&self, assignment: &OsStr) -> OsString {
        let prefix = format!("{PRELOAD}=");
        match assignment.as_bytes().strip_prefix(prefix.as_bytes()) {
            Some(value) => {
                let mut all = OsString::from(prefix);
                all.push(self.before(OsStr::from_bytes(value)));
                all
            }
            None => assignment.to_owned(),
        }
    }

    /// The list of names and assignments with our library in that of LD_PRELOAD.
    fn preload_in(&self, list: &str, separator: &str) -> String {
        let parts = list.split(separator).map(|part| self.preloaded(OsStr::new(part)).to_string_lossy().into_owned());
        parts.collect::<Vec<_>>().join(separator)
    }

    /// The list with those names that it lacks.
    fn missing_from(&self, list: &str, separator: &str) -> String {
        let mut parts: Vec<&str> = list.split(separator).collect();
        let has = |name: &&&str| parts.iter().any(|p| p.split_once('=').map_or(*p, |a| a.0) == **name);
        let missing: Vec<&str> = self.names.iter().filter(|n| !has(n)).copied().collect();
        parts.extend(missing);
        parts.join(separator)
    }

    /// The list with all names, and with our library if it gives LD_PRELOAD a value.
    fn append(&self, list: &OsStr, separator: &str) -> OsString {
        match list.to_str() {
            Some(list) => self.missing_from(&self.preload_in(list, separator), separator).into(),
            None => append(list, separator, self.names),
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
    /// Does the process execute a launcher, rather than a script or a program that uses one? Not `srun`, which may wait
    /// for other things than processes.
    pub(super) fn runs_in(pid: u32) -> bool {
        std::fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|exe| matches!(Launcher::of(&exe), Launcher::OpenMpi | Launcher::Hydra))
    }

    /// By the name of the file behind all links, and for the plain names by what lies beside it.
    pub(super) fn of(path: &Path) -> Launcher {
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
            "flux" => Launcher::Flux,
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
        let job = Job { command: words, environment }.forward(&launcher, Path::new("/m.so"), &NAMES);
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
    fn flux_is_told_where_the_command_restricts() {
        assert_eq!(forward("flux run -n 2 ./a", &[]).0, "flux run -n 2 ./a");
        assert_eq!(
            forward("flux run -n 2 --env=-* --env PATH ./a --env=-*", &[]).0,
            "flux run -n 2 --env=-* --env PATH --env=LD_PRELOAD --env=MPIVET_DIR ./a --env=-*"
        );
        assert_eq!(
            forward("flux mini run --env-remove=LD_* ./a", &[]).0,
            "flux mini run --env-remove=LD_* --env=LD_PRELOAD --env=MPIVET_DIR ./a"
        );
        assert_eq!(
            forward("flux run --env=LD_PRELOAD=v.so ./a", &[]).0,
            "flux run --env=LD_PRELOAD=/m.so:v.so --env=LD_PRELOAD --env=MPIVET_DIR ./a"
        );
        for command in ["flux jobs --env=-*", "flux", "flux run -n 2", "flux mini"] {
            assert_eq!(forward(command, &[]).0, command);
        }
    }

    #[test]
    fn launchers_behind_other_commands_are_told() {
        assert_eq!(
            forward("timeout 60 env A=1 orterun -n 1 ./a : -n 1 ./b", &[]).0,
            "timeout 60 env A=1 orterun -x LD_PRELOAD -x MPIVET_DIR -n 1 ./a : -x LD_PRELOAD -x MPIVET_DIR -n 1 ./b"
        );
        assert_eq!(
            forward("salloc -N 2 srun --export=NONE ./a", &[]).0,
            "salloc -N 2 srun --export=LD_PRELOAD,MPIVET_DIR ./a"
        );
        assert_eq!(
            forward("srun --export=NONE orterun ./a", &[]).0,
            "srun --export=LD_PRELOAD,MPIVET_DIR orterun -x LD_PRELOAD -x MPIVET_DIR ./a"
        );
    }

    #[test]
    fn arguments_of_the_program_are_left_alone() {
        for command in [
            "mpiexec.hydra -n 2 ./a -genvlist PATH envlist x genvnone",
            "mpiexec.hydra -n 2 ./a envnone",
            "mpiexec.hydra -unknown /bin/sh -envnone",
            "srun -n 2 ./a --export=NONE",
            "srun -N1 -p batch ./a --export NONE",
        ] {
            assert_eq!(forward(command, &[]).0, command);
        }
        assert_eq!(
            forward("orterun -n 1 ./a --mca mca_base_env_list X -x LD_PRELOAD=v.so", &[]).0,
            "orterun -x LD_PRELOAD -x MPIVET_DIR -n 1 ./a --mca mca_base_env_list X -x LD_PRELOAD=v.so"
        );
        assert_eq!(
            forward("mpiexec.hydra -n 1 ./a -envnone : -unknown 3 -envnone -n 1 ./b -envnone", &[]).0,
            "mpiexec.hydra -n 1 ./a -envnone : -unknown 3 -envlist LD_PRELOAD,MPIVET_DIR -n 1 ./b -envnone"
        );
    }

    #[test]
    fn values_of_options_are_no_program() {
        // There are programs of these names.
        assert_eq!(
            forward("mpiexec.hydra -host sh -genv sort env -envnone ./a", &[]).0,
            "mpiexec.hydra -host sh -genv sort env -envlist LD_PRELOAD,MPIVET_DIR ./a"
        );
        assert_eq!(forward("srun -p sh --export=NONE ./a", &[]).0, "srun -p sh --export=LD_PRELOAD,MPIVET_DIR ./a");
    }

    #[test]
    fn libraries_that_the_command_preloads_stay_behind_ours() {
        assert_eq!(
            forward("orterun -n 1 -x LD_PRELOAD=v.so ./a : -n 1 ./b", &[]).0,
            "orterun -x MPIVET_DIR -n 1 -x LD_PRELOAD=/m.so:v.so ./a : -x LD_PRELOAD -x MPIVET_DIR -n 1 ./b"
        );
        assert_eq!(
            forward("orterun -x LD_PRELOAD -x LD_PRELOADED=v ./a", &[]).0,
            "orterun -x MPIVET_DIR -x LD_PRELOAD -x LD_PRELOADED=v ./a"
        );
        assert_eq!(
            forward("orterun --mca mca_base_env_list FOO;LD_PRELOAD=v.so ./a", &[]).0,
            "orterun --mca mca_base_env_list FOO;LD_PRELOAD=/m.so:v.so;MPIVET_DIR ./a"
        );
        assert_eq!(
            forward("mpiexec.hydra -genv LD_PRELOAD v.so -env LD_PRELOAD=w.so ./a", &[]).0,
            "mpiexec.hydra -genv LD_PRELOAD /m.so:v.so -env LD_PRELOAD=/m.so:w.so ./a"
        );
        assert_eq!(
            forward("srun --export=ALL,LD_PRELOAD=v.so ./a", &[]).0,
            "srun --export=ALL,LD_PRELOAD=/m.so:v.so ./a"
        );
    }

    #[test]
    fn others_are_left_alone() {
        assert_eq!(forward("./a -x : --export=NONE", &[]).0, "./a -x : --export=NONE");
        for program in ["./app.openmpi", "./app.mpich -genvnone", "./mpiapp.openmpi"] {
            assert_eq!(forward(program, &[]).0, program);
        }
    }
}
