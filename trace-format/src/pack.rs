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

mod cells;
#[cfg(test)]
mod tests;
mod unpack;

use crate::record::Commit;
use cells::{Cells, head_of, next_stride, put, word_at, words_of, zigzag};

pub use unpack::Unpacker;

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
            cells: Cells::with_room(),
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
