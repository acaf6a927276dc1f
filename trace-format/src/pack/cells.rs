//! The memory that packing and unpacking have in common: the records that others are written as differences from.

use super::unpack::Input;
use super::{ARENA, CALL_HEAD, HEAD, MAX_CELLS, NONE, PackError};
use crate::record::{Commit, MAX_DURATION, State};

#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) key: u64,
    pub(super) start: usize,
    pub(super) len: usize,
    /// The cell of the record that followed the last time.
    pub(super) next: u16,
    /// Some word is expected to change.
    pub(super) strided: bool,
}

/// The memory that packing and unpacking have in common.
pub(super) struct Cells {
    pub(super) list: Vec<Cell>,
    pub(super) words: Vec<u64>,
    pub(super) strides: Vec<u64>,
    pub(super) last: u16,
    /// When the last record ended.
    pub(super) time: u64,
}

/// Words of a record in front of those that cells hold.
#[inline]
pub(super) fn head_of(key: u64) -> usize {
    let state = Commit::unpack(key).state;
    if state == State::Entered as u8 || state == State::Returned as u8 { CALL_HEAD } else { HEAD }
}

impl Cells {
    pub(super) fn new() -> Cells {
        Cells { list: Vec::new(), words: Vec::new(), strides: Vec::new(), last: NONE, time: 0 }
    }

    /// For one who must not allocate later.
    pub(super) fn with_room() -> Cells {
        Cells {
            list: Vec::with_capacity(MAX_CELLS),
            words: Vec::with_capacity(ARENA),
            strides: Vec::with_capacity(ARENA),
            ..Cells::new()
        }
    }

    pub(super) fn forget(&mut self) {
        self.list.clear();
        self.words.clear();
        self.strides.clear();
        self.last = NONE;
    }

    pub(super) fn has_room(&self, len: usize) -> bool {
        self.list.len() < MAX_CELLS && self.words.len() + len <= ARENA
    }

    pub(super) fn get(&self, cell: u16) -> Option<(&Cell, &[u64], &[u64])> {
        let c = self.list.get(cell as usize)?;
        let range = c.start..c.start + c.len;
        Some((c, self.words.get(range.clone())?, self.strides.get(range)?))
    }

    pub(super) fn key(&self, cell: u16) -> u64 {
        self.list.get(cell as usize).map_or(0, |c| c.key)
    }

    /// The words of a cell and their strides.
    pub(super) fn slots(&mut self, cell: u16) -> impl Iterator<Item = (&mut u64, &mut u64)> {
        let range = self.list.get(cell as usize).map_or(0..0, |c| c.start..c.start + c.len);
        let words = self.words.get_mut(range.clone()).unwrap_or_default().iter_mut();
        words.zip(self.strides.get_mut(range).unwrap_or_default())
    }

    /// The cell that came after the last one the last time.
    #[inline]
    pub(super) fn predicted(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(|c| c.next).filter(|next| *next != NONE)
    }

    /// A new cell.
    pub(super) fn add(&mut self, key: u64, words: impl Iterator<Item = u64>) -> u16 {
        let start = self.words.len();
        self.words.extend(words);
        self.strides.resize(self.words.len(), 0);
        self.list.push(Cell { key, start, len: self.words.len() - start, next: NONE, strided: false });
        (self.list.len() - 1) as u16
    }

    /// A new cell with the same words, of which no change is expected.
    pub(super) fn copy(&mut self, cell: u16) -> u16 {
        let Some(Cell { key, start, len, .. }) = self.list.get(cell as usize).copied() else { return NONE };
        let from = self.words.len();
        self.words.extend_from_within(start..start + len);
        self.strides.resize(self.words.len(), 0);
        self.list.push(Cell { key, start: from, len, next: NONE, strided: false });
        (self.list.len() - 1) as u16
    }

