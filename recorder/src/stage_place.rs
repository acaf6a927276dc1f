//! Where the stages of this process are made. Beside the trace, where that is on a file system of the node; elsewhere a store to
//! a mapped file may wait for a server, and is not seen by others: then in memory, as long as all who read it are on the node.

use crate::log;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use trace_format::file::RankHeader;
use trace_format::owner_only;
use trace_format::run::stages::own_dir;

const MEMORY: &str = "/dev/shm";

/// Types of file systems whose files others may have, by `statfs(2)`: NFS, SMB (three), FUSE (sshfs), 9P, AFS (two), Ceph,
/// BeeGFS, OrangeFS, Lustre, GPFS, PanFS, GFS2, OCFS2.
const SHARED: [u64; 16] = [
    0x6969,
    0x517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x6573_5546,
    0x0102_1997,
    0x5346_414f,
    0x6b41_4653,
    0x00c3_6400,
    0x1983_0326,
    0x2003_0528,
    0x0bd0_0bd0,
    0x4750_4653,
    0xaad7_aaea,
    0x0116_1970,
    0x7461_636f,
];
const TMPFS: u64 = 0x0102_1994;

/// Makes the directory for the stages of this process, if they do not belong beside the trace in `dir`. `wish`: where the user
/// wants them. `is_one_node`: are all who read stages on this node?
pub fn make(
    wish: Option<&Path>,
    dir: &Path,
    header: &RankHeader,
    is_one_node: impl FnOnce() -> bool,
) -> Option<PathBuf> {
    let by_itself = || (is_shared(file_system(dir)?) && is_one_node()).then_some(());
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

fn is_shared(file_system: u64) -> bool {
    SHARED.contains(&file_system)
}

/// The type of the file system that a file is on.
fn file_system(path: &Path) -> Option<u64> {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut found = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: a string with its end, and the place that is written; all zero is a valid value.
    unsafe {
        (libc::statfs(path.as_ptr(), found.as_mut_ptr()) == 0).then(|| found.assume_init().f_type as u64 & 0xffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_told_apart() {
        assert_eq!(file_system(Path::new(MEMORY)), Some(TMPFS));
        assert!(!is_shared(TMPFS) && is_shared(0x6969) && is_shared(0xff53_4d42));
        assert_eq!(file_system(Path::new("/nowhere")), None);
    }
}
