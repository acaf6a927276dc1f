//! Findings of a process that has no trace yet: a call before MPI_Init, over which many libraries end the program. Each
//! process has a file of its own in the directory of the trace, `early-HOST.PID.json`, which it removes when its trace
//! begins.

use crate::file::plain_host;
use crate::location::Location;
use crate::run::discovery::Frame;
use crate::{owner_only, untrusted};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const BEGIN: &str = "early-";
/// No process finds as much before MPI begins.
const MAX_BYTES: u64 = 1 << 20;
/// Nor do more processes have such a file whose findings anybody would read one by one.
const MAX_FILES: usize = 1 << 16;

/// The findings of a process from before MPI began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Early {
    /// Name of the host that the process runs on.
    pub host: String,
    /// Process id on that host.
    pub pid: u32,
    /// Start of the process in clock ticks since boot.
    pub pid_start: u64,
    /// Time of the latest finding, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// The launcher's number of the process; `None`: it has not said.
    pub rank: Option<i32>,
    /// Number of processes that the launcher started; `None`: it has not said.
    pub size: Option<i32>,
    /// Path of the program.
    pub program: String,
    /// Arguments of the program, without its name.
    pub arguments: Vec<String>,
    /// Working directory of the process.
    pub cwd: String,
    /// The findings, in the order of time.
    pub findings: Vec<EarlyFinding>,
}

/// A finding about one call before MPI began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EarlyFinding {
    /// Name of the check.
    pub check: String,
    /// One sentence, without the rank.
    pub message: String,
    /// C name of the function that was called.
    pub function: String,
    /// From where, innermost first.
    pub frames: Vec<Frame>,
    /// The line that an interpreter was at.
    #[serde(default)]
    pub interpreted: Option<Location>,
}

impl Early {
    /// Returns the path of a process's file in the directory of the trace.
    pub fn path(dir: &Path, host: &str, pid: u32) -> PathBuf {
        dir.join(format!("{BEGIN}{}.{pid}.json", plain_host(host)))
    }

    /// Writes it down, in the place of what the process has written before. `limit`: the largest file that it may write,
    /// beyond which the system would end it.
    pub fn write(&self, dir: &Path, limit: u64) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        owner_only::make_dir(dir)?;
        owner_only::write(&Early::path(dir, &self.host, self.pid), &bytes)
    }

    /// The files in a directory, by rank and process. A file that is torn says nothing.
    pub fn all_in(dir: &Path) -> Vec<Early> {
        let names = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let is_one = |name: &str| name.starts_with(BEGIN) && name.ends_with(".json");
        let files = names.filter(|e| e.file_name().to_str().is_some_and(is_one)).take(MAX_FILES);
        let read = |path: PathBuf| serde_json::from_slice::<Early>(&untrusted::read(&path, MAX_BYTES).ok()?).ok();
        let mut all: Vec<Early> = files.filter_map(|e| read(e.path())).collect();
        all.sort_by(|a, b| (a.rank, &a.host, a.pid).cmp(&(b.rank, &b.host, b.pid)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_is_torn_is_not() {
        let dir = std::env::temp_dir().join(format!("mpivet-early-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&dir);
        let of = |rank, pid| Early { host: "a.b/c".into(), pid, rank: Some(rank), ..Early::default() };
        of(1, 5).write(&dir, u64::MAX).unwrap();
        of(0, 6).write(&dir, u64::MAX).unwrap();
        of(0, 6).write(&dir, u64::MAX).unwrap();
        assert!(of(2, 7).write(&dir, 10).is_err());
        std::fs::write(dir.join("early-torn.7.json"), "{\"host\": ").unwrap();
        std::fs::write(dir.join("rank-0.mpv"), "").unwrap();
        assert_eq!(Early::all_in(&dir), [of(0, 6), of(1, 5)]);
        assert!(Early::all_in(&dir.join("nowhere")).is_empty());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
