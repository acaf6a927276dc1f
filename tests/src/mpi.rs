//! The MPI libraries of this machine: how to compile for them and how to start a job, also as root and with more ranks
//! than processors.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lets an empty test run pass on a machine without MPI.
pub const NO_MPI: &str = "MPIVET_TEST_NO_MPI";

/// An MPI library with its compiler wrapper and its launcher.
#[derive(Debug, Clone)]
pub struct Mpi {
    /// `mpich` or `openmpi`.
    pub name: &'static str,
    pub mpicc: PathBuf,
    pub mpiexec: PathBuf,
}

/// Environment instead of options, since `mpivet run` gets the launcher's command as a user would write it: Open MPI
/// refuses to run as root and to start more ranks than there are processors. The last one is for Open MPI 5.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

impl Mpi {
    /// The command that starts `ranks` ranks of `program`.
    pub fn job(&self, ranks: usize, program: &Path, args: &[String]) -> Vec<String> {
        let mut command = vec![self.mpiexec.display().to_string(), "-n".into(), ranks.to_string()];
        command.push(program.display().to_string());
        command.extend_from_slice(args);
        command
    }

    /// The Fortran compiler beside the C compiler, if there is one.
    pub fn mpifort(&self) -> Option<PathBuf> {
        let name = self.mpicc.file_name()?.to_str()?.replacen("mpicc", "mpifort", 1);
        Some(self.mpicc.with_file_name(name)).filter(|path| path.is_file())
    }

    pub fn prepare(command: &mut Command) {
        command.envs(ENVIRONMENT).env("LC_ALL", "C").env("TZ", "UTC").env("COLUMNS", "120");
    }
}

/// Every MPI that is installed: by Debian's names, or as plain `mpicc` and `mpiexec`.
pub fn installed() -> Vec<Mpi> {
    let mut found = Vec::new();
    for name in ["mpich", "openmpi"] {
        if let (Some(mpicc), Some(mpiexec)) = (in_path(&format!("mpicc.{name}")), in_path(&format!("mpiexec.{name}"))) {
            found.push(Mpi { name, mpicc, mpiexec });
        }
    }
    if let (true, Some(mpicc), Some(mpiexec)) = (found.is_empty(), in_path("mpicc"), in_path("mpiexec"))
        && let Ok(version) = Command::new(&mpiexec).arg("--version").output()
    {
        let version = String::from_utf8_lossy(&version.stdout).to_lowercase();
        let is_openmpi = version.contains("open mpi") || version.contains("openrte") || version.contains("prte");
        found.push(Mpi { name: if is_openmpi { "openmpi" } else { "mpich" }, mpicc, mpiexec });
    }
    found
}

/// The installed MPIs; ends the test binary with a message if there is none.
pub fn required() -> Vec<Mpi> {
    let found = installed();
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

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}
