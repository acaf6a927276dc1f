//! What the stages of a process hold while all its threads rest, in one file: `rank-N.rest`. On file systems where other nodes
//! see late, and in no order, what is stored to a mapped file, an agent of the node writes it and has it stored, so that a process
//! that waits is seen elsewhere as it is.
//!
//! The file is a mark (eight bytes), the length of what follows (u64), its checksum (u64), and a [`RestCopy`] by
//! [`crate::codec`]. It is written in place: a new file of the same name might be seen late, the contents of a file that is opened
//! anew are not.

use crate::file::checksum;
use crate::{codec, owner_only, untrusted};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"MPIVETRC";
const FRONT: usize = 24;
/// No process has more in its stages.
const MOST: u64 = codec::MAX_ITEM_BYTES;

/// The stages of a process at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestCopy {
    /// The length of the trace file at that moment: without these bytes, something in front of the stages is missing.
    pub trace_bytes: u64,
    /// By the numbers of their threads: the page in front, and the records behind it as far as there are any.
    pub stages: Vec<Vec<u8>>,
}

/// Tells one state of the file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    len: u64,
    checksum: u64,
}

/// Where the copy is of the process whose files begin with `stem`.
pub fn path(dir: &Path, stem: &str) -> PathBuf {
    dir.join(format!("{stem}.rest"))
}

impl RestCopy {
    /// Makes a file for copies in the place of what is there.
    pub fn make(path: &Path) -> io::Result<File> {
        owner_only::make_file(path, OpenOptions::new().write(true))
    }

    /// Writes it into the file, and waits until it is stored. Fails where the disk is full; what is there then counts for nothing.
    pub fn write(&self, file: &File) -> io::Result<()> {
        let mut payload = Vec::new();
        codec::append(self, &mut payload).map_err(io::Error::other)?;
        let (len, sum) = (payload.len() as u64, checksum(&payload));
        let bytes = [&MAGIC[..], &len.to_le_bytes(), &sum.to_le_bytes(), &payload].concat();
        file.write_all_at(&bytes, 0)?;
        file.sync_data()
    }

    /// Reads the file, if it is another state than `known`. `None`: it is that one, or it is not whole at this moment. Fails where
    /// there is none.
    pub fn read(path: &Path, known: Option<Mark>) -> io::Result<Option<(Mark, RestCopy)>> {
        let file = untrusted::open(path)?;
        let mut front = [0; FRONT];
        if let Err(e) = file.read_exact_at(&mut front, 0) {
            return if e.kind() == ErrorKind::UnexpectedEof { Ok(None) } else { Err(e) };
        }
        let word = |at: usize| front[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let mark = Mark { len: word(8), checksum: word(16) };
        let has = file.metadata()?.len();
        if front[..8] != MAGIC || known == Some(mark) || mark.len > MOST || mark.len.saturating_add(FRONT as u64) > has
        {
            return Ok(None);
        }
        let mut payload = vec![0; mark.len as usize];
        match file.read_exact_at(&mut payload, FRONT as u64) {
            Ok(()) if checksum(&payload) == mark.checksum => {}
            Ok(()) => return Ok(None),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            Err(e) => return Err(e),
        }
        Ok(codec::take::<RestCopy>(&mut &payload[..]).and_then(Result::ok).map(|copy| (mark, copy)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_read_once_and_only_whole() {
        let dir = std::env::temp_dir().join(format!("mpivet-rest-{}", std::process::id()));
        owner_only::make_dir(&dir).unwrap();
        let path = path(&dir, "rank-3");
        assert_eq!(RestCopy::read(&path, None).unwrap_err().kind(), ErrorKind::NotFound);
        let file = RestCopy::make(&path).unwrap();
        assert_eq!(RestCopy::read(&path, None).unwrap(), None);
        let long = RestCopy { trace_bytes: 700, stages: vec![vec![1; 100], vec![], vec![2; 9]] };
        long.write(&file).unwrap();
        let (mark, found) = RestCopy::read(&path, None).unwrap().unwrap();
        assert_eq!(found, long);
        assert_eq!(RestCopy::read(&path, Some(mark)).unwrap(), None);
        // A shorter one over a longer one.
        let short = RestCopy { trace_bytes: 800, stages: vec![vec![3; 8]] };
        short.write(&file).unwrap();
        assert_eq!(RestCopy::read(&path, Some(mark)).unwrap().unwrap().1, short);
        file.write_all_at(b"x", FRONT as u64 + 6).unwrap();
        assert_eq!(RestCopy::read(&path, Some(mark)).unwrap(), None);
        file.set_len(20).unwrap();
        assert_eq!(RestCopy::read(&path, None).unwrap(), None);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
