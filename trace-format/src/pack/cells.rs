//! The memory that packing and unpacking have in common: earlier records, from which others are written as differences.

use super::bytes::{head_of, word_at, words_of};
use super::{ARENA, CALL_HEAD, MAX_CELLS, MAX_CHAIN, NONE};
use crate::record::MAX_DURATION;
use crate::room::make_room;
use std::ops::Range;

/// No key: these have 40 bits.
const CHANGES: u64 = u64::MAX;

/// Words that have changed so often as expected are expected to do so at another place of the program, too.
const FEW: u8 = 3;

/// The last record that a number of packed blocks stands for, and expectations of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Commit word of the record without the lap ([`super::KEY`]).
    pub key: u64,
    /// Place of its first word in [`Cells::words`], and of its first stride in [`Cells::strides`].
    pub start: u32,
    /// Number of its words: those of the record behind its head ([`super::bytes::head_of`]).
    pub len: u32,
    /// The last two cells that followed: the body of a loop and what comes behind it, say.
    next: [u16; 2],
    /// Which of them followed last.
    current: u8,
    /// How often in a row it followed.
    pub run: u32,
    /// How often in a row each of them followed before the other came.
    runs: [u32; 2],
    /// The cell that should follow; [`NONE`] if that is not known. It is the one that followed last, unless that has come as
    /// often in a row as it did before the other one followed.
    expected: u16,
    /// While `run` is less, nothing but `run` changes when the expected cell follows.
    pub steady_below: u32,
    /// Some word is expected to change.
    strided: bool,
    /// The key of calls whose words are expected to stay; else [`CHANGES`].
    steady: u64,
    /// How often its words changed as expected.
    steps: u8,
    /// So many cells of one call site in a row were made, each from the one before.
    pub chain: u8,
    /// When the record is expected to begin, after the end of the one before it, and of a call its word 2.
    pub gap: u64,
    /// Word 2 that is expected of a call: its duration in ticks, with the error class in the upper 16 bits.
    pub second: u64,
}

impl Cell {
    fn new(key: u64, start: u32, len: u32, (gap, second): (u64, u64)) -> Cell {
        let (next, current, run, runs, expected, steady_below) = ([NONE; 2], 0, 0, [0; 2], NONE, 0);
        let (strided, steps, chain) = (false, 0, 0);
        let mut cell = Cell {
            key,
            start,
            len,
            next,
            current,
            run,
            runs,
            expected,
            steady_below,
            strided,
            steady: CHANGES,
            steps,
            chain,
            gap,
            second,
        };
        cell.set_strided(false);
        cell
    }

    #[inline]
    fn set_strided(&mut self, strided: bool) {
        self.strided = strided;
        self.steady = if strided || head_of(self.key) != CALL_HEAD { CHANGES } else { self.key };
    }

    /// The places of its words, and of their strides.
    #[inline(always)]
    fn words(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.len as usize
    }

    /// Is it equal to this one, but for its run and the fields that only packing needs?
    pub fn is_as(&self, other: &Cell) -> bool {
        *self == Cell { run: self.run, steps: self.steps, ..*other }
    }

    /// The cell that may follow instead of the expected one.
    #[inline]
    fn alternative(&self) -> u16 {
        let [zero, one] = self.next;
        if self.expected == zero { one } else { zero }
    }

    #[inline(always)]
    fn followed_by(&mut self, cell: u16) {
        if cell == self.expected {
            self.followed_as_expected();
        } else {
            self.look_ahead(cell);
        }
    }

    #[inline(always)]
    fn followed_as_expected(&mut self) {
        if self.run < self.steady_below {
            self.run += 1;
        } else {
            self.look_ahead(self.expected);
        }
    }