    /// Are these the words that the cell expects?
    #[inline]
    pub(super) fn is_as_predicted(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let Some((c, words, strides)) = self.get(cell).filter(|c| c.0.key == key) else { return false };
        if c.strided {
            let all = words.iter().zip(strides).zip(words_of(args));
            all.fold(0, |bad, ((word, stride), new)| bad | word.wrapping_add(*stride) ^ new) == 0
        } else {
            words.iter().zip(words_of(args)).fold(0, |bad, (word, new)| bad | word ^ new) == 0
        }
    }

    pub(super) fn holds(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && words.iter().copied().eq(words_of(args)))
    }

    /// A record of the same function and length, made at the same call site.
    pub(super) fn is_alike(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let first = |words: &[u64]| words.first().is_none_or(|w| *w == word_at(args, 0));
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && first(words))
    }

    /// The words change as expected.
    #[inline]
    pub(super) fn step(&mut self, cell: u16) {
        if self.list.get(cell as usize).is_some_and(|c| c.strided) {
            self.slots(cell).for_each(|(word, stride)| *word = word.wrapping_add(*stride));
        }
    }

    /// The words stay as they are, and are expected to.
    pub(super) fn stand(&mut self, cell: u16) {
        self.slots(cell).for_each(|(_, stride)| *stride = 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.strided = false);
    }

    pub(super) fn look_at_strides(&mut self, cell: u16) {
        let strided = self.slots(cell).any(|(_, stride)| *stride != 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.strided = strided);
    }

    /// Reads changes.
    pub(super) fn change(&mut self, cell: u16, input: &mut Input) -> Result<(), PackError> {
        let mut slots = self.slots(cell);
        loop {
            let skipped = input.number()?;
            for _ in 1..skipped.max(1) {
                let (word, stride) = slots.next().ok_or(input.damage())?;
                *word = word.wrapping_add(*stride);
            }
            if skipped == 0 {
                break;
            }
            let difference = unzigzag(input.number()?);
            let (word, stride) = slots.next().ok_or(input.damage())?;
            (*word, *stride) = (word.wrapping_add(difference), next_stride(*stride, difference));
        }
        slots.for_each(|(word, stride)| *word = word.wrapping_add(*stride));
        self.look_at_strides(cell);
        Ok(())
    }

    /// The record of this cell came after the last one.
    #[inline]
    pub(super) fn follow(&mut self, cell: u16) {
        if let Some(last) = self.list.get_mut(self.last as usize) {
            last.next = cell;
        }
        self.last = cell;
    }

    /// A record with these times: when the next one is expected.
    #[inline]
    pub(super) fn pass(&mut self, time: u64, head: usize, second: u64) {
        self.time = if head == CALL_HEAD { time.wrapping_add(second & MAX_DURATION) } else { time };
    }

    /// Reads the times of a record.
    pub(super) fn times(&mut self, input: &mut Input, key: u64) -> Result<(u64, u64), PackError> {
        let head = head_of(key);
        let time = self.time.wrapping_add(unzigzag(input.number()?));
        let second = if head == CALL_HEAD { input.number()? } else { 0 };
        self.pass(time, head, second);
        Ok((time, second))
    }

    /// Writes the record that a cell stands for.
    pub(super) fn write(&self, cell: u16, lap: u64, (time, second): (u64, u64), out: &mut Vec<u8>) {
        let Some((c, words, _)) = self.get(cell) else { return };
        let commit = c.key | lap << 40;
        out.extend_from_slice(&commit.to_le_bytes());
        out.extend_from_slice(&time.to_le_bytes());
        if head_of(c.key) == CALL_HEAD {
            out.extend_from_slice(&second.to_le_bytes());
        }
        words.iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
    }
}

#[inline]
pub(super) fn word_at(records: &[u8], at: usize) -> u64 {
    records.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[inline]
pub(super) fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b))
}

#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
pub(super) fn zigzag(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64 >> 63) as u64)
}

#[inline]
pub(super) fn unzigzag(value: u64) -> u64 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// The step that is expected after a word has changed by `difference`: what changes twice by the same amount will do so
/// again, and what has jumped once will not.
#[inline]
pub(super) fn next_stride(stride: u64, difference: u64) -> u64 {
    if stride == 0 { difference } else { 0 }
}
