//! Makes the records of a block small. A program repeats itself: most records are what they were the last time at the
//! same place of a loop, but for their times. So a record is written as its difference from an earlier one, which mostly
//! is the one that came next the last time; and where times need not be exact, records that are as expected in every
//! respect are only counted.
//!
//! ```text
//! u32  bytes of the records
//! u8   1: the block stands for itself; 0: it goes on from the block before it, of the same thread
//! then a token for each record:
//! 0    the predicted cell, each word as predicted (its last value and its last step)
//! 1    the predicted cell with changes
//! 2    cell: a record that was there before, word for word
//! 3    cell: a new cell, made of that one with changes
//! 4    commit word without the lap: a new cell, whose words follow behind the times as they are
//! 5    forget all cells (stands for no record)
//! 6    cell: that one with changes
//! 7    count: so many records of the predicted cells, with each word as predicted, when they are expected
//! 8    as 0; behind it the times at which the cell is expected from now on
//! 9    the cell that may come instead of the predicted one, each word as predicted
//! 10   that cell with changes
//! ```
//!
//! Behind each but 5 and 7 come the time of the record since the end of the one before it (zigzag), of a call its word 2,
//! and then the changes: (words left out + 1, difference from the cell, zigzag), up to a 0. Numbers are LEB128. A cell holds
//! the words of the last record that it stood for, without commit word and times, the last step of each, the cells that
//! followed (see `Cell::expected`: what comes behind n rounds of a loop is known when it came behind n rounds before), and the
//! times that are expected of it: those that it was made with, or token 8 gave it. New cells are numbered in order.
//!
//! The lap of the commit words comes from the header of the block. All words come back as they were; so do all times,
//! unless a bound for their errors was set ([`Packer::bounded`]). Then errors do not add up, records keep their order,
//! nothing overlaps that did not, and no time lies behind the last one of the block.

pub mod bytes;
pub mod cells;
#[cfg(test)]
mod tests;
mod times;
pub mod tokens;

use crate::record::{Commit, MAX_DURATION};
use bytes::{LONGEST, head_of, put, put_token, word_at, words_of, zigzag};
use cells::{Cells, next_stride};
use times::Times;
use tokens::{AGAIN, AS_PREDICTED, DERIVED, FORGET, IN_PLACE, LEARN, NEW, OTHER, OTHER_CHANGED, PREDICTED, RUN};

/// Most bytes that a packed block may stand for.
pub const MAX_UNPACKED: usize = 16 << 20;
/// Words that all cells of a block may hold.
const ARENA: usize = 1 << 16;
/// How many cells there may be.
pub const MAX_CELLS: usize = 1 << 12;
/// No cell.
pub const NONE: u16 = u16::MAX;
/// The commit word without the lap.
pub const KEY: u64 = (1 << 40) - 1;
/// Places of the packer's tables.
const PLACES: usize = 1 << 11;
/// Room in the packer's memory behind what is to be packed.
const MARGIN: usize = 4096;
/// Words of a call in front of those that cells hold: commit word, time, duration and error class.
pub const CALL_HEAD: usize = 3;
/// Words of any other record in front: commit word and time.
const HEAD: usize = 2;
/// A loop over more places than this, at one call site, is one cell that changes rather than a cell for each.
const MAX_CHAIN: u8 = 64;
/// After so many blocks, or packed bytes, one stands for itself: this bounds what damage costs.
pub const MAX_FOLLOWERS: u32 = 63;
const MAX_DEPENDENT: usize = 64 << 10;

/// Bytes that [`Packer::usual`] collects before they go on.
const TOKENS: usize = 1024;

/// The flag of a block that stands for itself.
pub const ALONE: u8 = 1;

