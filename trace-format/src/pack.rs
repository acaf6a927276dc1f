//! Makes the records of a block small. A program repeats itself: most records are what they were the last time at the
//! same place of a loop, but for their times. So a record is written as its difference from an earlier one of the block,
//! which mostly is the one that came next the last time.
//!
//! ```text
//! u32  bytes of the records, then a token for each:
//! 0    the predicted cell, each word as predicted (its last value and its last step)
//! 1    the predicted cell with changes
//! 2    cell: a record that was there before, word for word
//! 3    cell: a new cell, made of that one with changes
//! 4    commit word without the lap: a new cell, whose words follow behind the times as they are
//! 5    forget all cells
//! ```
//!
//! Behind each but the last come the time of the record since the end of the one before it (zigzag), of a call its word 2,
//! and then the changes: (words left out + 1, difference from the cell, zigzag), up to a 0. Numbers are LEB128. A cell holds
//! the words of the last record that it stood for, without commit word and times, and the last step of each. New cells
//! are numbered in order.
//!
//! Nothing is lost, the lap of the commit words comes from the header of the block, and each block stands for itself.

use crate::record::{Commit, MAX_DURATION, State};

/// Most bytes that a packed block may stand for.
pub const MAX_UNPACKED: usize = 16 << 20;
/// Words that all cells of a block may hold, and how many cells.
const ARENA: usize = 1 << 16;
const MAX_CELLS: usize = 1 << 12;
const NONE: u16 = u16::MAX;
/// The commit word without the lap.
const KEY: u64 = (1 << 40) - 1;
/// Places of the packer's tables.
const PLACES: usize = 1 << 11;
/// Room in the packer's memory behind what is to be packed.
const MARGIN: usize = 4096;
/// Words of a call in front of those that cells hold, and of other records.
const CALL_HEAD: usize = 3;
const HEAD: usize = 2;

const AS_PREDICTED: u8 = 0;
const PREDICTED: u8 = 1;
const AGAIN: u8 = 2;
const DERIVED: u8 = 3;
const NEW: u8 = 4;
const FORGET: u8 = 5;

/// A packed block that says what cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("packed records are damaged at byte {0}")]
pub struct PackError(pub usize);

#[derive(Debug, Clone, Copy)]
struct Cell {
    key: u64,
    start: usize,
    len: usize,
    /// The cell of the record that followed the last time.
    next: u16,
    /// Some word is expected to change.
    strided: bool,
}

/// The memory that packing and unpacking have in common.
struct Cells {
    list: Vec<Cell>,
    words: Vec<u64>,
    strides: Vec<u64>,
    last: u16,
    /// When the last record ended.
    time: u64,
}

/// Words of a record in front of those that cells hold.
#[inline]
fn head_of(key: u64) -> usize {
    let state = Commit::unpack(key).state;
    if state == State::Entered as u8 || state == State::Returned as u8 { CALL_HEAD } else { HEAD }
}

impl Cells {
    fn new() -> Cells {
        Cells {
            list: Vec::with_capacity(MAX_CELLS),
            words: Vec::with_capacity(ARENA),
            strides: Vec::with_capacity(ARENA),
            last: NONE,
            time: 0,
        }
    }

    fn forget(&mut self) {
        self.list.clear();
        self.words.clear();
        self.strides.clear();
        self.last = NONE;
    }

    fn has_room(&self, len: usize) -> bool {
        self.list.len() < MAX_CELLS && self.words.len() + len <= ARENA
    }

    fn get(&self, cell: u16) -> Option<(&Cell, &[u64], &[u64])> {
        let c = self.list.get(cell as usize)?;
        let range = c.start..c.start + c.len;
        Some((c, self.words.get(range.clone())?, self.strides.get(range)?))
    }

    fn key(&self, cell: u16) -> u64 {
        self.list.get(cell as usize).map_or(0, |c| c.key)
    }

    /// The words of a cell and their strides.
    fn slots(&mut self, cell: u16) -> impl Iterator<Item = (&mut u64, &mut u64)> {
        let range = self.list.get(cell as usize).map_or(0..0, |c| c.start..c.start + c.len);
        let words = self.words.get_mut(range.clone()).unwrap_or_default().iter_mut();
        words.zip(self.strides.get_mut(range).unwrap_or_default())
    }

    /// The cell that came after the last one the last time.
    #[inline]
    fn predicted(&self) -> Option<u16> {
        self.list.get(self.last as usize).map(|c| c.next).filter(|next| *next != NONE)
    }