    #[inline(never)]
    fn look_ahead(&mut self, cell: u16) {
        let current = usize::from(self.current) & 1;
        if cell == self.next[current] || self.next[current] == NONE {
            (self.next[current], self.run) = (cell, self.run.saturating_add(1));
            return self.foresee();
        }
        self.runs[current] = self.run;
        let other = 1 - current;
        if cell != self.next[other] {
            (self.next[other], self.runs[other]) = (cell, 0);
        }
        (self.current, self.run) = (other as u8, 1);
        self.foresee();
    }

    fn foresee(&mut self) {
        let current = usize::from(self.current) & 1;
        let (same, other) = (self.next[current], self.next[1 - current]);
        let limit = if other == NONE { 0 } else { self.runs[current] };
        (self.expected, self.steady_below) = match limit.checked_sub(self.run) {
            Some(0) => (other, 0),
            Some(_) => (same, limit - 1),
            None => (same, u32::MAX),
        };
    }
}

/// The memory that packing and unpacking have in common.
pub struct Cells {
    /// The cells by number, at most [`MAX_CELLS`].
    pub list: Vec<Cell>,
    /// Words of all cells, one cell behind the other.
    pub words: Vec<u64>,
    /// The step by which each of `words` changed last (wrapping), at the same places.
    pub strides: Vec<u64>,
    /// Cell of the last record; [`NONE`] before the first.
    pub last: u16,
    /// When the last record ended.
    pub time: u64,
}

/// Cells one after the other, of calls that come as expected. The fields that each call needs are at hand, and are written back
/// at the end.
pub struct Calls<'a> {
    list: &'a mut [Cell],
    words: &'a [u64],
    last: u16,
    /// As [`Cells::time`].
    pub time: u64,
    end: (&'a mut u16, &'a mut u64),
}

impl<'a> Calls<'a> {
    /// The words of the cell that should come next, and that cell, if it stands for calls with this commit word whose words stay
    /// as they are.
    #[inline(always)]
    pub fn next(&self, key: u64) -> Option<(&'a [u64], u16)> {
        let next = self.list.get(usize::from(self.last))?.expected;
        let cell = self.list.get(usize::from(next)).filter(|c| c.steady == key)?;
        Some((self.words.get(cell.words())?, next))
    }

    /// The expected call has come, and ended at this time.
    #[inline(always)]
    pub fn follow(&mut self, next: u16, ended: u64) {
        self.list.get_mut(usize::from(self.last)).into_iter().for_each(Cell::followed_as_expected);
        (self.last, self.time) = (next, ended);
    }

    /// Writes the last cell and its time back to the [`Cells`].
    #[inline(always)]
    pub fn end(self) {
        (*self.end.0, *self.end.1) = (self.last, self.time);
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells { list: Vec::new(), words: Vec::new(), strides: Vec::new(), last: NONE, time: 0 }
    }
}

impl Cells {
    /// Cells that never allocate later.
    pub fn with_room() -> Cells {
        Cells {
            list: Vec::with_capacity(MAX_CELLS),
            words: Vec::with_capacity(ARENA),
            strides: Vec::with_capacity(ARENA),
            ..Cells::default()
        }
    }

    /// Forgets all cells; the room stays allocated.
    pub fn forget(&mut self) {
        self.list.clear();
        self.words.clear();
        self.strides.clear();
        self.last = NONE;
    }

    /// Is there room for one more cell, of `len` words?
    pub fn has_room(&self, len: usize) -> bool {
        self.list.len() < MAX_CELLS && self.words.len() + len <= ARENA
    }

    /// Returns a cell, its words and their strides; `None` if there is no such cell.
    #[inline(always)]
    pub fn get(&self, cell: u16) -> Option<(&Cell, &[u64], &[u64])> {
        let c = self.list.get(cell as usize)?;
        let range = c.words();
        Some((c, self.words.get(range.clone())?, self.strides.get(range)?))
    }

    /// Returns the key of a cell; 0 if there is no such cell.
    #[inline]
    pub fn key(&self, cell: u16) -> u64 {
        self.list.get(cell as usize).map_or(0, |c| c.key)
    }