/// Packs the blocks of one thread. Allocates once.
pub struct Packer {
    cells: Cells,
    out: Vec<u8>,
    /// The bytes that [`Packer::usual`] has collected, with room behind them for one more token, two numbers, and a word that
    /// these overwrite.
    tokens: Box<[u8; TOKENS + 2 * LONGEST + 8]>,
    /// Cells by what they held when they were made, and the newest one of each call site, or of each key of records
    /// that are no calls.
    by_content: Box<[u16; PLACES]>,
    by_site: Box<[u16; PLACES]>,
    times: Times,
    /// Records as expected that are counted and not written yet.
    run: u64,
    /// Blocks and their bytes since one that stands for itself; `None`: the next one must.
    followers: Option<(u32, usize)>,
}

impl Packer {
    /// For blocks of at most `bytes`; larger ones are not packed. Times come back exactly.
    pub fn new(bytes: usize) -> Packer {
        Packer::bounded(bytes, 0)
    }

    /// A packer whose times may come back up to `error` ticks off, and whose blocks may go on from the one before them.
    pub fn bounded(bytes: usize, error: u64) -> Packer {
        Packer {
            cells: Cells::with_room(),
            out: Vec::with_capacity(bytes + MARGIN),
            tokens: Box::new([0; TOKENS + 2 * LONGEST + 8]),
            by_content: Box::new([NONE; PLACES]),
            by_site: Box::new([NONE; PLACES]),
            times: Times::new(error),
            run: 0,
            followers: None,
        }
    }

    /// From now on times come back exactly.
    pub fn be_exact(&mut self) {
        self.times.be_exact();
    }

    /// The next block must stand for itself: the last one may be lost.
    pub fn begin_anew(&mut self) {
        self.followers = None;
    }

    fn forget(&mut self) {
        self.cells.forget();
        self.times.forget();
        self.by_content.fill(NONE);
        self.by_site.fill(NONE);
    }

    /// Packs whole records, which follow those packed before; `None` if they would not be smaller, or are no records.
    pub fn pack(&mut self, records: &[u8]) -> Option<&[u8]> {
        let followers = self
            .followers
            .take()
            .filter(|(blocks, bytes)| !self.times.are_exact() && *blocks < MAX_FOLLOWERS && *bytes < MAX_DEPENDENT);
        if records.len() > MAX_UNPACKED {
            return None;
        }
        self.out.clear();
        self.out.extend_from_slice(&(records.len() as u32).to_le_bytes());
        self.out.push(if followers.is_none() { ALONE } else { 0 });
        if followers.is_none() {
            self.forget();
            self.cells.time = 0;
            self.times.begin_anew();
        }
        self.times.look_ahead(records);
        self.all(records)?;
        self.end_run();
        let bytes = self.out.len();
        self.followers = Some(followers.map_or((0, 0), |(blocks, before)| (blocks + 1, before + bytes)));
        (bytes < records.len()).then_some(self.out.as_slice()).or_else(|| {
            self.followers = None;
            None
        })
    }

    fn all(&mut self, records: &[u8]) -> Option<()> {
        let mut at = 0;
        self.run = 0;
        loop {
            if self.times.are_exact() {
                at = self.usual(records, at);
            }
            if at >= records.len() {
                return Some(());
            }
            let key = word_at(records, at) & KEY;
            let bytes = usize::from(Commit::unpack(key).words) * 8;
            let record = records.get(at..at + bytes).filter(|r| r.len() >= head_of(key) * 8)?;
            // This is the most that it can take: nothing is allocated here.
            if self.out.len() + bytes / 8 * 12 + MARGIN / 2 > self.out.capacity() {
                return None;
            }
            self.record(key, record);
            at += bytes;
        }
    }