    /// A new cell.
    fn add(&mut self, key: u64, words: impl Iterator<Item = u64>) -> u16 {
        let start = self.words.len();
        self.words.extend(words);
        self.strides.resize(self.words.len(), 0);
        self.list.push(Cell { key, start, len: self.words.len() - start, next: NONE, strided: false });
        (self.list.len() - 1) as u16
    }

    /// A new cell with the same words, of which no change is expected.
    fn copy(&mut self, cell: u16) -> u16 {
        let Some(Cell { key, start, len, .. }) = self.list.get(cell as usize).copied() else { return NONE };
        let from = self.words.len();
        self.words.extend_from_within(start..start + len);
        self.strides.resize(self.words.len(), 0);
        self.list.push(Cell { key, start: from, len, next: NONE, strided: false });
        (self.list.len() - 1) as u16
    }

    /// Are these the words that the cell expects?
    #[inline]
    fn is_as_predicted(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let Some((c, words, strides)) = self.get(cell).filter(|c| c.0.key == key) else { return false };
        if c.strided {
            let all = words.iter().zip(strides).zip(words_of(args));
            all.fold(0, |bad, ((word, stride), new)| bad | word.wrapping_add(*stride) ^ new) == 0
        } else {
            words.iter().zip(words_of(args)).fold(0, |bad, (word, new)| bad | word ^ new) == 0
        }
    }

    fn holds(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && words.iter().copied().eq(words_of(args)))
    }

    /// A record of the same function and length, made at the same call site.
    fn is_alike(&self, cell: u16, key: u64, args: &[u8]) -> bool {
        let first = |words: &[u64]| words.first().is_none_or(|w| *w == word_at(args, 0));
        self.get(cell).is_some_and(|(c, words, _)| c.key == key && first(words))
    }

    /// The words change as expected.
    #[inline]
    fn step(&mut self, cell: u16) {
        if self.list.get(cell as usize).is_some_and(|c| c.strided) {
            self.slots(cell).for_each(|(word, stride)| *word = word.wrapping_add(*stride));
        }
    }

    /// The words stay as they are, and are expected to.
    fn stand(&mut self, cell: u16) {
        self.slots(cell).for_each(|(_, stride)| *stride = 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.strided = false);
    }

    fn look_at_strides(&mut self, cell: u16) {
        let strided = self.slots(cell).any(|(_, stride)| *stride != 0);
        self.list.get_mut(cell as usize).into_iter().for_each(|c| c.strided = strided);
    }

    /// Reads changes.
    fn change(&mut self, cell: u16, input: &mut Input) -> Result<(), PackError> {
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
    fn follow(&mut self, cell: u16) {
        if let Some(last) = self.list.get_mut(self.last as usize) {
            last.next = cell;
        }
        self.last = cell;
    }

    /// A record with these times: when the next one is expected.
    #[inline]
    fn pass(&mut self, time: u64, head: usize, second: u64) {
        self.time = if head == CALL_HEAD { time.wrapping_add(second & MAX_DURATION) } else { time };
    }

    /// Reads the times of a record.
    fn times(&mut self, input: &mut Input, key: u64) -> Result<(u64, u64), PackError> {
        let head = head_of(key);
        let time = self.time.wrapping_add(unzigzag(input.number()?));
        let second = if head == CALL_HEAD { input.number()? } else { 0 };
        self.pass(time, head, second);
        Ok((time, second))
    }

    /// Writes the record that a cell stands for.
    fn write(&self, cell: u16, lap: u64, (time, second): (u64, u64), out: &mut Vec<u8>) {
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
fn word_at(records: &[u8], at: usize) -> u64 {
    records.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[inline]
fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b))
}

#[inline]
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
fn zigzag(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64 >> 63) as u64)
}

#[inline]
fn unzigzag(value: u64) -> u64 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// The step that is expected after a word has changed by `difference`: what changes twice by the same amount will do so
/// again, and what has jumped once will not.
#[inline]
fn next_stride(stride: u64, difference: u64) -> u64 {
    if stride == 0 { difference } else { 0 }
}

/// Packs blocks. Allocates once.
pub struct Packer {
    cells: Cells,
    out: Vec<u8>,
    /// Cells by what they held when they were made, and the newest one of each call site.
    by_content: Box<[u16; PLACES]>,
    by_site: Box<[u16; PLACES]>,
}

impl Packer {
    /// For blocks of at most `bytes`; larger ones are not packed.
    pub fn new(bytes: usize) -> Packer {
        Packer {
            cells: Cells::new(),
            out: Vec::with_capacity(bytes + MARGIN),
            by_content: Box::new([NONE; PLACES]),
            by_site: Box::new([NONE; PLACES]),
        }
    }

