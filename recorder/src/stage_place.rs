//! Where the stages of this process are made. Beside the trace, where that is on a file system of the node; elsewhere a store to
//! a mapped file may wait for a server, and is not seen by others: then in memory, as long as all who read it are on the node.

use crate::log;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use trace_format::file::RankHeader;
use trace_format::owner_only;
use trace_format::run::file_system::shared_of;
use trace_format::run::stages::own_dir;

const MEMORY: &str = "/dev/shm";

const TMPFS: u64 = 0x0102_1994;

/// Makes the directory for the stages of this process, if they do not belong beside the trace in `dir`. `wish`: where the user
/// wants them. `is_one_node`: are all who read stages on this node?
pub fn make(
    wish: Option<&Path>,
    dir: &Path,
    header: &RankHeader,
    is_one_node: impl FnOnce() -> bool,
) -> Option<PathBuf> {
    let by_itself = || (shared_of(file_system(dir)?).is_some() && is_one_node()).then_some(());
    let common = match wish {
        Some(wish) => std::path::absolute(wish).unwrap_or(wish.to_owned()),
        None => by_itself().filter(|()| file_system(Path::new(MEMORY)) == Some(TMPFS)).map(|()| MEMORY.into())?,
    };
    let own = own_dir(&common, header);
    // Nobody else's: what is there already is not used.
    let made = if own.exists() { Err(io::ErrorKind::AlreadyExists.into()) } else { owner_only::make_dir(&own) };
    match made {
        Ok(()) => Some(own),
        Err(e) => {
            log::line(&format!("cannot make {}: {e}; stages are in {}", own.display(), dir.display()));
            None
        }
    }
}

/// Do others see late what is stored to a mapped file here?
pub fn is_late(path: &Path) -> bool {
    file_system(path).and_then(shared_of).is_some_and(|shared| shared.is_late)
}

/// The type of the file system that a file is on.
fn file_system(path: &Path) -> Option<u64> {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut found = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: a string with its end, and the place that is written; all zero is a valid value.
    unsafe { (libc::statfs(path.as_ptr(), found.as_mut_ptr()) == 0).then(|| found.assume_init().f_type as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_found_out() {
        assert_eq!(file_system(Path::new(MEMORY)), Some(TMPFS));
        assert!(!is_late(Path::new(MEMORY)) && !is_late(Path::new("/nowhere")));
        assert_eq!(file_system(Path::new("/nowhere")), None);
    }
}