    /// The words of a cell and their strides.
    pub fn slots(&mut self, cell: u16) -> impl Iterator<Item = (&mut u64, &mut u64)> {
        let range = self.list.get(cell as usize).map_or(0..0, Cell::words);
        let words = self.words.get_mut(range.clone()).unwrap_or_default().iter_mut();
        words.zip(self.strides.get_mut(range).unwrap_or_default())
    }

    /// The cell that should come after the last one.
    #[inline]
    pub fn predicted(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(|c| c.expected).filter(|next| *next != NONE)
    }

    /// Goes through calls that come as expected, one after the other.
    #[inline(always)]
    pub fn calls(&mut self) -> Calls<'_> {
        let Cells { list, words, last, time, .. } = self;
        Calls { list, words, last: *last, time: *time, end: (last, time) }
    }

    /// The cell that may come instead.
    #[inline]
    pub fn alternative(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(Cell::alternative).filter(|next| *next != NONE)
    }

    /// A new cell. `times`: the times that are expected of it.
    pub fn add(&mut self, key: u64, words: impl Iterator<Item = u64>, times: (u64, u64)) -> u16 {
        let start = self.words.len();
        make_room(&mut self.words, words.size_hint().0);
        self.words.extend(words);
        self.add_strides();
        make_room(&mut self.list, 1);
        self.list.push(Cell::new(key, start as u32, (self.words.len() - start) as u32, times));
        (self.list.len() - 1) as u16
    }

    /// New words have no strides.
    fn add_strides(&mut self) {
        let more = self.words.len() - self.strides.len();
        make_room(&mut self.strides, more);
        self.strides.resize(self.words.len(), 0);
    }

    /// A new cell with the same words, of which no change is expected.
    pub fn copy(&mut self, cell: u16, times: (u64, u64)) -> u16 {
        let Some(old) = self.list.get(cell as usize).copied() else { return NONE };
        let from = self.words.len();
        make_room(&mut self.words, old.len as usize);
        self.words.extend_from_within(old.words());
        self.add_strides();
        make_room(&mut self.list, 1);
        let chain = if cell == self.last { old.chain.saturating_add(1) } else { 0 };
        self.list.push(Cell { chain, ..Cell::new(old.key, from as u32, old.len, times) });
        (self.list.len() - 1) as u16
    }

    /// Are these the words that the cell expects?
    #[inline]
    pub fn is_as_predicted(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let Some((c, words, strides)) = self.get(cell).filter(|c| c.0.key == key) else { return false };
        if c.strided {
            let all = words.iter().zip(strides).zip(words_of(args));
            all.fold(0, |bad, ((word, stride), new)| bad | word.wrapping_add(*stride) ^ new) == 0
        } else {
            words.iter().zip(words_of(args)).fold(0, |bad, (word, new)| bad | word ^ new) == 0
        }
    }

    /// Does the cell hold a record with this key and these words, without regard to its strides?
    pub fn holds(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && words.iter().copied().eq(words_of(args)))
    }

    /// Are these the words that the cell held before they changed last?
    pub fn has_swung_back(&self, cell: u16, args: &[u8]) -> bool {
        let before = |words: &[u64], strides: &[u64]| {
            words.iter().zip(strides).map(|(word, stride)| word.wrapping_sub(*stride)).eq(words_of(args))
        };
        self.get(cell).is_some_and(|(c, words, strides)| c.strided && before(words, strides))
    }

    /// A record of the same function and length, made at the same call site. Records that are no calls have no site:
    /// in a loop each may be of another object.
    pub fn is_alike(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let first = |words: &[u64]| words.first().is_none_or(|w| *w == word_at(args, 0)) || head_of(key) != CALL_HEAD;
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && first(words))
    }

    /// Are these the words that a cell expects whose words have changed as expected for a while?
    pub fn is_on_its_way(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        self.list.get(cell as usize).is_some_and(|c| c.strided && c.steps >= FEW)
            && self.is_as_predicted(cell, key, args)
    }

    /// Is it the last of the cells in a row that a call site may have?
    pub fn is_end_of_chain(&self, cell: u16) -> bool {
        self.list.get(cell as usize).is_some_and(|c| c.chain >= MAX_CHAIN)
    }

    /// The words change as expected. False if they are expected to stay.
    #[inline]
    pub fn step(&mut self, cell: u16) -> bool {
        let Some(c) = self.list.get_mut(cell as usize).filter(|c| c.strided) else { return false };
        c.steps = c.steps.saturating_add(1);
        let range = c.words();
        if let (Some(words), Some(strides)) = (self.words.get_mut(range.clone()), self.strides.get(range)) {
            for i in 0..words.len().min(strides.len()) {
                words[i] = words[i].wrapping_add(strides[i]);
            }
        }
        true
    }

    /// The words stay as they are, and are expected to.
    #[inline]
    pub fn stand(&mut self, cell: u16) {
        // Mostly they stood already.
        if !self.list.get(cell as usize).is_some_and(|c| c.strided) {
            return;
        }
        self.slots(cell).for_each(|(_, stride)| *stride = 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.set_strided(false));
    }

    /// Expects the words of a cell to change if one of its strides is not 0.
    pub fn look_at_strides(&mut self, cell: u16) {
        let strided = self.slots(cell).any(|(_, stride)| *stride != 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.set_strided(strided));
    }

    /// The words of a cell and their strides, in equal number; [`Cells::changed`] must follow.
    #[inline]
    pub fn words_mut(&mut self, cell: u16) -> Option<(&mut [u64], &mut [u64])> {
        let c = self.list.get(usize::from(cell))?;
        let range = c.words();
        Some((self.words.get_mut(range.clone())?, self.strides.get_mut(range)?))
    }

    /// The words of a cell have other strides. `strided`: some word is expected to change.
    #[inline]
    pub fn changed(&mut self, cell: u16, strided: bool) {
        self.list.get_mut(usize::from(cell)).into_iter().for_each(|c| c.set_strided(strided));
    }

    /// The record of this cell came after the last one.
    #[inline]
    pub fn follow(&mut self, cell: u16) {
        if let Some(last) = self.list.get_mut(self.last as usize) {
            last.followed_by(cell);
        }
        self.last = cell;
    }

    /// The expected cell has followed this one so many times more.
    pub fn has_been_followed(&mut self, cell: u16, times: u32) {
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.run += times);
    }

    /// Moves the time on to the end of a record with these times: the next one is counted from there.
    #[inline]
    pub fn pass(&mut self, time: u64, head: usize, second: u64) {
        self.time = if head == CALL_HEAD { time.wrapping_add(second & MAX_DURATION) } else { time };
    }

    /// The times of a record that begins and goes on like this after the one before it.
    #[inline]
    pub fn times_after(&mut self, key: u64, (gap, second): (u64, u64)) -> (u64, u64) {
        let time = self.time.wrapping_add(gap);
        self.pass(time, head_of(key), second);
        (time, second)
    }

    /// When the record of a cell is expected.
    #[inline]
    pub fn expected_times(&self, cell: u16) -> (u64, u64) {
        self.list.get(cell as usize).map_or((0, 0), |c| (c.gap, c.second))
    }

    /// Sets the times at which the next record of a cell is expected, as [`Cells::expected_times`] returns them.
    pub fn expect_times(&mut self, cell: u16, times: (u64, u64)) {
        self.list.get_mut(cell as usize).into_iter().for_each(|c| (c.gap, c.second) = times);
    }
}

/// The step that is expected after a word has changed by `difference`, which was not expected: the same again, unless it
/// jumped back, to where a loop began.
#[inline]
pub fn next_stride(stride: u64, difference: u64) -> u64 {
    let (before, now) = (stride as i64, difference as i64);
    let is_back = (before ^ now) < 0 && now.unsigned_abs() > before.unsigned_abs();
    if is_back && before != 0 { stride } else { difference }
}
