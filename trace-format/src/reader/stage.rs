//! A read-only view of a stage that its owner may be writing to.

use crate::file::{NOT_COUNTED, STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_OWNER_OFFSET, STAGE_RECORDS_OFFSET};
use crate::record::{Commit, LAP_MASK};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering, fence};

pub(super) struct StageView {
    map: memmap2::Mmap,
}

impl StageView {
    pub(super) fn new(file: &File, bytes: usize) -> io::Result<StageView> {
        let len = STAGE_HEADER_BYTES + bytes;
        if (file.metadata()?.len() as usize) < len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stage file is cut off"));
        }
        // SAFETY: the file is mapped shared and read-only; its owner only ever grows it to this length and writes
        // to it, which the accessors below expect.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file)? };
        Ok(StageView { map })
    }

    pub(super) fn magic(&self) -> [u8; 8] {
        let mut magic = [0; 8];
        magic.copy_from_slice(&self.map[..8]);
        magic
    }

    fn word(&self, at: usize) -> Option<&AtomicU64> {
        let bytes = self.map.get(at..at + 8)?;
        let pointer = bytes.as_ptr().cast::<AtomicU64>();
        // SAFETY: in bounds of the map, which is page-aligned, and `at` is a multiple of 8 for all callers; the
        // word is only accessed atomically by both sides.
        pointer.is_aligned().then(|| unsafe { &*pointer })
    }

    pub(super) fn lap(&self) -> u64 {
        self.word(STAGE_LAP_OFFSET).map_or(0, |w| w.load(Ordering::Acquire))
    }

    /// CALL records in front of its lap.
    pub(super) fn calls(&self) -> u64 {
        self.word(STAGE_RECORDS_OFFSET).map_or(NOT_COUNTED, |w| w.load(Ordering::Acquire))
    }

    /// The thread that writes, as the system numbers it.
    pub(super) fn owner(&self) -> Option<u32> {
        let owner = self.word(STAGE_OWNER_OFFSET).map_or(0, |w| w.load(Ordering::Acquire));
        u32::try_from(owner).ok().filter(|o| *o != 0)
    }

    /// Copies the record at `offset` of lap `lap` into `out`. False if there is none (yet), or if the stage went on
    /// to the next lap meanwhile.
    pub(super) fn copy_record(&self, offset: usize, lap: u64, out: &mut Vec<u8>) -> bool {
        let at = STAGE_HEADER_BYTES + offset;
        let Some(word) = self.word(at) else { return false };
        let value = word.load(Ordering::Acquire);
        let commit = Commit::unpack(value);
        let len = commit.words as usize * 8;
        if value == 0 || commit.lap != (lap as u32 & LAP_MASK) || len < 16 {
            return false;
        }
        let Some(bytes) = self.map.get(at..at + len) else { return false };
        out.clear();
        out.extend_from_slice(bytes);
        // The commit word decides which parts of the record are valid, so it must not be newer than the bytes.
        out[..8].copy_from_slice(&value.to_le_bytes());
        fence(Ordering::Acquire);
        self.lap() == lap
    }
}
