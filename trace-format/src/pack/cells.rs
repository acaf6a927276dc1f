//! The memory that packing and unpacking have in common: the records that others are written as differences from.

use super::unpack::Input;
use super::{ARENA, CALL_HEAD, HEAD, MAX_CELLS, MAX_CHAIN, NONE, PackError};
use crate::record::{Commit, MAX_DURATION, State};

/// No key: these have 40 bits.
const CHANGES: u64 = u64::MAX;

/// So often words must have changed as expected, to be expected to at another place of the program, too.
const FEW: u8 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) key: u64,
    pub(super) start: usize,
    pub(super) len: usize,
    /// The last two cells that followed: the body of a loop and what comes behind it, say.
    next: [u16; 2],
    /// Which of them followed last, how often in a row, and how often in a row each did before the other came.
    current: u8,
    pub(super) run: u32,
    runs: [u32; 2],
    /// What should follow; [`NONE`] if that is not known. The same as the last time, unless it came as often as it did before
    /// the other followed.
    expected: u16,
    /// While `run` is less, nothing but `run` changes when it follows.
    pub(super) steady_below: u32,
    /// Some word is expected to change.
    strided: bool,
    /// The key of calls whose words are expected to stay; else [`CHANGES`].
    steady: u64,
    /// How often its words changed as expected.
    steps: u8,
    /// So many cells of one call site in a row were made, each from the one before.
    pub(super) chain: u8,
    /// When the record is expected to begin, after the end of the one before it, and of a call its word 2.
    pub(super) gap: u64,
    pub(super) second: u64,
}

impl Cell {
    fn new(key: u64, start: usize, len: usize, (gap, second): (u64, u64)) -> Cell {
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

    /// Is it as this one, but for its run and what only packing asks for?
    pub(super) fn is_as(&self, other: &Cell) -> bool {
        *self == Cell { run: self.run, steps: self.steps, ..*other }
    }

    /// What may follow instead of what is expected.
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
pub(super) struct Cells {
    pub(super) list: Vec<Cell>,
    pub(super) words: Vec<u64>,
    pub(super) strides: Vec<u64>,
    pub(super) last: u16,
    /// When the last record ended.
    pub(super) time: u64,
}

/// Cells one after the other, of calls that come as expected. What is asked of each call is at hand, and is written back at
/// the end.
pub(super) struct Calls<'a> {
    list: &'a mut [Cell],
    words: &'a [u64],
    last: u16,
    /// As [`Cells::time`].
    pub(super) time: u64,
    end: (&'a mut u16, &'a mut u64),
}

impl<'a> Calls<'a> {
    /// The words of the cell that should come next, and that cell, if it is of calls with this commit word whose words stay as
    /// they are.
    #[inline(always)]
    pub(super) fn next(&self, key: u64) -> Option<(&'a [u64], u16)> {
        let next = self.list.get(usize::from(self.last))?.expected;
        let cell = self.list.get(usize::from(next)).filter(|c| c.steady == key)?;
        Some((self.words.get(cell.start..)?.get(..cell.len)?, next))
    }

    /// It did come, and ended then.
    #[inline(always)]
    pub(super) fn follow(&mut self, next: u16, ended: u64) {
        self.list.get_mut(usize::from(self.last)).into_iter().for_each(Cell::followed_as_expected);
        (self.last, self.time) = (next, ended);
    }

    #[inline(always)]
    pub(super) fn end(self) {
        (*self.end.0, *self.end.1) = (self.last, self.time);
    }
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

    #[inline(always)]
    pub(super) fn get(&self, cell: u16) -> Option<(&Cell, &[u64], &[u64])> {
        let c = self.list.get(cell as usize)?;
        let range = c.start..c.start + c.len;
        Some((c, self.words.get(range.clone())?, self.strides.get(range)?))
    }

    #[inline]
    pub(super) fn key(&self, cell: u16) -> u64 {
        self.list.get(cell as usize).map_or(0, |c| c.key)
    }

