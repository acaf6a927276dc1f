//! The stage of one thread: a small shared mapping that records are written to, emptied into the trace when full.
//! Its pages are allocated when it is made, so that a full disk cannot stop a store, and survive the process.

mod mapping;
mod writer;

#[cfg(test)]
mod tests;

pub use mapping::Mapping;
pub use writer::{FixedRecord, Full, Memory, Writer};

use crate::threads;
use crate::trace::{self, Lap, Packing};
use std::io;
use std::ops::{Deref, DerefMut};
use trace_format::file::{STAGE_BYTES, stage_path_of};
use trace_format::pack::Packer;
use trace_format::record::{Commit, State};

/// The stage of a thread, which it alone writes.
#[repr(C)]
pub struct Stage {
    writer: Writer<Mapping>,
    /// The number of the thread, which never changes.
    pub thread: u16,
    packing: Packing,
}

impl Deref for Stage {
    type Target = Writer<Mapping>;

    #[inline(always)]
    fn deref(&self) -> &Writer<Mapping> {
        &self.writer
    }
}

impl DerefMut for Stage {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Writer<Mapping> {
        &mut self.writer
    }
}

impl Stage {
    /// Makes the stage file of a thread and maps it, in the first place where there is room.
    pub fn create(trace: &trace::Trace, thread: u16) -> io::Result<Stage> {
        let mut last = io::ErrorKind::NotFound.into();
        for dir in trace.stage_dirs() {
            match Mapping::create(&stage_path_of(dir, &trace.stem, thread), thread, trace.is_late(dir)) {
                Ok(mapping) => return Ok(Stage::new(mapping, thread, trace.time_error)),
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    fn new(mapping: Mapping, thread: u16, time_error: u64) -> Stage {
        let packing = Packing::new(Packer::bounded(STAGE_BYTES, time_error));
        Stage { writer: Writer::new(mapping), thread, packing }
    }

    /// Says that the calling thread writes here from now on.
    pub fn set_owner(&self) {
        self.memory().set_owner();
    }

    /// Says that nobody writes here any more.
    pub fn abandon(&self) {
        self.memory().abandon();
    }

    /// Address of the byte at `offset` of the records.
    #[inline(always)]
    pub fn at(&self, offset: usize) -> *mut u8 {
        self.memory().at(offset)
    }

    /// Makes room for a record of at most `bytes`. False if recording ended, or no stage has so much room.
    #[inline(always)]
    pub fn reserve(&mut self, bytes: usize) -> bool {
        self.has_room(bytes) || self.empty() && self.has_room(bytes)
    }

    /// Writes a record of the system, as it is encoded. False if there is no room for it.
    pub fn append(&mut self, record: &[u8]) -> bool {
        let has_room = self.reserve(record.len());
        if has_room {
            self.put(record);
        }
        has_room
    }

    /// Appends a record without making room, if it needs less than what is kept free: the last one of a stage.
    pub fn append_last(&mut self, record: &[u8]) {
        if self.has_room_for_last(record.len()) {
            self.put(record);
        }
    }

    /// Writes a record for which there is room. Its first word has its kind.
    fn put(&mut self, record: &[u8]) {
        let Some((first, rest)) = record.split_first_chunk::<8>() else { return };
        let start = self.cursor();
        // SAFETY: there is room for the record, whose first word is stored by `commit`.
        unsafe { std::ptr::copy_nonoverlapping(rest.as_ptr(), self.at(start + 8), rest.len()) };
        let kind = Commit::unpack(u64::from_le_bytes(*first)).func;
        self.commit(start + record.len(), kind, State::System);
    }

    /// Empties the stage into the trace. False if that failed; the stage then keeps what it holds.
    #[cold]
    pub fn empty(&mut self) -> bool {
        let Stage { writer, thread, packing } = self;
        writer.empty(|memory, full| {
            let Some(trace) = trace::get() else { return false };
            // Which of two threads did something first, their times must tell.
            if threads::are_several() {
                packing.packer.be_exact();
            }
            let records = memory.records(full.bytes);
            let lap = Lap { thread: *thread, lap: full.lap, calls: full.calls, records };
            !trace::is_lost() && trace.events(lap, packing)
        })
    }
}
