//! Words of records, and the numbers of packed blocks.

use super::{CALL_HEAD, HEAD};
use crate::record::{Commit, State};

/// Words of a record in front of those that cells hold.
#[inline]
pub fn head_of(key: u64) -> usize {
    let state = Commit::unpack(key).state;
    if state == State::Entered as u8 || state == State::Returned as u8 { CALL_HEAD } else { HEAD }
}

/// Returns the little-endian word at byte `at`; 0 where the records end before it does.
#[inline]
pub fn word_at(records: &[u8], at: usize) -> u64 {
    records.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Returns the whole little-endian words of `bytes`; up to seven bytes at the end are left out.
#[inline]
pub fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b))
}

/// Appends a number as LEB128: seven bits a byte, the lowest first, bit 7 set on all bytes but the last.
#[inline]
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The most bytes that a number takes.
pub const LONGEST: usize = 10;

/// Writes a token and two numbers to `at`, as [`put`] does, but quicker for numbers of one or two bytes. Returns where they end;
/// up to a word behind that may be overwritten.
#[inline(always)]
pub fn put_token(out: &mut [u8], at: usize, token: u8, (first, second): (u64, u64)) -> usize {
    let Some(place) = out.get_mut(at..).and_then(|out| out.first_chunk_mut::<8>()) else { return at };
    if (first | second) >> 14 != 0 {
        place[0] = token;
        let at = put_long(out, at + 1, first);
        return put_long(out, at, second);
    }
    // Both at once: the seven bits of each byte, then in each number the mark of a second byte.
    let both = first | second << 16;
    let upper = both & 0x3f80_3f80;
    let marks = (upper + 0x7f80_7f80) & 0x8000_8000;
    let bytes = both & 0x007f_007f | upper << 1 | marks >> 8;
    let (more_of_first, more_of_second) = (marks >> 15 & 1, marks >> 31);
    let numbers = bytes & 0xffff | bytes >> 16 << (8 + 8 * more_of_first);
    *place = (u64::from(token) | numbers << 8).to_le_bytes();
    at + 3 + (more_of_first + more_of_second) as usize
}

#[cold]
#[inline(never)]
fn put_long(out: &mut [u8], mut at: usize, mut value: u64) -> usize {
    for place in out.iter_mut().skip(at).take(LONGEST) {
        at += 1;
        *place = value as u8 & 0x7f | if value >= 0x80 { 0x80 } else { 0 };
        value >>= 7;
        if value == 0 {
            break;
        }
    }
    at
}

/// Maps a difference, a signed number in two's complement, to a small number if it is near 0: 0, -1, 1, -2 to 0, 1, 2, 3.
#[inline]
pub fn zigzag(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64 >> 63) as u64)
}

/// Returns the difference that [`zigzag`] has mapped to `value`.
#[inline]
pub fn unzigzag(value: u64) -> u64 {
    value >> 1 ^ (value & 1).wrapping_neg()
}
