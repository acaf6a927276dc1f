//! Where the stages of a process are: beside its trace, or in a directory of their own on the node, where stores to mapped
//! files are cheap and seen at once. What a dead process has left there is brought to the trace by whoever reads that.

use crate::file::{RankHeader, STAGE_HEADER_BYTES, stage_path_of};
use crate::{owner_only, untrusted};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The directory in which processes make directories for their stages.
pub const STAGE_DIR: &str = "MPIVET_STAGE_DIR";

/// The name of a process's directory: no other one on any host has the same.
fn name(header: &RankHeader) -> String {
    format!("mpivet-{}-{}-{}", header.host, header.pid, header.pid_start)
}

/// The directory of a process in one that several processes have.
pub fn own_dir(common: &Path, header: &RankHeader) -> PathBuf {
    common.join(name(header))
}

impl RankHeader {
    /// The directory of its stages, if that is not the directory of the trace. A trace may come from somebody else: it
    /// can name none but that of its process.
    pub fn apart(&self) -> Option<&Path> {
        let path = Path::new(&self.stage_dir);
        (path.is_absolute() && path.file_name().is_some_and(|last| *last == *name(self))).then_some(path)
    }

    /// Where the stage of a thread is, if there is one.
    pub fn stage(&self, dir: &Path, stem: &str, thread: u16) -> Option<PathBuf> {
        let places = [Some(dir), self.apart()].into_iter().flatten();
        places.map(|dir| stage_path_of(dir, stem, thread)).find(|path| path.exists())
    }
}

/// Brings the stages of a process that is gone to its trace in `dir`.
pub fn bring(dir: &Path, stem: &str, header: &RankHeader) -> io::Result<()> {
    let Some(apart) = header.apart().filter(|apart| is_own_dir(apart)) else { return Ok(()) };
    let most = STAGE_HEADER_BYTES as u64 + u64::from(header.stage_bytes);
    for thread in 0..=u16::MAX {
        let (left, here) = (stage_path_of(apart, stem, thread), stage_path_of(dir, stem, thread));
        match untrusted::read(&left, most) {
            Ok(bytes) => {
                owner_only::write(&here, &bytes)?;
                std::fs::remove_file(&left)?;
            }
            // For some there was no room.
            Err(e) if e.kind() == ErrorKind::NotFound && here.exists() => {}
            Err(e) if e.kind() == ErrorKind::NotFound => break,
            Err(e) => return Err(e),
        }
    }
    std::fs::remove_dir(apart)
}

/// Others may make directories in the common one, and put links to any file there.
fn is_own_dir(path: &Path) -> bool {
    let me = std::fs::metadata("/proc/self").map(|process| process.uid());
    std::fs::symlink_metadata(path).is_ok_and(|there| there.is_dir() && me.is_ok_and(|me| there.uid() == me))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_nobody() -> RankHeader {
        RankHeader { host: "nowhere".into(), pid: u32::MAX, ..RankHeader::default() }
    }

    #[test]
    fn what_a_process_left_is_brought() {
        let dir = std::env::temp_dir().join(format!("mpivet-stages-{}", std::process::id()));
        let common = dir.join("common");
        let mut header = RankHeader { stage_bytes: 8, ..of_nobody() };
        let own = own_dir(&common, &header);
        header.stage_dir = own.display().to_string();
        owner_only::make_dir(&own).unwrap();
        std::fs::write(stage_path_of(&own, "rank-0", 0), "zero").unwrap();
        std::fs::write(stage_path_of(&dir, "rank-0", 1), "one").unwrap();
        std::fs::write(stage_path_of(&own, "rank-0", 2), "two").unwrap();
        // A link in the place of a directory of one's own is left alone.
        let link = dir.join("elsewhere");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(is_own_dir(&own) && !is_own_dir(&link) && !is_own_dir(Path::new("/nowhere")));
        assert_eq!(header.stage(&dir, "rank-0", 2), Some(stage_path_of(&own, "rank-0", 2)));
        bring(&dir, "rank-0", &header).unwrap();
        assert!(!own.exists() && common.exists());
        for (thread, text) in ["zero", "one", "two"].into_iter().enumerate() {
            assert_eq!(std::fs::read_to_string(stage_path_of(&dir, "rank-0", thread as u16)).unwrap(), text);
        }
        assert_eq!(header.stage(&dir, "rank-0", 3), None);
        bring(&dir, "rank-0", &header).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_trace_names_no_directory_but_that_of_its_process() {
        let header = |stage_dir: &str| RankHeader { stage_dir: stage_dir.into(), pid: 7, ..of_nobody() };
        assert!(header("/dev/shm/mpivet-nowhere-7-0").apart().is_some());
        for other in
            ["", "/", "/etc", "mpivet-nowhere-7-0", "/dev/shm/mpivet-nowhere-8-0", "/dev/shm/mpivet-nowhere-7-0/.."]
        {
            assert_eq!(header(other).apart(), None, "{other}");
        }
    }
}
