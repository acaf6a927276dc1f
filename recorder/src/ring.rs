//! The segments of a trace with a limit of size (see `trace_format::file`): a new one begins when the last is full, and the
//! oldest is removed. What objects there are stands at the front of each.

use crate::descriptor::Kept;
use crate::file_limit::size_limit;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use trace_format::codec;
use trace_format::definition::Definition;
use trace_format::file::{BLOCK_HEADER_BYTES, BlockKind, SEGMENTS, SNAPSHOT, segment_header, segment_path};
use trace_format::keys::Key;
use trace_format::owner_only;
use trace_format::writer::seal;

/// The definition of an object.
struct Object {
    encoded: Vec<u8>,
    /// The program has freed it, while the segment with this number was the last one.
    freed_in: Option<u64>,
}

/// Definitions of the objects that there are, and of those that were freed a short while ago.
#[derive(Default)]
struct Objects(BTreeMap<Key, Object>);

pub(crate) struct Ring {
    dir: PathBuf,
    stem: String,
    /// Bytes of a segment.
    most: u64,
    file: Kept,
    pub(crate) number: u64,
    size: u64,
    /// The size that it had when it was begun.
    begun_with: u64,
    objects: Objects,
}

impl Ring {
    /// Begins the first segment of a trace of at most `bytes`.
    pub(crate) fn new(dir: PathBuf, stem: String, bytes: u64) -> io::Result<Ring> {
        let (file, size) = begin(&dir, &stem, 1, &[])?;
        let (most, objects) = (bytes / SEGMENTS, Objects::default());
        Ok(Ring { dir, stem, most, file, number: 1, size, begun_with: size, objects })
    }

    /// Is there room for a block of so many bytes? One alone always has some, and objects, however many there are, leave
    /// half of a segment to what is new.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        let most = self.most.max(self.begun_with + self.most / 2);
        self.size + bytes <= most || self.size <= self.begun_with
    }

    /// A block was written.
    pub(crate) fn grew(&mut self, bytes: u64) {
        self.size += bytes;
    }

    /// The file of the last segment, to be appended to, and its size.
    pub(crate) fn file(&mut self) -> io::Result<(&File, u64)> {
        self.file.look()
    }

    /// Begins the next segment.
    pub(crate) fn next(&mut self) -> io::Result<()> {
        let number = self.number + 1;
        self.objects.begin(number);
        let (file, size) = begin(&self.dir, &self.stem, number, &self.objects.block())?;
        (self.file, self.number) = (file, number);
        (self.size, self.begun_with) = (size, size);
        Ok(())
    }

    /// Keeps what of these definitions must be repeated.
    pub(crate) fn note(&mut self, definitions: &[Definition]) {
        self.objects.note(definitions);
    }

    /// The program has freed an object. What it did with it may still be in the stages.
    pub(crate) fn forget(&mut self, keys: &[Key]) {
        for key in keys {
            if let Some(object) = self.objects.0.get_mut(key) {
                object.freed_in = Some(self.number);
            }
        }
    }
}

impl Objects {
    fn note(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            let Some(key) = Key::of(definition) else { continue };
            let mut encoded = Vec::new();
            if codec::append(definition, &mut encoded).is_ok() {
                self.0.insert(key, Object { encoded, freed_in: None });
            }
        }
    }

    /// The segment `number` begins: what was freed before the one in front of it began is forgotten.
    fn begin(&mut self, number: u64) {
        self.0.retain(|_, object| object.freed_in.is_none_or(|freed_in| freed_in + 1 >= number));
    }

    /// A block of all of them; those that others are made of come first.
    fn block(&self) -> Vec<u8> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        self.0.values().for_each(|object| block.extend_from_slice(&object.encoded));
        seal(&mut block, BlockKind::Definitions, SNAPSHOT, 0);
        block
    }
}

/// Makes the file of a segment, in the place of the oldest one; also its size.
fn begin(dir: &Path, stem: &str, number: u64, objects: &[u8]) -> io::Result<(Kept, u64)> {
    let beginning = [&segment_header(number), objects].concat();
    let size = beginning.len() as u64;
    // Past the limit on file sizes a write would raise SIGXFSZ, which ends the program.
    if size > size_limit() {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let path = segment_path(dir, stem, number);
    let mut file = owner_only::make_file(&path, OpenOptions::new().append(true))?;
    file.write_all(&beginning)?;
    Ok((Kept::new(file, &path)?, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd as _, FromRawFd as _};
    use std::os::unix::fs::MetadataExt as _;
    use trace_format::definition::{FIRST_USER_ID, Id};
    use trace_format::file::SEGMENT_HEADER_BYTES;

    const STEM: &str = "rank-0";

    fn fresh(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("mpivet-ring-{name}-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn ops(ids: std::ops::Range<Id>) -> Vec<Definition> {
        ids.map(|id| Definition::Op { id: FIRST_USER_ID + id, commute: true }).collect()
    }

    /// The definitions at the front of a segment.
    fn repeated(dir: &Path, number: u64) -> Vec<Definition> {
        let bytes = std::fs::read(segment_path(dir, STEM, number)).unwrap();
        let mut rest = bytes.get(SEGMENT_HEADER_BYTES + BLOCK_HEADER_BYTES..).unwrap_or(&[]);
        let mut all = Vec::new();
        while let Some(definition) = codec::take(&mut rest) {
            all.push(definition.unwrap());
        }
        all
    }

    #[test]
    fn numbers_that_the_program_has_taken_are_left_to_it() {
        let dir = fresh("taken");
        let mut ring = Ring::new(dir.clone(), STEM.into(), 1 << 20).unwrap();
        let own = File::create(dir.join("own")).unwrap();
        // SAFETY: two numbers that are open.
        let take = |fd| unsafe { libc::dup2(own.as_raw_fd(), fd) };
        take(ring.file().unwrap().0.as_raw_fd());
        ring.file().unwrap().0.write_all(b"more").unwrap();
        assert_eq!(own.metadata().unwrap().len(), 0);
        let segment = std::fs::read(segment_path(&dir, STEM, 1)).unwrap();
        assert_eq!(segment, [&segment_header(1)[..], b"more"].concat());
        // The next segment closes nothing that is not ours.
        let taken = take(ring.file().unwrap().0.as_raw_fd());
        ring.next().unwrap();
        // SAFETY: it is ours by dup2.
        let taken = unsafe { File::from_raw_fd(taken) };
        assert_eq!(taken.metadata().unwrap().ino(), own.metadata().unwrap().ino());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_is_freed_is_known_in_the_next_segment_still() {
        let dir = fresh("freed");
        let mut ring = Ring::new(dir.clone(), STEM.into(), 1 << 20).unwrap();
        let all = ops(0..3);
        ring.note(&all);
        ring.forget(&[Key::of(&all[0]).unwrap()]);
        ring.next().unwrap();
        ring.forget(&[Key::of(&all[1]).unwrap()]);
        assert_eq!(repeated(&dir, 2), all);
        ring.next().unwrap();
        assert_eq!(repeated(&dir, 3), all[1..]);
        ring.next().unwrap();
        assert_eq!(repeated(&dir, 4), all[2..]);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn many_objects_leave_room_for_events() {
        let dir = fresh("many");
        let mut ring = Ring::new(dir.clone(), STEM.into(), 4096).unwrap();
        ring.note(&ops(0..1000));
        ring.next().unwrap();
        let (block, mut blocks) = (100, 0);
        while ring.has_room(block) {
            ring.grew(block);
            blocks += 1;
        }
        assert_eq!(blocks, 4096 / SEGMENTS / 2 / block);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
