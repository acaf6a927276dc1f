//! A stage of a process of another node, as readers find one on this host.

#![expect(unsafe_code, reason = "a mapped file that readers look at meanwhile")]

use crate::wire::message::StageNews;
use crate::wire::refused;
use memmap2::MmapMut;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use trace_format::file::{STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_RECORDS_OFFSET};
use trace_format::owner_only;
use trace_format::stage_protocol::{self, Words};

/// A link is not followed.
const NOFOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;

/// No stage has more room.
const MOST: u32 = 64 << 20;

pub(crate) struct StageMirror {
    map: MmapMut,
    lap: Option<u64>,
}

impl StageMirror {
    /// Makes the file. Fails where the disk has no room for it: later there would be no way to say so.
    pub(crate) fn new(path: &Path, room: u32) -> io::Result<StageMirror> {
        if room > MOST || !room.is_multiple_of(8) {
            return Err(refused("a stage has a size that no stage has"));
        }
        let len = STAGE_HEADER_BYTES as u64 + u64::from(room);
        // Another agent of the node may have sent a part of it: readers have mapped it, and go on in it.
        let before = OpenOptions::new().read(true).write(true).custom_flags(NOFOLLOW).open(path);
        let before =
            before.ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file() && found.len() == len));
        let is_new = before.is_none();
        let file = match before {
            Some(file) => file,
            None => owner_only::make_file(path, OpenOptions::new().read(true).write(true))?,
        };
        allocate(&file, len)?;
        // SAFETY: all of the file has room on the disk, only this process writes to it, and readers use its words as atomic ones.
        let map = unsafe { MmapMut::map_mut(&file)? };
        let mut mirror = StageMirror { map, lap: None };
        mirror.lap = (!is_new).then(|| mirror.own(STAGE_LAP_OFFSET));
        Ok(mirror)
    }

    fn word(&self, at: usize) -> Option<&AtomicU64> {
        let bytes = self.map.get(at..at.checked_add(8)?)?;
        let pointer = bytes.as_ptr().cast::<AtomicU64>();
        // SAFETY: in bounds of the map, which can be written, and aligned; all accesses to it are atomic.
        pointer.is_aligned().then(|| unsafe { &*pointer })
    }

    fn set(&self, at: usize, bytes: &[u8], order: Ordering) -> io::Result<()> {
        let value = bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (Some(word), Some(value)) = (self.word(at), value) else {
            return Err(refused("records lie beyond the end of their stage"));
        };
        word.store(value, order);
        Ok(())
    }

    /// Puts records, one behind the other, at an offset among the records. They are seen when all of them are there.
    fn put(&self, at: usize, records: &[u8]) -> io::Result<()> {
        let at = STAGE_HEADER_BYTES.saturating_add(at);
        if records.len() < 16 || !records.len().is_multiple_of(8) {
            return Err(refused("a record has a length that no record has"));
        }
        for (i, word) in records.chunks(8).enumerate().skip(1) {
            self.set(at + 8 * i, word, Ordering::Relaxed)?;
        }
        self.set(at, records, Ordering::Release)
    }

    /// Brings the news to the readers.
    pub(crate) fn add(&mut self, news: &StageNews) -> io::Result<()> {
        if news.header.len() != STAGE_HEADER_BYTES {
            return Err(refused("a stage has no header"));
        }
        let number = |at: usize| news.header[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let is_new = self.lap != Some(news.lap);
        for (i, word) in news.header.chunks(8).enumerate() {
            if ![STAGE_LAP_OFFSET, STAGE_RECORDS_OFFSET].contains(&(8 * i)) {
                self.set(8 * i, word, Ordering::Relaxed)?;
            }
        }
        if is_new {
            stage_protocol::begin_lap(self, news.lap, number(STAGE_RECORDS_OFFSET));
            self.lap = Some(news.lap);
        }
        for (at, record) in &news.changed {
            self.put(*at as usize, record)?;
        }
        if news.records.is_empty() {
            return Ok(());
        }
        let end = STAGE_HEADER_BYTES + news.at as usize + news.records.len();
        if let Some(behind) = self.word(end) {
            behind.store(0, Ordering::Relaxed);
        }
        self.put(news.at as usize, &news.records)
    }
}

/// A file of this length, all of which has room on the disk. On file systems that cannot do that it is only as long.
fn allocate(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::empty(), 0, len) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => file.set_len(len),
        Err(e) => Err(e.into()),
    }
}

impl Words for StageMirror {
    fn own(&self, at: usize) -> u64 {
        self.word(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    fn store(&self, at: usize, value: u64, order: Ordering) {
        if let Some(word) = self.word(at) {
            word.store(value, order);
        }
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}
