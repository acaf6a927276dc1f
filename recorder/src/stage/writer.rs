//! Where the next record goes, and what readers are told of it: the writer's side of a stage, whatever memory it is in. It is
//! the same for mapped memory and for that of loom, which goes through all interleavings with a reader (`loom/`).

use trace_format::file::STAGE_BYTES;
use trace_format::record::{Commit, LAP_SHIFT, State};
use trace_format::stage_protocol::{self, Words};

/// Kept free at the end of a stage: for the mark that recording has ended, and the terminating word.
pub(super) const RESERVE: usize = 512;
// The length of a record in words is a u16 in its commit word.
const _: () = assert!(STAGE_BYTES / 8 <= u16::MAX as usize);

/// The memory of a stage, as its writer needs it.
pub trait Memory: Words {
    /// Makes the bytes between two offsets among the records zero. They lie in one word, of a record that nobody sees yet.
    fn clear(&self, from: usize, to: usize);
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

/// The records of a stage when it is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full {
    /// The number of the lap.
    pub lap: u64,
    /// CALL records in front of it.
    pub calls: u64,
    /// Bytes of its records.
    pub bytes: usize,
}

/// The writer of a stage.
#[repr(C)]
pub struct Writer<M> {
    memory: M,
    cursor: usize,
    lap: u64,
    calls: u64,
    /// CALL records in front of this lap.
    before: u64,
}

impl<M: Memory> Writer<M> {
    /// Begins the first lap, in memory that is zero.
    pub fn new(memory: M) -> Writer<M> {
        Writer { memory, cursor: 0, lap: 0, calls: 0, before: 0 }
    }

    /// The memory that it writes to.
    #[inline(always)]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Where the next record begins, in bytes behind the place of the first one.
    #[inline(always)]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// How often the stage was emptied.
    #[inline(always)]
    pub fn lap(&self) -> u64 {
        self.lap
    }

    /// CALL records that were written so far.
    #[inline(always)]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Is there room for a record of so many bytes without emptying the stage?
    #[inline(always)]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.cursor + bytes + RESERVE <= STAGE_BYTES
    }

    /// Is there room for the last record of a stage, which may take of the reserve?
    pub(super) fn has_room_for_last(&self, bytes: usize) -> bool {
        bytes + 16 <= RESERVE && self.cursor + bytes + 16 <= STAGE_BYTES
    }

    /// Commits the record that begins at the cursor and ends at `end` (unpadded), for which there was room; returns its offset.
    #[inline(always)]
    pub fn commit(&mut self, end: usize, func: u16, state: State) -> usize {
        let start = self.cursor;
        // Bytes that an earlier lap has left there would only make the trace larger.
        let padded = end.next_multiple_of(8);
        if padded != end {
            self.memory.clear(end, padded);
        }
        let words = ((padded - start) / 8) as u16;
        let commit = Commit { func, state: state as u8, words, lap: self.lap as u32 };
        stage_protocol::commit(&self.memory, start, padded, commit);
        self.cursor = padded;
        // A record behind the return of a call is another record of the same call.
        self.calls += u64::from(matches!(state, State::Entered | State::Returned));
        start
    }

    /// Commits the record of a call that has as many bytes as all of its function.
    #[inline(always)]
    pub fn commit_fixed(&mut self, fixed: &FixedRecord) {
        let (start, end) = (self.cursor, self.cursor + fixed.bytes);
        if fixed.is_padded {
            self.memory.clear(end - 4, end);
        }
        stage_protocol::commit_word(&self.memory, start, end, fixed.commit | (self.lap << LAP_SHIFT));
        self.cursor = end;
        self.calls += 1;
    }

    /// Marks the call whose record was committed at `offset`, in this lap, as returned.
    #[inline(always)]
    pub fn complete(&self, offset: usize) {
        stage_protocol::complete(&self.memory, offset);
    }

    /// Empties the stage: `append` brings what it holds to the trace. False if that failed; the stage then keeps it.
    pub fn empty(&mut self, append: impl FnOnce(&M, Full) -> bool) -> bool {
        if self.cursor == 0 {
            return true;
        }
        if !append(&self.memory, Full { lap: self.lap, calls: self.before, bytes: self.cursor }) {
            return false;
        }
        self.before = self.calls;
        self.cursor = 0;
        self.lap += 1;
        stage_protocol::begin_lap(&self.memory, self.lap, self.calls);
        true
    }
}
