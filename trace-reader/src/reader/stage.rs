//! A read-only view of a stage that its owner may be writing to.

#![expect(unsafe_code, reason = "a mapped file that another process writes")]

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use trace_format::file::{NOT_COUNTED, STAGE_HEADER_BYTES, STAGE_OWNER_OFFSET, STAGE_RECORDS_OFFSET};
use trace_format::stage_protocol::{self, Source};

/// A stage, mapped or copied.
pub struct StageView {
    memory: Memory,
}

enum Memory {
    Mapped(memmap2::Mmap),
    Copied(Vec<u8>),
}

impl StageView {
    /// Maps a stage of so many bytes of records. Fails if the file is shorter.
    pub fn new(file: &File, bytes: usize) -> io::Result<StageView> {
        let len = STAGE_HEADER_BYTES + bytes;
        if (file.metadata()?.len() as usize) < len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stage file is cut off"));
        }
        // SAFETY: the file is mapped shared and read-only; its owner only ever grows it to this length and writes
        // to it, which the accessors below expect.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file)? };
        Ok(StageView { memory: Memory::Mapped(map) })
    }

    /// A stage as it was once: the page in front, and records. `None` if it is not even that page.
    pub(super) fn copied(bytes: Vec<u8>) -> Option<StageView> {
        (bytes.len() >= STAGE_HEADER_BYTES).then_some(StageView { memory: Memory::Copied(bytes) })
    }

    pub(super) fn is_copied(&self) -> bool {
        matches!(self.memory, Memory::Copied(_))
    }

    pub(super) fn magic(&self) -> [u8; 8] {
        let mut magic = [0; 8];
        magic.copy_from_slice(&self.bytes()[..8]);
        magic
    }

    fn bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Mapped(map) => map,
            Memory::Copied(bytes) => bytes,
        }
    }

    /// The word at this place of the file, as it is now.
    pub fn load(&self, at: usize) -> Option<u64> {
        self.word(at, Ordering::Acquire)
    }

    /// The page in front of the records.
    pub fn header(&self) -> &[u8] {
        &self.bytes()[..STAGE_HEADER_BYTES]
    }

    fn word(&self, at: usize, order: Ordering) -> Option<u64> {
        let bytes = self.bytes().get(at..at + 8)?;
        if self.is_copied() {
            return bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        }
        let pointer = bytes.as_ptr().cast::<AtomicU64>();
        // SAFETY: in bounds of the map, which is page-aligned, and `at` is a multiple of 8 for all callers; the
        // word is only accessed atomically by both sides.
        pointer.is_aligned().then(|| unsafe { &*pointer }.load(order))
    }

    /// How often it was emptied.
    pub fn lap(&self) -> u64 {
        stage_protocol::lap(self)
    }

    /// CALL records in front of its lap.
    pub fn calls(&self) -> u64 {
        self.load(STAGE_RECORDS_OFFSET).unwrap_or(NOT_COUNTED)
    }

    /// The thread that writes, as the system numbers it.
    pub fn owner(&self) -> Option<u32> {
        u32::try_from(self.load(STAGE_OWNER_OFFSET).unwrap_or(0)).ok().filter(|o| *o != 0)
    }

    /// As [`stage_protocol::copy_record`].
    pub fn copy_record(&self, offset: usize, lap: u64, out: &mut Vec<u8>) -> bool {
        stage_protocol::copy_record(self, offset, lap, out)
    }
}

impl Source for StageView {
    fn load(&self, at: usize, order: Ordering) -> Option<u64> {
        self.word(at, order)
    }

    fn copy(&self, at: usize, bytes: usize, out: &mut Vec<u8>) -> bool {
        let found = self.bytes().get(at..at + bytes);
        found.map(|found| out.extend_from_slice(found)).is_some()
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}
