//! Facts of a process that the system knows: whether it lives, who started it, its rank by its launcher.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use trace_format::run::proc::{self, Stat};

/// A process by its number and start time, which tells it from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    pub start: u64,
}

impl Process {
    /// The process that has this number now.
    pub fn find(pid: i32) -> Result<Process> {
        let stat = stat(pid).ok_or(Error::Gone)?;
        Ok(Process { pid, start: stat.start })
    }

    /// Does it still live? A zombie does not.
    pub fn lives(self) -> bool {
        stat(self.pid).is_some_and(|s| s.start == self.start)
    }

    pub fn dir(self) -> PathBuf {
        proc::dir(self.pid.cast_unsigned())
    }

    /// Numbers of its threads, the first one first.
    pub fn threads(self) -> Vec<i32> {
        let tasks = fs::read_dir(self.dir().join("task")).into_iter().flatten().flatten();
        let mut threads: Vec<i32> = tasks.filter_map(|t| t.file_name().to_str()?.parse().ok()).collect();
        threads.sort_by_key(|t| (*t != self.pid, *t));
        threads
    }

    /// Its program, as a path.
    pub fn program(self) -> Option<PathBuf> {
        fs::read_link(self.dir().join("exe")).ok()
    }

    /// The environment that it was started with.
    pub fn environment(self) -> Result<Environment> {
        let bytes = fs::read(self.dir().join("environ")).map_err(|e| io_error(&e))?;
        Ok(Environment::parse(&bytes))
    }

    pub fn parent(self) -> Option<i32> {
        stat(self.pid).and_then(|s| i32::try_from(s.parent).ok())
    }
}

pub(crate) fn io_error(error: &std::io::Error) -> Error {
    match error.raw_os_error() {
        Some(code) => Error::from_errno(nix::errno::Errno::from_raw(code)),
        None => Error::Other(error.to_string()),
    }
}

/// The entry of a process that is no zombie.
pub(crate) fn stat(pid: i32) -> Option<Stat> {
    Stat::of(u32::try_from(pid).ok()?).filter(|stat| !stat.has_ended())
}

/// Variables of a process.
#[derive(Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

/// Variables in which launchers give the rank in MPI_COMM_WORLD, and how many there are.
const RANKS: [(&str, &str); 3] =
    [("PMIX_RANK", "OMPI_COMM_WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

impl Environment {
    fn parse(bytes: &[u8]) -> Environment {
        let text = String::from_utf8_lossy(bytes);
        Environment(text.split('\0').filter_map(|v| v.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect())
    }

    fn number(&self, name: &str) -> Option<i32> {
        self.0.get(name)?.parse().ok()
    }

    /// Rank in MPI_COMM_WORLD by its launcher.
    pub fn rank(&self) -> Option<i32> {
        RANKS.iter().find_map(|(rank, _)| self.number(rank))
    }

    /// Size of MPI_COMM_WORLD by its launcher.
    pub fn size(&self) -> Option<i32> {
        RANKS.iter().find_map(|(_, size)| self.number(size))
    }

    /// A name for its MPI_COMM_WORLD, which all its ranks on this host share. `parent`: the process that started it,
    /// which stands for one world where the launcher gives no name.
    pub fn world(&self, parent: Option<i32>) -> String {
        match self.0.get("PMIX_NAMESPACE") {
            Some(name) => name.clone(),
            None => format!("children of {}", parent.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found() {
        let me = Process::find(std::process::id() as i32).unwrap();
        assert!(me.lives() && me.threads()[0] == me.pid && me.program().is_some());
        assert!(!Process { start: me.start + 1, ..me }.lives());
    }

    #[test]
    fn launchers_say_the_rank() {
        let e = Environment::parse(b"PMI_RANK=3\0PMI_SIZE=4\0A=b=c\0");
        assert_eq!((e.rank(), e.size(), e.world(Some(9)).as_str()), (Some(3), Some(4), "children of 9"));
        let e = Environment::parse(b"PMIX_NAMESPACE=x\0OMPI_COMM_WORLD_SIZE=2\0PMIX_RANK=1\0");
        assert_eq!((e.rank(), e.size(), e.world(None).as_str()), (Some(1), Some(2), "x"));
        assert_eq!(Environment::parse(b"").rank(), None);
    }
}
