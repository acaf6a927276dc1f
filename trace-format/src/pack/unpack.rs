//! Packed blocks to records.

use super::cells::{Cells, head_of, words_of};
use super::{
    AGAIN, ALONE, AS_PREDICTED, DERIVED, FORGET, IN_PLACE, KEY, LEARN, MAX_UNPACKED, NEW, OTHER, OTHER_CHANGED,
    PREDICTED, PackError, RUN,
};
use crate::record::Commit;

/// Unpacks the blocks of one thread.
pub struct Unpacker {
    cells: Cells,
    /// The lap of the block that may go on from what was unpacked last.
    next: Option<u64>,
    /// How far the block was unpacked: byte of it, and bytes of records that came of these.
    at: usize,
    done: usize,
    /// When the words of each cell changed last, as how many changes there were of any.
    versions: Vec<u64>,
    changes: u64,
    marks: Vec<Mark>,
}

/// Of a record: two with equal marks, of one thread, differ in their times and their result at most (and in their lap).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Small numbers, which are used again.
    pub cell: u16,
    pub version: u64,
}

impl Default for Unpacker {
    fn default() -> Unpacker {
        let (versions, marks) = (Vec::new(), Vec::new());
        Unpacker { cells: Cells::new(), next: None, at: 0, done: 0, versions, changes: 0, marks }
    }
}

/// The bytes of a packed block, from its front.
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Where records are put: up to `at`. What is behind that is of no meaning.
pub(super) struct Out<'a> {
    bytes: &'a mut Vec<u8>,
    at: usize,
}

/// Room is made for so many bytes at once: clearing it for each record would take longer than writing that. Not for more: the
/// readers of many ranks have some each.
const ROOM: usize = 1 << 10;

impl Out<'_> {
    /// Room for the next bytes.
    #[inline]
    pub(super) fn next(&mut self, len: usize) -> &mut [u8] {
        let from = self.at;
        self.at += len;
        if self.bytes.len() < self.at {
            self.make_room();
        }
        &mut self.bytes[from..self.at]
    }

    #[inline(never)]
    fn make_room(&mut self) {
        let len = self.at + ROOM;
        if self.bytes.capacity() < len {
            // A quarter more each time, not twice as much.
            let more = (len - self.bytes.len()).max(self.bytes.len() / 4);
            self.bytes.reserve_exact(more);
        }
        self.bytes.resize(len, 0);
    }
}

impl<'a> Input<'a> {
    pub(super) fn damage(&self) -> PackError {
        PackError(self.at)
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], PackError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..n)).ok_or(self.damage())?;
        self.at += n;
        Ok(taken)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, PackError> {
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

    pub(super) fn cell(&mut self, cells: &Cells) -> Result<u16, PackError> {
        let number = self.number()?;
        let known = (number as usize) < cells.list.len();
        if known { Ok(number as u16) } else { Err(self.damage()) }
    }
}

impl Unpacker {
    /// Can this block be unpacked now? One that does not stand for itself must follow the one that was unpacked last.
    pub fn can_unpack(&self, packed: &[u8], lap: u64) -> bool {
        packed.get(4).is_none_or(|flags| flags & ALONE != 0) || self.next == Some(lap)
    }

    /// Puts the records that `packed` stands for into `out`, with `lap` in their commit words. Blocks of a thread come in
    /// their order: see [`Unpacker::can_unpack`].
    pub fn unpack(&mut self, packed: &[u8], lap: u64, out: &mut Vec<u8>) -> Result<(), PackError> {
        self.begin();
        self.unpack_piece(packed, lap, usize::MAX, out).map(|_| ())
    }

    /// A block begins.
    pub fn begin(&mut self) {
        (self.at, self.done) = (0, 0);
    }

    /// Puts the next records of the block into `out`, until they are about `most` bytes. True if these were the last ones.
    pub fn unpack_piece(&mut self, packed: &[u8], lap: u64, most: usize, out: &mut Vec<u8>) -> Result<bool, PackError> {
        self.marks.clear();
        let mut out = Out { bytes: out, at: 0 };
        let result = self.unpack_records(packed, lap, most, &mut out);
        let at = out.at;
        out.bytes.truncate(at);
        result
    }

