//! The end of a job, in the directory of its traces: `mpivet run` has seen the launcher end. Whoever reads the traces later on
//! another host has no other way to know that the processes are gone.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// No such file is larger.
const MAX_BYTES: u64 = 1 << 20;

/// Contents of `over.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Over {
    /// When the launcher was found gone, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// The sights of `mpivet run` until then.
    #[serde(flatten)]
    pub seen: EndsSeen,
}

/// The ends of processes as `mpivet run` has seen them, by itself or by its agents on other hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndsSeen {
    /// In the order of their ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deaths: Vec<Death>,
    /// Hosts with which the connection was lost before all was seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_hosts: Vec<String>,
}

/// The end of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Death {
    /// Number of the process among those of all worlds; of the first world its rank.
    pub rank: i32,
    /// Its host.
    pub host: String,
    /// As `waitpid(2)` tells, where the system has said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// Nanoseconds since it was begun to watch.
    pub after_ns: u64,
    /// Nobody had asked the others to end when it was known to have ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_alone: bool,
    /// Nobody but the launcher has told of it, before it told of others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_told: bool,
}

fn path(dir: &Path) -> PathBuf {
    dir.join("over.json")
}

impl Over {
    /// `None`: the job goes on, or nobody has seen its end.
    pub fn read(dir: &Path) -> Option<Over> {
        serde_json::from_slice(&crate::untrusted::read(&path(dir), MAX_BYTES).ok()?).ok()
    }

    /// Says it.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        crate::owner_only::write_json(&path(dir), self)
    }

    /// An earlier job has left it in the directory of a new one.
    pub fn forget(dir: &Path) {
        _ = std::fs::remove_file(path(dir));
    }
}
