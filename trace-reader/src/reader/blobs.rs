//! Long arrays and strings, which records name by a number. A run may have any number of them. So those that are not needed for
//! a while are forgotten, and read again from the file when a record names them.

use super::blocks::BlockRef;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use trace_format::definition::{Definition, Id};
use trace_format::file::{BLOCK_HEADER_BYTES, checksum};
use trace_format::{codec, untrusted};

/// Bytes of them that are kept.
const MOST_BYTES: usize = 32 << 20;

/// The long arrays of a rank.
#[derive(Default)]
pub(super) struct Blobs {
    /// Where they can be read again: not those of segments, which the writer removes.
    places: FxHashMap<Id, (Arc<Path>, BlockRef)>,
    kept: Mutex<Kept>,
}

/// Blobs that were named last.
#[derive(Default)]
struct Kept {
    all: FxHashMap<Id, Arc<[u8]>>,
    /// In the order in which they came.
    order: VecDeque<Id>,
    bytes: usize,
}

impl Kept {
    fn insert(&mut self, id: Id, bytes: Arc<[u8]>) {
        self.bytes += bytes.len();
        match self.all.insert(id, bytes) {
            Some(before) => self.bytes -= before.len(),
            None => self.order.push_back(id),
        }
        while self.bytes > MOST_BYTES
            && self.order.len() > 1
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.all.remove(&oldest).map_or(0, |bytes| bytes.len());
        }
    }
}

impl Blobs {
    /// Takes one from a block of definitions; `file`: where it can be read again.
    pub(super) fn insert(&mut self, id: Id, bytes: Vec<u8>, file: Option<(&Arc<Path>, BlockRef)>) {
        match file {
            Some((path, block)) => _ = self.places.insert(id, (path.clone(), block)),
            None => _ = self.places.remove(&id),
        }
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).insert(id, bytes.into());
    }

    pub(super) fn get(&self, id: Id) -> Option<Arc<[u8]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept.all.get(&id) {
            return Some(bytes.clone());
        }
        let (path, block) = self.places.get(&id)?;
        let bytes: Arc<[u8]> = read_again(path, block, id)?.into();
        kept.insert(id, bytes.clone());
        Some(bytes)
    }
}

/// `None` if the file is gone, or is another one by now.
fn read_again(path: &Path, block: &BlockRef, id: Id) -> Option<Vec<u8>> {
    let mut payload = vec![0; block.header.len as usize];
    untrusted::open(path).ok()?.read_exact_at(&mut payload, block.start + BLOCK_HEADER_BYTES as u64).ok()?;
    if checksum(&payload) != block.header.checksum {
        return None;
    }
    let mut rest = &payload[..];
    while let Some(Ok(definition)) = codec::take::<Definition>(&mut rest) {
        if let Definition::Blob { id: found, bytes } = definition
            && found == id
        {
            return Some(bytes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::file::BlockHeader;
    use trace_format::writer;

    #[test]
    fn what_is_forgotten_is_read_again() {
        let path: Arc<Path> = std::env::temp_dir().join(format!("mpivet-blobs-{}", std::process::id())).into();
        let contents = |id: Id| vec![id as u8; 1 << 20];
        let (mut file, mut blobs) = (Vec::new(), Blobs::default());
        for id in 1..=80 {
            let block = writer::definition_block(&[Definition::Blob { id, bytes: contents(id) }]).unwrap();
            let head = block.first_chunk().and_then(BlockHeader::from_bytes).unwrap();
            let at = BlockRef { header: head, segment: 0, start: file.len() as u64 };
            file.extend_from_slice(&block);
            blobs.insert(id, contents(id), (id != 1).then_some((&path, at)));
            assert!(blobs.kept.lock().unwrap().bytes <= MOST_BYTES);
        }
        std::fs::write(&path, &file).unwrap();
        assert_eq!(blobs.get(1), None, "it cannot be read again");
        for id in (2..=80).rev() {
            assert_eq!(blobs.get(id).as_deref(), Some(&contents(id)[..]), "{id}");
            assert!(blobs.kept.lock().unwrap().bytes <= MOST_BYTES);
        }
        std::fs::write(&path, vec![0; file.len()]).unwrap();
        assert_eq!(blobs.get(80), None, "the file is another one");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(blobs.get(79), None);
        assert_eq!(blobs.get(2).as_deref(), Some(&contents(2)[..]), "it was asked for last");
    }
}
