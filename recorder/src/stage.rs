//! The stage of one thread: a small shared mapping that records are written to, emptied into the trace when full.
//! Its pages are allocated when it is made, so that a full disk cannot stop a store, and survive the process.

use crate::threads;
use crate::trace::{self, Lap, Packing};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use trace_format::file::{STAGE_BYTES, STAGE_HEADER_BYTES, STAGE_MAGIC, STAGE_OWNER_OFFSET, VERSION, stage_path_of};
use trace_format::pack::Packer;
use trace_format::private;
use trace_format::protocol::{self, Words};
use trace_format::record::{Commit, LAP_SHIFT, State};

/// The stage of a thread, which it alone writes.
#[repr(C)]
pub struct Stage {
    base: *mut u8,
    /// Where the next record begins, in bytes behind the first one.
    pub cursor: usize,
    /// How often it was emptied.
    pub lap: u64,
    /// CALL records written by this thread.
    pub calls: u64,
    /// The number of the thread.
    pub thread: u16,
    /// CALL records in front of this lap.
    before: u64,
    packing: Packing,
}

/// A record that is as long as all of its function, as it is committed when a call begins.
#[derive(Clone, Copy)]
pub struct FixedRecord {
    bytes: usize,
    /// Its last 4 bytes hold no value.
    is_padded: bool,
    /// Its commit word in lap 0.
    commit: u64,
}

impl FixedRecord {
    /// A record of so many bytes, header included, which are a multiple of 4.
    pub fn new(func: u16, state: State, bytes: usize) -> FixedRecord {
        assert!(bytes.is_multiple_of(4), "values have 4, 8 or 16 bytes");
        let padded = bytes.next_multiple_of(8);
        let commit = Commit { func, state: state as u8, words: (padded / 8) as u16, lap: 0 };
        FixedRecord { bytes: padded, is_padded: padded != bytes, commit: commit.pack() }
    }
}

/// Kept free at the end of a stage: for the mark that recording has ended, and the terminating word.
const RESERVE: usize = 512;
// The length of a record in words is a u16 in its commit word.
const _: () = assert!(STAGE_BYTES / 8 <= u16::MAX as usize);

impl Stage {
    /// Makes the stage file of a thread and maps it, in the first place where there is room.
    pub fn create(trace: &trace::Trace, thread: u16) -> io::Result<Stage> {
        let mut last = io::ErrorKind::NotFound.into();
        for dir in trace.stage_dirs() {
            match Stage::create_in(dir, trace, thread) {
                Ok(stage) => return Ok(stage),
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    fn create_in(dir: &Path, trace: &trace::Trace, thread: u16) -> io::Result<Stage> {
        let path = stage_path_of(dir, &trace.stem, thread);
        let file = private::make_file(&path, OpenOptions::new().read(true).write(true))?;
        let len = STAGE_HEADER_BYTES + STAGE_BYTES;
        if trace::size_limit() < len as u64 {
            _ = std::fs::remove_file(&path);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the limit on file sizes (ulimit -f) is too low"));
        }
        // SAFETY: plain system call on an open descriptor.
        let error = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len as libc::off_t) };
        if error != 0 {
            _ = std::fs::remove_file(&path);
            return Err(io::Error::from_raw_os_error(error));
        }
        // SAFETY: a fresh mapping of a file of this length.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let packing = Packing::new(Packer::bounded(STAGE_BYTES, trace.time_error));
        let stage = Stage { base: base.cast(), cursor: 0, lap: 0, calls: 0, thread, before: 0, packing };
        stage.word(8).store(u64::from(VERSION) | u64::from(thread) << 32, Ordering::Relaxed);
        stage.set_owner();
        stage.word(0).store(u64::from_le_bytes(STAGE_MAGIC), Ordering::Release);
        Ok(stage)
    }

    /// Says that the calling thread writes here from now on.
    pub fn set_owner(&self) {
        // SAFETY: a plain system call that cannot fail.
        self.word(STAGE_OWNER_OFFSET).store(unsafe { libc::syscall(libc::SYS_gettid) } as u64, Ordering::Release);
    }

    /// Says that nobody writes here any more.
    pub fn abandon(&self) {
        self.word(STAGE_OWNER_OFFSET).store(0, Ordering::Release);
    }

    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: `at` is one of the 8-byte fields of the header page, or behind it the offset of a record, which is a
        // multiple of 8 within the mapping. It stays mapped.
        unsafe { &*self.base.add(at).cast::<AtomicU64>() }
    }