    fn forget(&mut self) {
        self.cells.forget();
        self.by_content.fill(NONE);
        self.by_site.fill(NONE);
    }

    /// The packed form of whole records; `None` if that is not smaller, or if they are no records.
    pub fn pack(&mut self, records: &[u8]) -> Option<&[u8]> {
        if records.len() > MAX_UNPACKED {
            return None;
        }
        self.forget();
        self.cells.time = 0;
        self.out.clear();
        self.out.extend_from_slice(&(records.len() as u32).to_le_bytes());
        let mut at = 0;
        while at < records.len() {
            let key = word_at(records, at) & KEY;
            let bytes = usize::from(Commit::unpack(key).words) * 8;
            let record = records.get(at..at + bytes).filter(|r| r.len() >= head_of(key) * 8)?;
            // The most that it can take: nothing is allocated here.
            if self.out.len() + bytes / 8 * 12 + MARGIN / 2 > self.out.capacity() {
                return None;
            }
            self.record(key, record);
            at += bytes;
        }
        (self.out.len() < records.len()).then_some(self.out.as_slice())
    }

    #[inline]
    fn record(&mut self, key: u64, record: &[u8]) {
        let head = head_of(key);
        let args = record.get(head * 8..).unwrap_or(&[]);
        let predicted = self.cells.predicted();
        if let Some(cell) = predicted.filter(|p| self.cells.is_as_predicted(*p, key, args)) {
            self.out.push(AS_PREDICTED);
            self.times(head, record);
            self.cells.step(cell);
            self.cells.follow(cell);
        } else {
            self.other(predicted, key, record, args);
        }
    }

    /// A record that is not as predicted.
    #[inline(never)]
    fn other(&mut self, predicted: Option<u16>, key: u64, record: &[u8], args: &[u8]) {
        let (content, site) = places(key, args);
        let head = head_of(key);
        let seen = |table: &[u16; PLACES], place: usize| table.get(place).copied().filter(|c| *c != NONE);
        if let Some(cell) = seen(&self.by_content, content).filter(|c| self.cells.holds(*c, key, args)) {
            self.out.push(AGAIN);
            put(&mut self.out, cell.into());
            self.times(head, record);
            self.cells.stand(cell);
            return self.cells.follow(cell);
        }
        if let Some(cell) = predicted.filter(|c| self.cells.is_alike(*c, key, args)) {
            self.out.push(PREDICTED);
            self.times(head, record);
            self.changes(cell, args);
            return self.cells.follow(cell);
        }
        let base = seen(&self.by_site, site).filter(|c| self.cells.is_alike(*c, key, args));
        if !self.cells.has_room(args.len() / 8) {
            self.out.push(FORGET);
            self.forget();
            return self.other(None, key, record, args);
        }
        let cell = match base {
            Some(base) => {
                self.out.push(DERIVED);
                put(&mut self.out, base.into());
                self.times(head, record);
                let cell = self.cells.copy(base);
                self.changes(cell, args);
                cell
            }
            None => {
                self.out.push(NEW);
                put(&mut self.out, key);
                self.times(head, record);
                self.out.extend_from_slice(args);
                self.cells.add(key, words_of(args))
            }
        };
        if let (Some(by_content), Some(by_site)) = (self.by_content.get_mut(content), self.by_site.get_mut(site)) {
            (*by_content, *by_site) = (cell, cell);
        }
        self.cells.follow(cell);
    }

    #[inline]
    fn times(&mut self, head: usize, record: &[u8]) {
        let (time, second) = (word_at(record, 8), word_at(record, 16));
        put(&mut self.out, zigzag(time.wrapping_sub(self.cells.time)));
        if head == CALL_HEAD {
            put(&mut self.out, second);
        }
        self.cells.pass(time, head, second);
    }

    /// Writes down how the words differ from those of the cell, which takes them over.
    fn changes(&mut self, cell: u16, args: &[u8]) {
        let mut skipped = 1;
        for ((word, stride), new) in self.cells.slots(cell).zip(words_of(args)) {
            // Only a cell that is changed in place has strides.
            if new == word.wrapping_add(*stride) {
                *word = new;
                skipped += 1;
                continue;
            }
            let difference = new.wrapping_sub(*word);
            put(&mut self.out, skipped);
            put(&mut self.out, zigzag(difference));
            (*word, *stride) = (new, next_stride(*stride, difference));
            skipped = 1;
        }
        self.out.push(0);
        self.cells.look_at_strides(cell);
    }
}