    /// Packs calls from `at` on that are as predicted, which most are, with exact times: as [`Packer::record`] does, without the
    /// questions that these calls do not need. Returns the place of the first record that was not packed.
    fn usual(&mut self, records: &[u8], at: usize) -> usize {
        let mut left = records.get(at..).unwrap_or(&[]).as_chunks::<8>().0;
        let words_before = left.len();
        // No token is longer than the record that it stands for.
        let least = left.len().saturating_sub(self.out.capacity().saturating_sub(self.out.len() + MARGIN / 2) / 8);
        let tokens = &mut *self.tokens;
        let mut filled = 0;
        let mut cells = self.cells.calls();
        while let [commit, time, second, behind @ ..] = left {
            let (time, second) = (u64::from_le_bytes(*time), u64::from_le_bytes(*second));
            let Some((words, next)) = cells.next(u64::from_le_bytes(*commit) & KEY) else { break };
            let Some((args, behind)) = behind.split_at_checked(words.len()) else { break };
            if left.len() < least || !are_equal(words, args) {
                break;
            }
            let gap = zigzag(time.wrapping_sub(cells.time));
            filled = put_token(tokens, filled, AS_PREDICTED, (gap, second));
            if filled >= TOKENS {
                self.out.extend_from_slice(tokens.get(..filled).unwrap_or(&[]));
                filled = 0;
            }
            cells.follow(next, time.wrapping_add(second & MAX_DURATION));
            left = behind;
        }
        cells.end();
        self.out.extend_from_slice(tokens.get(..filled).unwrap_or(&[]));
        at + (words_before - left.len()) * 8
    }

    #[inline]
    fn record(&mut self, key: u64, record: &[u8]) {
        let head = head_of(key);
        let args = record.get(head * 8..).unwrap_or(&[]);
        let (time, second) = (word_at(record, 8), if head == CALL_HEAD { word_at(record, 16) } else { 0 });
        let predicted = self.cells.predicted();
        if let Some(cell) = predicted.filter(|p| self.cells.is_as_predicted(*p, key, args)) {
            if self.times.are_exact() {
                self.out.push(AS_PREDICTED);
                self.times(head, time, second);
            } else {
                self.about_when(cell, key, time, second);
            }
            self.cells.step(cell);
            self.cells.follow(cell);
        } else {
            self.end_run();
            self.other(predicted, key, (time, second), args);
        }
        self.times.passed(head, time, second);
    }

    /// Packs a record that is as predicted: with its times, if these are not as expected.
    fn about_when(&mut self, cell: u16, key: u64, time: u64, second: u64) {
        let expected = self.cells.expected_times(cell);
        let head = head_of(key);
        if self.times.fit(head, self.cells.time, expected, (time, second)) {
            self.run += 1;
            let (told, _) = self.cells.times_after(key, expected);
            self.times.tell(told);
            self.times.note(cell, time, second);
            return;
        }
        self.end_run();
        self.times.note(cell, time, second);
        match self.times.better(cell, expected) {
            None => {
                self.out.push(AS_PREDICTED);
                self.times(head, time, second);
            }
            Some(times) => {
                self.out.push(LEARN);
                self.times(head, time, second);
                self.put_gap(head, times);
                self.cells.expect_times(cell, times);
            }
        }
    }

    fn end_run(&mut self) {
        match std::mem::take(&mut self.run) {
            0 => {}
            run => {
                self.out.push(RUN);
                put(&mut self.out, run);
            }
        }
    }

