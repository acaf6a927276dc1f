//! The stage between the thread that writes it and whoever reads it meanwhile: which word is stored and loaded when. It
//! knows nothing of mappings, so that `loom/` can go through all interleavings of it.
//!
//! - A record is there when its commit word is. The word behind it was zeroed before: it may have been part of anything.
//! - A lap is over when its records are in the file. Its number is raised before the first of them is overwritten; who has
//!   copied a record and finds the number as it was has not copied remains of two laps.

use crate::file::{STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_RECORDS_OFFSET};
use crate::record::{Commit, LAP_MASK, State};
use std::sync::atomic::Ordering;

/// The words of a stage as its writer has them, by their offsets in bytes.
pub trait Words {
    /// A word that only this thread writes.
    fn own(&self, at: usize) -> u64;
    /// Stores a word with the given order: `Relaxed` or `Release`.
    fn store(&self, at: usize, value: u64, order: Ordering);
    /// Does what [`std::sync::atomic::fence`] does.
    fn fence(&self, order: Ordering);
}

/// The words of a stage as a reader has them. Nothing of what is asked for needs to be there.
pub trait Source {
    /// Loads a word with the given order; `None` if it is not there.
    fn load(&self, at: usize, order: Ordering) -> Option<u64>;
    /// Copies bytes that may change meanwhile. False if they are not there.
    fn copy(&self, at: usize, bytes: usize, out: &mut Vec<u8>) -> bool;
    /// Does what [`std::sync::atomic::fence`] does.
    fn fence(&self, order: Ordering);
}

/// Makes the record from `start` to `end` one that readers see. Both are offsets among the records.
#[inline(always)]
pub fn commit(words: &impl Words, start: usize, end: usize, commit: Commit) {
    commit_word(words, start, end, commit.pack());
}

/// The commit of a record by its commit word as it is stored.
#[inline(always)]
pub fn commit_word(words: &impl Words, start: usize, end: usize, commit: u64) {
    // The terminator first: a reader must not run into the remains of an earlier lap.
    words.store(STAGE_HEADER_BYTES + end, 0, Ordering::Relaxed);
    words.store(STAGE_HEADER_BYTES + start, commit, Ordering::Release);
}

/// Says that the call whose record is at `start` has returned, and that its results are in the record.
#[inline(always)]
pub fn complete(words: &impl Words, start: usize) {
    let mut commit = Commit::unpack(words.own(STAGE_HEADER_BYTES + start));
    commit.state = State::Returned as u8;
    words.store(STAGE_HEADER_BYTES + start, commit.pack(), Ordering::Release);
}

/// Begins lap `lap`: all records of the one before are in the file, in which there are `calls` CALL records now.
pub fn begin_lap(words: &impl Words, lap: u64, calls: u64) {
    words.store(STAGE_RECORDS_OFFSET, calls, Ordering::Relaxed);
    words.store(STAGE_HEADER_BYTES, 0, Ordering::Relaxed);
    words.store(STAGE_LAP_OFFSET, lap, Ordering::Release);
    // A reader that does not see the new number must not see what the thread stores from now on.
    words.fence(Ordering::Release);
}

/// The lap that the stage is in.
pub fn lap(source: &impl Source) -> u64 {
    source.load(STAGE_LAP_OFFSET, Ordering::Acquire).unwrap_or(0)
}

/// Copies the record at `offset` of lap `lap` into `out`. False if there is none (yet), or if the stage went on to the next
/// lap meanwhile.
pub fn copy_record(source: &impl Source, offset: usize, lap: u64, out: &mut Vec<u8>) -> bool {
    let at = STAGE_HEADER_BYTES.saturating_add(offset);
    let Some(value) = source.load(at, Ordering::Acquire) else { return false };
    let commit = Commit::unpack(value);
    let bytes = commit.words as usize * 8;
    if value == 0 || commit.lap != (lap as u32 & LAP_MASK) || bytes < 16 {
        return false;
    }
    out.clear();
    if !source.copy(at, bytes, out) {
        return false;
    }
    // The commit word decides which parts of the record are valid, so it must not be newer than the bytes.
    if let Some(first) = out.first_chunk_mut() {
        *first = value.to_le_bytes();
    }
    source.fence(Ordering::Acquire);
    self::lap(source) == lap
}