/// Places of a record in the tables.
fn places(key: u64, args: &[u8]) -> (usize, usize) {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |h: u64, w: u64| (h.rotate_left(5) ^ w).wrapping_mul(FACTOR);
    let place = |h: u64| (h >> 40) as usize % PLACES;
    let site = mix(mix(0, key), word_at(args, 0));
    (place(words_of(args).fold(site, mix)), place(site))
}

/// Unpacks blocks.
pub struct Unpacker {
    cells: Cells,
}

impl Default for Unpacker {
    fn default() -> Unpacker {
        Unpacker { cells: Cells::new() }
    }
}

/// The bytes of a packed block, from its front.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn damage(&self) -> PackError {
        PackError(self.at)
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], PackError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..n)).ok_or(self.damage())?;
        self.at += n;
        Ok(taken)
    }

    #[inline]
    fn number(&mut self) -> Result<u64, PackError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(self.damage())?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.damage())
    }

    fn cell(&mut self, cells: &Cells) -> Result<u16, PackError> {
        let number = self.number()?;
        let known = (number as usize) < cells.list.len();
        if known { Ok(number as u16) } else { Err(self.damage()) }
    }
}

impl Unpacker {
    /// Puts the records that `packed` stands for into `out`, with `lap` in their commit words.
    pub fn unpack(&mut self, packed: &[u8], lap: u64, out: &mut Vec<u8>) -> Result<(), PackError> {
        out.clear();
        self.cells.forget();
        self.cells.time = 0;
        let mut input = Input { bytes: packed, at: 0 };
        let total = input.take(4)?.try_into().map(u32::from_le_bytes).unwrap_or(0) as usize;
        if total > MAX_UNPACKED {
            return Err(PackError(0));
        }
        while out.len() < total {
            self.record(&mut input, lap, out)?;
        }
        if out.len() == total && input.at == packed.len() { Ok(()) } else { Err(input.damage()) }
    }

    fn record(&mut self, input: &mut Input, lap: u64, out: &mut Vec<u8>) -> Result<(), PackError> {
        let token = input.take(1)?.first().copied().unwrap_or(FORGET);
        let cells = &mut self.cells;
        let cell = match token {
            AS_PREDICTED | PREDICTED => cells.predicted().ok_or(input.damage())?,
            AGAIN | DERIVED => input.cell(cells)?,
            NEW => return self.new_cell(input, lap, out),
            FORGET => {
                cells.forget();
                return Ok(());
            }
            _ => return Err(input.damage()),
        };
        let times = cells.times(input, cells.key(cell))?;
        let cell = match token {
            AS_PREDICTED => {
                cells.step(cell);
                cell
            }
            PREDICTED => {
                cells.change(cell, input)?;
                cell
            }
            AGAIN => {
                cells.stand(cell);
                cell
            }
            _ => {
                let len = cells.list.get(cell as usize).map_or(0, |c| c.len);
                if !cells.has_room(len) {
                    return Err(input.damage());
                }
                let new = cells.copy(cell);
                cells.change(new, input)?;
                new
            }
        };
        cells.write(cell, lap, times, out);
        cells.follow(cell);
        Ok(())
    }

