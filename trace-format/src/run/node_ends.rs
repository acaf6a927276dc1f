//! The ends of the processes of a node, in the directory of the traces, from an agent that has no other way to tell them:
//! `HOST.ends`, as [`crate::stored`] has it.

use crate::file::plain_host;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The ends of processes of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeEnds {
    /// The host.
    pub host: String,
    /// In their order.
    pub ends: Vec<NodeEnd>,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeEnd {
    /// Its number.
    pub pid: u32,
    /// When it was started, in clock ticks since the host was.
    pub start: u64,
    /// As `waitpid(2)` tells, where the system has said it.
    pub status: Option<i32>,
    /// Nobody had asked the others on the node to end by then.
    pub is_alone: bool,
}

impl NodeEnds {
    /// Where the file of a host is.
    pub fn path(dir: &Path, host: &str) -> PathBuf {
        dir.join(format!("{}.ends", plain_host(host)))
    }
}
