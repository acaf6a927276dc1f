//! The layout of event records, shared by the stage (memory), the blocks of the trace file, writer and reader.
//!
//! Everything is little-endian; a record is a whole number of 8-byte words.
//!
//! ```text
//! word 0   commit word: bits 0-15 function or system kind, 16-23 state, 24-39 length in words, 40-63 lap
//! CALL     word 1 time of the call, word 2 duration (48 bits) and error class (16 bits),
//!          word 3 call site (u32) and repeated polls (u32); then the values at the call, then those at the return
//! RETURN   word 1 time of the return, word 2 index of the call in its thread, word 3 error class; then the values
//!          at the return. Used when the call's record could not be completed in place.
//! SYSTEM   word 1 time; then the payload of the kind
//! ```
//!
//! The commit word is stored last, with release order, and the word after the record is zeroed before: a reader of
//! a stage stops at a zero word or at a word of another lap.
//!
//! Values: integers and handle ids 4 bytes, addresses, large counts, requests and messages 8, statuses 16; an array
//! or string has its length as a u32 before it (bit 31: contents are in blob definition number `bits 0-30`).
//! See [`crate::plan`] for which parameters come in which order.

use crate::mpi::Status;

/// Bytes of a CALL record in front of its values: words 0 to 3.
pub const CALL_HEADER_BYTES: usize = 32;
/// Where in the header of a call it says how many more calls like it the record stands for: four bytes.
pub const COUNT_AT: usize = 28;
/// Bytes of a RETURN record in front of its values: words 0 to 3.
pub const RETURN_HEADER_BYTES: usize = 32;
/// Bytes of a SYSTEM record in front of its payload: words 0 and 1.
pub const SYSTEM_HEADER_BYTES: usize = 16;
/// Arrays and strings longer than this many bytes are blob definitions.
pub const MAX_INLINE_BYTES: usize = 4096;
/// Bit of an array's length that says that the rest is a blob number.
pub const BLOB_BIT: u32 = 1 << 31;
/// Bytes of one status in a record.
pub const STATUS_BYTES: usize = 16;

/// State of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// A call that has not returned, or whose return is a record of its own.
    Entered = 1,
    /// A call completed in place.
    Returned = 2,
    /// The return of an earlier record.
    Return = 3,
    /// Not a call, see [`SystemKind`].
    System = 4,
}

/// Kinds of system records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum SystemKind {
    /// i32 status
    Exit = 1,
    /// i32 signal, i32 code, u64 pc, u64 address, u64 caller, u32 thread (u16::MAX: none), u32 flags (1: the last, 2: by the
    /// launcher)
    Signal = 2,
    /// u64 call index, u32 class, u32 fatal, u32 length, text
    MpiError = 3,
    /// u32 length, text
    Lost = 4,
    /// u32 on
    Recording = 5,
    /// u64 call index, u32 level, u32 other thread (u32::MAX: none)
    ThreadLevel = 6,
    /// [`crate::system::Found`], by [`crate::codec`]
    Found = 7,
    /// u64 call index, [`crate::annotations::Annotation`] by [`crate::codec`]
    Annotation = 8,
    /// [`crate::system::Checksums`], by [`crate::codec`]
    Checksums = 9,
    /// [`crate::sample::Sample`], by [`crate::codec`]
    Sample = 10,
    /// [`crate::callbacks::Callback`], by [`crate::codec`]
    Callback = 11,
    /// u64 calls
    Gap = 12,
    /// [`crate::touched::Touched`], by [`crate::codec`]
    Touched = 13,
    /// [`crate::watched::Watched`], by [`crate::codec`]
    Watched = 14,
    /// [`crate::definition::Definition`] of an object, by [`crate::codec`]: between the call that has made it and its return
    Definition = 15,
}

/// The fields of a commit word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// Number of the function ([`crate::mpi::FnId::index`]), or a [`SystemKind`].
    pub func: u16,
    /// A [`State`] as its number; a damaged file may have any.
    pub state: u8,
    /// Length of the whole record in 8-byte words.
    pub words: u16,
    /// Low 24 bits of the stage's lap.
    pub lap: u32,
}

/// Laps are kept modulo 2^24 in commit words.
pub const LAP_MASK: u32 = (1 << 24) - 1;
/// Above this bit they are all there is.
pub const LAP_SHIFT: u32 = 40;

impl Commit {
    /// Returns the commit word.
    #[inline]
    pub const fn pack(self) -> u64 {
        let lap = ((self.lap & LAP_MASK) as u64) << LAP_SHIFT;
        self.func as u64 | (self.state as u64) << 16 | (self.words as u64) << 24 | lap
    }

    /// Returns the fields of a commit word; any word has some.
    #[inline]
    pub const fn unpack(word: u64) -> Commit {
        Commit {
            func: word as u16,
            state: (word >> 16) as u8,
            words: (word >> 24) as u16,
            lap: (word >> LAP_SHIFT) as u32 & LAP_MASK,
        }
    }
}

/// Longest duration that a record holds, in ticks.
pub const MAX_DURATION: u64 = (1 << 48) - 1;

/// Word 2 of a CALL record.
#[inline]
pub const fn pack_duration(ticks: u64, error_class: u16) -> u64 {
    let ticks = if ticks > MAX_DURATION { MAX_DURATION } else { ticks };
    ticks | (error_class as u64) << 48
}

const CANCELLED: u64 = 1 << 62;
const NO_BYTES: u64 = (1 << 62) - 1;

/// A status as it stands in a record.
#[inline]
pub fn pack_status(status: Status) -> [u8; STATUS_BYTES] {
    let word = status.bytes.unwrap_or(NO_BYTES) & NO_BYTES | if status.cancelled { CANCELLED } else { 0 };
    let envelope = u64::from(status.source as u32) | u64::from(status.tag as u32) << 32;
    (u128::from(envelope) | u128::from(word) << 64).to_le_bytes()
}

/// The inverse of [`pack_status`].
pub fn unpack_status(bytes: &[u8; STATUS_BYTES]) -> Status {
    let source = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let tag = i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8..16]);
    let word = u64::from_le_bytes(word);
    let count = word & NO_BYTES;
    Status { source, tag, bytes: (count != NO_BYTES).then_some(count), cancelled: word & CANCELLED != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_reversible() {
        let c = Commit { func: 700, state: State::Returned as u8, words: 65535, lap: 0xabcdef };
        assert_eq!(Commit::unpack(c.pack()), c);
        for status in [
            Status { source: -2, tag: -1, bytes: Some(0), cancelled: false },
            Status { source: 3, tag: 7, bytes: Some(1 << 40), cancelled: true },
            Status { source: 3, tag: 7, bytes: None, cancelled: false },
        ] {
            assert_eq!(unpack_status(&pack_status(status)), status);
        }
    }
}
