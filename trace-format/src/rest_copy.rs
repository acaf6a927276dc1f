//! The stages of a process while all its threads rest, in one file: `rank-N.rest`, as [`crate::stored`] has it. On file
//! systems where other nodes see late, and in no order, what is stored to a mapped file, an agent of the node writes it, so that a
//! process that waits is seen elsewhere as it is.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The stages of a process at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestCopy {
    /// The length of the trace file at that moment: without these bytes, something in front of the stages is missing.
    pub trace_bytes: u64,
    /// By the numbers of their threads: the page in front, and the records behind it as far as there are any.
    pub stages: Vec<Vec<u8>>,
}

impl RestCopy {
    /// Where the copy is of the process whose files begin with `stem`.
    pub fn path(dir: &Path, stem: &str) -> PathBuf {
        dir.join(format!("{stem}.rest"))
    }
}