    fn new_cell(&mut self, input: &mut Input, lap: u64, out: &mut Vec<u8>) -> Result<(), PackError> {
        let cells = &mut self.cells;
        let key = input.number()?;
        let len = usize::from(Commit::unpack(key).words).checked_sub(head_of(key)).ok_or(input.damage())?;
        if key > KEY || !cells.has_room(len) {
            return Err(input.damage());
        }
        let times = cells.times(input, key)?;
        let cell = cells.add(key, words_of(input.take(len * 8)?));
        cells.write(cell, lap, times, out);
        cells.follow(cell);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record with these words behind the commit word.
    fn record(out: &mut Vec<u8>, func: u16, state: State, lap: u32, words: &[u64]) {
        let commit = Commit { func, state: state as u8, words: words.len() as u16 + 1, lap };
        out.extend_from_slice(&commit.pack().to_le_bytes());
        words.iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
    }

    fn round(records: &[u8], lap: u64) -> Option<usize> {
        let mut packer = Packer::new(1 << 18);
        let packed = packer.pack(records)?.to_vec();
        let mut out = Vec::new();
        Unpacker::default().unpack(&packed, lap, &mut out).unwrap();
        assert!(out == records, "{} bytes came back differently", records.len());
        Some(packed.len())
    }

    /// A loop over neighbours as programs have it: strided buffers, handles that come and go.
    fn exchange(steps: u64, lap: u32) -> (Vec<u8>, u64) {
        let (mut out, mut time, mut calls) = (Vec::new(), 1 << 50, 0);
        for step in 0..steps {
            for neighbour in 0..6 {
                for func in [10, 20] {
                    time += 300 + step % 7;
                    let request = 0x7f00_0000_1000 + 64 * (2 * neighbour + u64::from(func / 20));
                    record(
                        &mut out,
                        func,
                        State::Returned,
                        lap,
                        &[time, 150, 5, 0x1000_0000 + 4096 * neighbour, 8 | neighbour << 32, 1, request],
                    );
                    calls += 1;
                }
            }
            time += 50_000 + step * 3;
            let waitall: Vec<u64> = [time, 9_000, 9, 12, 0x7fff_1000]
                .into_iter()
                .chain((0..12).map(|i| 0x7f00_0000_1000 + 64 * i))
                .collect();
            record(&mut out, 30, State::Returned, lap, &waitall);
            time += 60_000;
            record(&mut out, 40, State::Returned, lap, &[time, 2_000, 11, 0x2000_0000 + 8 * step, 1]);
            calls += 2;
        }
        (out, calls)
    }

    #[test]
    fn what_repeats_takes_a_few_bytes() {
        let (records, calls) = exchange(200, 77);
        let packed = round(&records, 77).unwrap();
        assert!(packed < 8 * calls as usize, "{packed} bytes for {calls} calls");
    }

    #[test]
    fn all_kinds_of_records_come_back() {
        let mut out = Vec::new();
        for i in 0..100u64 {
            record(&mut out, 1, State::Entered, 3, &[100 + i, 0, 7]);
            record(&mut out, 7, State::System, 3, &[90 + i]);
            record(&mut out, 9, State::System, 3, &[u64::MAX - i, i * i, u64::MAX]);
            record(&mut out, 1, State::Return, 3, &[i, 3, 1 << 63]);
            record(&mut out, 2, State::Returned, 3, &[5, u64::MAX, 7, i.pow(3)]);
        }
        assert!(round(&out, 3).is_some());
    }

    #[test]
    fn more_call_sites_than_cells_are_forgotten_and_learnt_anew() {
        let mut out = Vec::new();
        for i in 0..3 * MAX_CELLS as u64 {
            record(&mut out, (i % 5) as u16, State::Returned, 1, &[i, 1, i, 2, 3]);
        }
        let mut packer = Packer::new(out.len());
        let packed = packer.pack(&out).unwrap().to_vec();
        let mut back = Vec::new();
        Unpacker::default().unpack(&packed, 1, &mut back).unwrap();
        assert!(back == out);
    }

    #[test]
    fn what_cannot_be_made_smaller_is_refused() {
        assert_eq!(round(&[], 0), None);
        let mut out = Vec::new();
        record(&mut out, 1, State::Returned, 0, &[u64::MAX / 3, u64::MAX, 1, u64::MAX / 5]);
        assert_eq!(round(&out, 0), None);
        assert_eq!(round(&[0; 64], 0), None);
        assert_eq!(round(&out[..out.len() - 8], 0), None);
    }

    /// Pseudo-random numbers, always the same.
    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 24
    }

    #[test]
    fn random_records_come_back_and_damage_is_told() {
        let mut seed = 1;
        let mut unpacker = Unpacker::default();
        for _ in 0..300 {
            let mut records = Vec::new();
            let sites = 1 + random(&mut seed) % 9;
            for i in 0..300 {
                let site = random(&mut seed) % sites;
                let states = [State::Entered, State::Returned, State::Returned, State::Return, State::System];
                let state = states[(random(&mut seed) % 5) as usize];
                let mut words = vec![1000 * i, random(&mut seed) % 99, site];
                for w in 0..site % 5 {
                    words.push(match random(&mut seed) % 4 {
                        0 => random(&mut seed),
                        1 => 0u64.wrapping_sub(i * w),
                        _ => w,
                    });
                }
                record(&mut records, (site % 3) as u16, state, 9, &words);
            }
            let mut packer = Packer::new(1 << 18);
            let Some(packed) = packer.pack(&records) else { continue };
            let mut packed = packed.to_vec();
            let mut out = Vec::new();
            unpacker.unpack(&packed, 9, &mut out).unwrap();
            assert!(out == records);
            // Whatever the bytes are, it ends, and nothing breaks.
            for _ in 0..20 {
                let at = random(&mut seed) as usize % packed.len();
                packed[at] ^= 1 << (random(&mut seed) % 8);
                _ = unpacker.unpack(&packed, 9, &mut out);
                _ = unpacker.unpack(&packed[..at], 9, &mut out);
            }
        }
    }
}
