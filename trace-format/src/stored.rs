//! Small files that one host writes again and again, and others read meanwhile, over file systems where these see late, and in no
//! order, what was written.
//!
//! Such a file is a mark (eight bytes), the length of what follows (u64), its checksum (u64), and one value by [`crate::codec`]. It
//! is written in place: a new file of the same name might be seen late, the contents of a file that is opened anew are not.

use crate::file::checksum;
use crate::{codec, owner_only, untrusted};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const MAGIC: [u8; 8] = *b"MPIVETVA";
const FRONT: usize = 24;
/// No value is longer.
const MOST: u64 = codec::MAX_ITEM_BYTES;

/// Tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    len: u64,
    checksum: u64,
}

/// Makes the file in the place of what is there.
pub fn make(path: &Path) -> io::Result<File> {
    owner_only::make_file(path, OpenOptions::new().write(true))
}

/// Writes the value into the file, and waits until it is stored. Fails where the disk is full; what is there then counts for
/// nothing.
pub fn write(file: &File, value: &impl Serialize) -> io::Result<()> {
    let mut payload = Vec::new();
    codec::append(value, &mut payload).map_err(io::Error::other)?;
    let (len, sum) = (payload.len() as u64, checksum(&payload));
    file.write_all_at(&[&MAGIC[..], &len.to_le_bytes(), &sum.to_le_bytes(), &payload].concat(), 0)?;
    file.sync_data()
}

/// Reads the file, if it is in another state than `known`. `None`: it is in that one, or not whole at this moment. Fails where
/// there is none.
pub fn read<T: DeserializeOwned>(path: &Path, known: Option<Mark>) -> io::Result<Option<(Mark, T)>> {
    let file = untrusted::open(path)?;
    let mut front = [0; FRONT];
    if !read_whole(&file, &mut front, 0)? {
        return Ok(None);
    }
    let word = |at: usize| front[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let mark = Mark { len: word(8), checksum: word(16) };
    let has = file.metadata()?.len();
    if front[..8] != MAGIC || known == Some(mark) || mark.len > MOST || mark.len.saturating_add(FRONT as u64) > has {
        return Ok(None);
    }
    let mut payload = vec![0; mark.len as usize];
    if !read_whole(&file, &mut payload, FRONT as u64)? || checksum(&payload) != mark.checksum {
        return Ok(None);
    }
    Ok(codec::take(&mut &payload[..]).and_then(Result::ok).map(|value| (mark, value)))
}

/// False if the file ends before that.
fn read_whole(file: &File, out: &mut [u8], at: u64) -> io::Result<bool> {
    match file.read_exact_at(out, at) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_once_and_only_whole() {
        let dir = std::env::temp_dir().join(format!("mpivet-stored-{}", std::process::id()));
        owner_only::make_dir(&dir).unwrap();
        let path = dir.join("value");
        let read = |known| read::<Vec<String>>(&path, known);
        assert_eq!(read(None).unwrap_err().kind(), ErrorKind::NotFound);
        let file = make(&path).unwrap();
        assert_eq!(read(None).unwrap(), None);
        let long = vec!["a".repeat(100), String::new()];
        write(&file, &long).unwrap();
        let (mark, found) = read(None).unwrap().unwrap();
        assert_eq!(found, long);
        assert_eq!(read(Some(mark)).unwrap(), None);
        // A shorter one over a longer one.
        let short = vec!["b".to_owned()];
        write(&file, &short).unwrap();
        assert_eq!(read(Some(mark)).unwrap().unwrap().1, short);
        file.write_all_at(b"x", FRONT as u64 + 6).unwrap();
        assert_eq!(read(Some(mark)).unwrap(), None);
        file.set_len(20).unwrap();
        assert_eq!(read(None).unwrap(), None);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