    /// Packs a record that is not as predicted.
    #[inline(never)]
    fn other(&mut self, predicted: Option<u16>, key: u64, (time, second): (u64, u64), args: &[u8]) {
        let (content, site) = places(key, args);
        let head = head_of(key);
        let seen = |table: &[u16; PLACES], place: usize| table.get(place).copied().filter(|c| *c != NONE);
        let alternative = self.cells.alternative();
        if let Some(cell) = alternative.filter(|c| self.cells.is_as_predicted(*c, key, args)) {
            self.out.push(OTHER);
            self.times(head, time, second);
            self.cells.step(cell);
            return self.cells.follow(cell);
        }
        // Values that come in turns (memory that the library takes from a stack and gives back, two buffers) have cells of their
        // own.
        if let Some(cell) = [predicted, alternative].into_iter().flatten().find(|c| self.cells.holds(*c, key, args)) {
            self.out.push(AGAIN);
            put(&mut self.out, cell.into());
            self.times(head, time, second);
            self.cells.stand(cell);
            return self.cells.follow(cell);
        }
        // Another place in the program has led to the same loop.
        let base = seen(&self.by_site, site).filter(|c| self.cells.is_alike(*c, key, args));
        if let Some(cell) = base.filter(|c| self.cells.is_on_its_way(*c, key, args)) {
            self.out.push(IN_PLACE);
            put(&mut self.out, cell.into());
            self.times(head, time, second);
            self.changes(cell, args);
            return self.cells.follow(cell);
        }
        if let Some(cell) = seen(&self.by_content, content).filter(|c| self.cells.holds(*c, key, args)) {
            self.out.push(AGAIN);
            put(&mut self.out, cell.into());
            self.times(head, time, second);
            self.cells.stand(cell);
            return self.cells.follow(cell);
        }
        let alike = predicted.filter(|c| self.cells.is_alike(*c, key, args));
        let back = alike.filter(|c| self.cells.has_swung_back(*c, args) && self.cells.has_room(args.len() / 8));
        if let Some(cell) = alike.filter(|_| back.is_none()) {
            self.out.push(PREDICTED);
            self.times(head, time, second);
            self.changes(cell, args);
            return self.cells.follow(cell);
        }
        if let Some(cell) = alternative.filter(|c| back.is_none() && self.cells.is_alike(*c, key, args)) {
            self.out.push(OTHER_CHANGED);
            self.times(head, time, second);
            self.changes(cell, args);
            return self.cells.follow(cell);
        }
        if let Some(cell) = base.filter(|c| back.is_none() && *c == self.cells.last && self.cells.is_end_of_chain(*c)) {
            self.out.push(IN_PLACE);
            put(&mut self.out, cell.into());
            self.times(head, time, second);
            self.changes(cell, args);
            return self.cells.follow(cell);
        }
        if !self.cells.has_room(args.len() / 8) {
            self.out.push(FORGET);
            self.forget();
            return self.other(None, key, (time, second), args);
        }
        let told = self.times.in_order(head, self.cells.time, (time, second));
        let gap = (told.0.wrapping_sub(self.cells.time), told.1);
        let cell = match back.or(base) {
            Some(base) => {
                self.out.push(DERIVED);
                put(&mut self.out, base.into());
                self.times(head, time, second);
                let cell = self.cells.copy(base, gap);
                self.changes(cell, args);
                cell
            }
            None => {
                self.out.push(NEW);
                put(&mut self.out, key);
                self.times(head, time, second);
                self.out.extend_from_slice(args);
                self.cells.add(key, words_of(args), gap)
            }
        };
        if let (Some(by_content), Some(by_site)) = (self.by_content.get_mut(content), self.by_site.get_mut(site)) {
            (*by_content, *by_site) = (cell, cell);
        }
        self.cells.follow(cell);
    }

    #[inline]
    fn times(&mut self, head: usize, time: u64, second: u64) {
        let (time, second) = self.times.in_order(head, self.cells.time, (time, second));
        self.times.tell(time);
        self.put_gap(head, (time.wrapping_sub(self.cells.time), second));
        self.cells.pass(time, head, second);
    }

    #[inline]
    fn put_gap(&mut self, head: usize, (gap, second): (u64, u64)) {
        put(&mut self.out, zigzag(gap));
        if head == CALL_HEAD {
            put(&mut self.out, second);
        }
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
    // Records of other kinds have no site: see [`Cells::is_alike`].
    let first = if head_of(key) == CALL_HEAD { word_at(args, 0) } else { 0 };
    let site = mix(mix(0, key), first);
    (place(words_of(args).fold(site, mix)), place(site))
}

/// Are these the same words? Quick for the few words that a call has.
#[inline(always)]
fn are_equal(mut words: &[u64], mut args: &[[u8; 8]]) -> bool {
    while let ([a, b, more @ ..], [c, d, others @ ..]) = (words, args) {
        if (a ^ u64::from_le_bytes(*c)) | (b ^ u64::from_le_bytes(*d)) != 0 {
            return false;
        }
        (words, args) = (more, others);
    }
    match (words, args) {
        ([a], [b]) => *a == u64::from_le_bytes(*b),
        _ => true,
    }
}
