//! Why a process could not be looked into, in words for its user.

use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It ended before or while it was looked at.
    #[error("the process has ended")]
    Gone,
    #[error("the system does not permit looking into the process: {}", how_to_get_permission())]
    NotPermitted,
    #[error("it is no MPI process: no MPI library is loaded in it{}", .0)]
    NoMpi(String),
    #[error("{0}")]
    NoDll(String),
    #[error("the debugger DLL {} cannot be used: {why}", .path.display())]
    Dll { path: PathBuf, why: String },
    #[error("memory at {address:#x} cannot be read")]
    Memory { address: u64 },
    #[error("{}: {why}", .path.display())]
    File { path: PathBuf, why: String },
    #[error("{0}")]
    Other(String),
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>, why: impl ToString) -> Error {
        Error::File { path: path.into(), why: why.to_string() }
    }

    /// An error of a system call on the process.
    pub(crate) fn from_errno(errno: nix::errno::Errno) -> Error {
        match errno {
            nix::errno::Errno::ESRCH | nix::errno::Errno::ENOENT => Error::Gone,
            nix::errno::Errno::EPERM | nix::errno::Errno::EACCES => Error::NotPermitted,
            other => Error::Other(other.desc().to_owned()),
        }
    }
}

const YAMA: &str = "/proc/sys/kernel/yama/ptrace_scope";

fn how_to_get_permission() -> String {
    permission(std::fs::read_to_string(YAMA).ok().as_deref())
}

/// Advice on permissions, by the setting of the kernel's Yama module, if there is one.
fn permission(ptrace_scope: Option<&str>) -> String {
    match ptrace_scope.map(str::trim) {
        Some("1") => format!(
            "{YAMA} is 1, so that only parents may; run mpivet as root, or let root set it to 0 (sysctl kernel.yama.ptrace_scope=0)"
        ),
        Some("2") => format!("{YAMA} is 2, so that only root may; run mpivet as root"),
        Some("3") => format!("{YAMA} is 3, so that nobody may until the machine is started anew"),
        _ => "run mpivet as the user of the process or as root, and outside of containers that forbid ptrace".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_depends_on_the_kernel() {
        assert!(permission(Some("1\n")).contains("ptrace_scope=0"));
        assert!(permission(Some("2\n")).ends_with("run mpivet as root"));
        assert!(permission(Some("3\n")).contains("nobody"));
        assert!(permission(None).contains("containers") && permission(Some("0\n")).contains("containers"));
    }
}