    /// The words of a cell and their strides.
    pub(super) fn slots(&mut self, cell: u16) -> impl Iterator<Item = (&mut u64, &mut u64)> {
        let range = self.list.get(cell as usize).map_or(0..0, |c| c.start..c.start + c.len);
        let words = self.words.get_mut(range.clone()).unwrap_or_default().iter_mut();
        words.zip(self.strides.get_mut(range).unwrap_or_default())
    }

    /// The cell that should come after the last one.
    #[inline]
    pub(super) fn predicted(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(|c| c.expected).filter(|next| *next != NONE)
    }

    /// For calls that come as expected, one after the other.
    #[inline(always)]
    pub(super) fn calls(&mut self) -> Calls<'_> {
        let Cells { list, words, last, time, .. } = self;
        Calls { list, words, last: *last, time: *time, end: (last, time) }
    }

    /// The cell that may come instead.
    #[inline]
    pub(super) fn alternative(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(Cell::alternative).filter(|next| *next != NONE)
    }

    /// A new cell. `times`: when it is expected the next time.
    pub(super) fn add(&mut self, key: u64, words: impl Iterator<Item = u64>, times: (u64, u64)) -> u16 {
        let start = self.words.len();
        self.words.extend(words);
        self.strides.resize(self.words.len(), 0);
        self.list.push(Cell::new(key, start, self.words.len() - start, times));
        (self.list.len() - 1) as u16
    }

    /// A new cell with the same words, of which no change is expected.
    pub(super) fn copy(&mut self, cell: u16, times: (u64, u64)) -> u16 {
        let Some(Cell { key, start, len, chain, .. }) = self.list.get(cell as usize).copied() else { return NONE };
        let from = self.words.len();
        self.words.extend_from_within(start..start + len);
        self.strides.resize(self.words.len(), 0);
        let chain = if cell == self.last { chain.saturating_add(1) } else { 0 };
        self.list.push(Cell { chain, ..Cell::new(key, from, len, times) });
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

    /// Are these the words that the cell held before they changed last?
    pub(super) fn has_swung_back(&self, cell: u16, args: &[u8]) -> bool {
        let before = |words: &[u64], strides: &[u64]| {
            words.iter().zip(strides).map(|(word, stride)| word.wrapping_sub(*stride)).eq(words_of(args))
        };
        self.get(cell).is_some_and(|(c, words, strides)| c.strided && before(words, strides))
    }

    /// A record of the same function and length, made at the same call site.
    pub(super) fn is_alike(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let first = |words: &[u64]| words.first().is_none_or(|w| *w == word_at(args, 0));
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && first(words))
    }

    /// Are these the words that a cell expects whose words have changed as expected for a while?
    pub(super) fn is_on_its_way(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        self.list.get(cell as usize).is_some_and(|c| c.strided && c.steps >= FEW)
            && self.is_as_predicted(cell, key, args)
    }

    /// Is it one of so many cells of its call site in a row that there will be no more?
    pub(super) fn is_end_of_chain(&self, cell: u16) -> bool {
        self.list.get(cell as usize).is_some_and(|c| c.chain >= MAX_CHAIN)
    }

    /// The words change as expected. False if they are expected to stay.
    #[inline]
    pub(super) fn step(&mut self, cell: u16) -> bool {
        let Some(c) = self.list.get_mut(cell as usize).filter(|c| c.strided) else { return false };
        c.steps = c.steps.saturating_add(1);
        let range = c.start..c.start + c.len;
        if let (Some(words), Some(strides)) = (self.words.get_mut(range.clone()), self.strides.get(range)) {
            for i in 0..words.len().min(strides.len()) {
                words[i] = words[i].wrapping_add(strides[i]);
            }
        }
        true
    }

    /// The words stay as they are, and are expected to.
    #[inline]
    pub(super) fn stand(&mut self, cell: u16) {
        // Mostly they stood already.
        if !self.list.get(cell as usize).is_some_and(|c| c.strided) {
            return;
        }
        self.slots(cell).for_each(|(_, stride)| *stride = 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.set_strided(false));
    }

    pub(super) fn look_at_strides(&mut self, cell: u16) {
        let strided = self.slots(cell).any(|(_, stride)| *stride != 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.set_strided(strided));
    }