    fn unpack_records(&mut self, packed: &[u8], lap: u64, most: usize, out: &mut Out) -> Result<bool, PackError> {
        let mut input = Input { bytes: packed, at: 0 };
        let total = input.take(4)?.try_into().map(u32::from_le_bytes).unwrap_or(0) as usize;
        // What is packed is smaller than the records.
        if total > MAX_UNPACKED || packed.len() > MAX_UNPACKED {
            return Err(PackError(0));
        }
        if self.at == 0 {
            let follows = self.next.take() == Some(lap);
            match input.take(1)?.first().copied() {
                Some(ALONE) => {
                    self.forget();
                    self.cells.time = 0;
                }
                Some(0) if follows => {}
                _ => return Err(PackError(4)),
            }
            self.at = input.at;
        }
        input.at = self.at;
        let rest = total.saturating_sub(self.done);
        while out.at < rest.min(most) {
            self.record(&mut input, (lap, rest), out)?;
        }
        (self.at, self.done) = (input.at, self.done.saturating_add(out.at));
        if self.done < total {
            return Ok(false);
        }
        if self.done != total || input.at != packed.len() {
            return Err(input.damage());
        }
        self.next = Some(lap.wrapping_add(1));
        Ok(true)
    }

    /// Of each record that was unpacked last. What is in `marks` is used again.
    pub fn take_marks(&mut self, marks: &mut Vec<Mark>) {
        marks.clear();
        std::mem::swap(marks, &mut self.marks);
    }

    fn forget(&mut self) {
        self.cells.forget();
        self.versions.clear();
    }

    /// The words of a cell are other ones.
    fn changed(&mut self, cell: u16) {
        let place = usize::from(cell);
        if self.versions.len() <= place {
            self.versions.resize(place + 1, 0);
        }
        self.changes += 1;
        self.versions[place] = self.changes;
    }

    /// Writes the record of a cell, and what is known of it.
    #[inline]
    fn write(&mut self, cell: u16, lap: u64, times: (u64, u64), out: &mut Out) {
        self.cells.write(cell, lap, times, out);
        self.cells.follow(cell);
        let version = self.versions.get(usize::from(cell)).copied().unwrap_or(0);
        self.marks.push(Mark { cell, version });
    }

    fn record(&mut self, input: &mut Input, (lap, total): (u64, usize), out: &mut Out) -> Result<(), PackError> {
        let token = input.take(1)?.first().copied().unwrap_or(FORGET);
        let cells = &mut self.cells;
        let cell = match token {
            AS_PREDICTED | PREDICTED | LEARN => cells.predicted().ok_or(input.damage())?,
            OTHER | OTHER_CHANGED => cells.alternative().ok_or(input.damage())?,
            AGAIN | DERIVED | IN_PLACE => input.cell(cells)?,
            NEW => return self.new_cell(input, lap, out),
            RUN => return self.run(input, (lap, total), out),
            FORGET => {
                self.forget();
                return Ok(());
            }
            _ => return Err(input.damage()),
        };
        let key = cells.key(cell);
        let gap = Cells::gap(input, key)?;
        let (cell, same) = match token {
            AS_PREDICTED | LEARN | OTHER => (cell, !cells.step(cell)),
            PREDICTED | IN_PLACE | OTHER_CHANGED => {
                cells.change(cell, input)?;
                (cell, false)
            }
            AGAIN => {
                cells.stand(cell);
                (cell, true)
            }
            _ => {
                let len = cells.list.get(cell as usize).map_or(0, |c| c.len);
                if !cells.has_room(len) {
                    return Err(input.damage());
                }
                let new = cells.copy(cell, gap);
                cells.change(new, input)?;
                (new, false)
            }
        };
        if token == LEARN {
            let times = Cells::gap(input, key)?;
            cells.expect_times(cell, times);
        }
        let times = cells.times_after(key, gap);
        if !same {
            self.changed(cell);
        }
        self.write(cell, lap, times, out);
        Ok(())
    }

    /// Records that are what was expected, when it was expected.
    fn run(&mut self, input: &mut Input, (lap, total): (u64, usize), out: &mut Out) -> Result<(), PackError> {
        for _ in 0..input.number()? {
            let cells = &mut self.cells;
            let cell = cells.predicted().filter(|_| out.at < total).ok_or(input.damage())?;
            let changed = cells.step(cell);
            let times = cells.times_after(cells.key(cell), cells.expected_times(cell));
            if changed {
                self.changed(cell);
            }
            self.write(cell, lap, times, out);
        }
        Ok(())
    }

    fn new_cell(&mut self, input: &mut Input, lap: u64, out: &mut Out) -> Result<(), PackError> {
        let cells = &mut self.cells;
        let key = input.number()?;
        let len = usize::from(Commit::unpack(key).words).checked_sub(head_of(key)).ok_or(input.damage())?;
        if key > KEY || !cells.has_room(len) {
            return Err(input.damage());
        }
        let gap = Cells::gap(input, key)?;
        let cell = cells.add(key, words_of(input.take(len * 8)?), gap);
        let times = cells.times_after(key, gap);
        self.changed(cell);
        self.write(cell, lap, times, out);
        Ok(())
    }
}