    /// Address of the byte at `offset` of the records.
    #[inline(always)]
    pub fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: callers stay within the stage; one past its end is still within the allocation's bounds.
        unsafe { self.base.add(STAGE_HEADER_BYTES + offset) }
    }

    /// Makes room for a record of at most `bytes`. False if recording ended, or no stage has so much room.
    #[inline(always)]
    pub fn reserve(&mut self, bytes: usize) -> bool {
        self.has_room(bytes) || self.empty() && self.has_room(bytes)
    }

    /// Is there room for these bytes without emptying the stage?
    #[inline(always)]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.cursor + bytes + RESERVE <= STAGE_BYTES
    }

    /// Writes a record that needs less than the reserve, without making room: the last one of a stage.
    pub fn last(&mut self, record: &[u8], kind: u16) {
        if record.len() + 16 > RESERVE || self.cursor + record.len() + 16 > STAGE_BYTES {
            return;
        }
        let start = self.cursor;
        // SAFETY: checked above; the first word is stored by `commit`.
        unsafe { std::ptr::copy_nonoverlapping(record.as_ptr().add(8), self.at(start + 8), record.len() - 8) };
        self.commit(start + record.len(), kind, State::System);
    }

    /// Commits the record that begins at the cursor and ends at `end` (unpadded); returns its offset.
    #[inline(always)]
    pub fn commit(&mut self, end: usize, func: u16, state: State) -> usize {
        let start = self.cursor;
        // What is left there from an earlier lap would only make the trace larger.
        let padded = end.next_multiple_of(8);
        match padded - end {
            0 => {}
            // SAFETY: the rest of the word that the record ends in.
            4 => unsafe { self.at(end).cast::<u32>().write(0) },
            // SAFETY: as above.
            n => unsafe { self.at(end).write_bytes(0, n) },
        }
        let end = padded;
        let words = ((end - start) / 8) as u16;
        let commit = Commit { func, state: state as u8, words, lap: self.lap as u32 };
        protocol::commit(self, start, end, commit);
        self.cursor = end;
        start
    }

    /// The same for the record of a call that has as many bytes as all of its function.
    #[inline(always)]
    pub fn commit_fixed(&mut self, fixed: &FixedRecord) {
        let (start, end) = (self.cursor, self.cursor + fixed.bytes);
        if fixed.is_padded {
            // SAFETY: the last bytes of the record.
            unsafe { self.at(end - 4).cast::<u32>().write(0) };
        }
        protocol::commit_word(self, start, end, fixed.commit | (self.lap << LAP_SHIFT));
        self.cursor = end;
    }

    /// Marks a committed record as returned.
    #[inline(always)]
    pub fn complete(&self, offset: usize) {
        protocol::complete(self, offset);
    }

    /// Empties the stage into the trace. False if that failed; the stage then keeps what it holds.
    #[cold]
    pub fn empty(&mut self) -> bool {
        if self.cursor == 0 {
            return true;
        }
        let Some(trace) = trace::get() else { return false };
        // SAFETY: the first `cursor` bytes are records written by this thread.
        let records = unsafe { std::slice::from_raw_parts(self.at(0), self.cursor) };
        // Which of two threads did something first, their times must tell.
        if threads::are_several() {
            self.packing.packer.be_exact();
        }
        let lap = Lap { thread: self.thread, lap: self.lap, calls: self.before, records };
        if trace::is_lost() || !trace.events(lap, &mut self.packing) {
            return false;
        }
        self.before = self.calls;
        self.cursor = 0;
        self.lap += 1;
        protocol::begin_lap(self, self.lap, self.calls);
        true
    }
}

impl Words for Stage {
    #[inline(always)]
    fn own(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.word(at).store(value, order);
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_stage_can_hold_gets_no_room() {
        let memory = vec![0u64; (STAGE_HEADER_BYTES + STAGE_BYTES) / 8].leak();
        let packing = Packing::new(Packer::bounded(STAGE_BYTES, 0));
        let base = memory.as_mut_ptr().cast();
        let mut stage = Stage { base, cursor: 0, lap: 0, calls: 0, thread: 0, before: 0, packing };
        assert!(stage.reserve(STAGE_BYTES - RESERVE));
        assert!(!stage.reserve(STAGE_BYTES - RESERVE + 1), "an empty stage has no more");
        stage.cursor = 64;
        assert!(!stage.reserve(STAGE_BYTES - RESERVE), "there is no trace to empty it into");
    }
}