    /// Reads changes.
    pub(super) fn change(&mut self, cell: u16, input: &mut Input) -> Result<(), PackError> {
        let Some(c) = self.list.get_mut(cell as usize) else { return Err(input.damage()) };
        let (words, strides) = (self.words.get_mut(c.start..), self.strides.get_mut(c.start..));
        let (Some(words), Some(strides)) = (words, strides) else { return Err(input.damage()) };
        let all = c.len.min(words.len()).min(strides.len());
        let (words, strides) = (&mut words[..all], &mut strides[..all]);
        let mut next = 0usize;
        loop {
            let skipped = input.number()?;
            let to = next.saturating_add(skipped.saturating_sub(1).try_into().unwrap_or(usize::MAX));
            if to > all {
                return Err(input.damage());
            }
            for i in next..to {
                words[i] = words[i].wrapping_add(strides[i]);
            }
            next = to;
            if skipped == 0 {
                break;
            }
            let difference = unzigzag(input.number()?);
            let (Some(word), Some(stride)) = (words.get_mut(next), strides.get_mut(next)) else {
                return Err(input.damage());
            };
            (*word, *stride) = (word.wrapping_add(difference), next_stride(*stride, difference));
            next += 1;
        }
        let mut any = 0;
        for i in next..all {
            words[i] = words[i].wrapping_add(strides[i]);
        }
        for stride in strides {
            any |= *stride;
        }
        c.set_strided(any != 0);
        Ok(())
    }

    /// The record of this cell came after the last one.
    #[inline]
    pub(super) fn follow(&mut self, cell: u16) {
        if let Some(last) = self.list.get_mut(self.last as usize) {
            last.followed_by(cell);
        }
        self.last = cell;
    }

    /// What is expected behind this cell came so often.
    pub(super) fn has_been_followed(&mut self, cell: u16, times: u32) {
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.run += times);
    }

    /// A record with these times: when the next one is expected.
    #[inline]
    pub(super) fn pass(&mut self, time: u64, head: usize, second: u64) {
        self.time = if head == CALL_HEAD { time.wrapping_add(second & MAX_DURATION) } else { time };
    }

    /// The times of a record that begins and goes on like this after the one before it.
    #[inline]
    pub(super) fn times_after(&mut self, key: u64, (gap, second): (u64, u64)) -> (u64, u64) {
        let time = self.time.wrapping_add(gap);
        self.pass(time, head_of(key), second);
        (time, second)
    }

    /// Reads when a record begins after the one before it, and of a call its word 2.
    #[inline]
    pub(super) fn gap(input: &mut Input, key: u64) -> Result<(u64, u64), PackError> {
        let gap = unzigzag(input.number()?);
        Ok((gap, if head_of(key) == CALL_HEAD { input.number()? } else { 0 }))
    }

    /// When the record of a cell is expected.
    #[inline]
    pub(super) fn expected_times(&self, cell: u16) -> (u64, u64) {
        self.list.get(cell as usize).map_or((0, 0), |c| (c.gap, c.second))
    }

    pub(super) fn expect_times(&mut self, cell: u16, times: (u64, u64)) {
        self.list.get_mut(cell as usize).into_iter().for_each(|c| (c.gap, c.second) = times);
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

/// The most bytes that a number takes.
pub(super) const LONGEST: usize = 10;

/// As [`put`], a token and two numbers, to `at`, and quicker for numbers of one or two bytes. Where they end; so many more
/// bytes may be overwritten as there are in a word.
#[inline(always)]
pub(super) fn put_token(out: &mut [u8], at: usize, token: u8, (first, second): (u64, u64)) -> usize {
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

#[inline]
pub(super) fn zigzag(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64 >> 63) as u64)
}

#[inline]
pub(super) fn unzigzag(value: u64) -> u64 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// The step that is expected after a word has changed by `difference`, which was not expected: the same again, unless it
/// jumped back, to where a loop began.
#[inline]
pub(super) fn next_stride(stride: u64, difference: u64) -> u64 {
    let (before, now) = (stride as i64, difference as i64);
    let is_back = (before ^ now) < 0 && now.unsigned_abs() > before.unsigned_abs();
    if is_back && before != 0 { stride } else { difference }
}
