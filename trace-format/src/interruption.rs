//! That the user has interrupted a job stands in the directory of its traces: what ranks did not do then is no mistake.

use std::io;
use std::path::{Path, PathBuf};

fn path(dir: &Path) -> PathBuf {
    dir.join("interrupted")
}

/// Says that the job was interrupted by this signal.
pub fn tell(dir: &Path, signal: i32) -> io::Result<()> {
    crate::private::write(&path(dir), format!("{signal}\n").as_bytes())
}

/// The signal by which the job was interrupted, if it was.
pub fn of(dir: &Path) -> Option<i32> {
    std::fs::read_to_string(path(dir)).ok()?.trim().parse().ok()
}
