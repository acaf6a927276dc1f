//! Packed blocks to records: the inverse of [`trace_format::pack`].

mod input;
mod rounds;
#[cfg(test)]
mod tests;

use input::Input;
use rounds::Round;
use trace_format::pack::bytes::{head_of, words_of};
use trace_format::pack::cells::{Cell, Cells};
use trace_format::pack::tokens::{
    AGAIN, AS_PREDICTED, DERIVED, FORGET, IN_PLACE, LEARN, NEW, OTHER, OTHER_CHANGED, PREDICTED, RUN,
};
use trace_format::pack::{ALONE, KEY, MAX_UNPACKED};
use trace_format::record::Commit;

pub use rounds::CallTimes;

/// A packed block that cannot be unpacked: it is damaged at this byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("packed records are damaged at byte {0}")]
pub struct PackError(pub usize);

/// Unpacks the blocks of one thread.
pub struct Unpacker {
    cells: Cells,
    /// The lap of the block that may go on from what was unpacked last.
    next: Option<u64>,
    /// How far the block was unpacked: bytes of it, and bytes of the records that these stand for.
    at: usize,
    done: usize,
    /// Records that are still to come of the last token.
    run: u64,
    /// The version of each cell: `changes` as it was when its words changed last.
    versions: Vec<u64>,
    changes: u64,
    /// The round that was unpacked last, if nothing but repeats of it was unpacked since.
    round: Option<Box<Round>>,
}

/// The cell that a record was unpacked from, and its version: two records of one thread with equal versions differ in
/// their times and their result at most (and in their lap).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CellVersion {
    /// Small numbers, which are used again.
    pub index: u16,
    /// How many changes of any cell there were when this one changed last, from 1.
    pub version: u64,
}

impl Default for Unpacker {
    fn default() -> Unpacker {
        let (versions, round) = (Vec::new(), None);
        Unpacker { cells: Cells::default(), next: None, at: 0, done: 0, run: 0, versions, changes: 0, round }
    }
}

/// A record that was not written out.
#[derive(Clone, Copy)]
pub struct Unpacked<'a> {
    /// The cell that it is in, to tell records that are alike.
    pub cell: CellVersion,
    /// The words behind those in front, see [`Unpacked::write`].
    pub words: &'a [u64],
    /// When it began, and of a call word 2.
    pub times: (u64, u64),
    /// The commit word without the lap.
    pub key: u64,
    /// The lap of its block, which stands in the upper bits of its commit word.
    pub lap: u64,
}

impl Unpacked<'_> {
    /// Words in front of the others.
    pub fn head(&self) -> usize {
        head_of(self.key)
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        (self.head() + self.words.len()) * 8
    }

    /// Writes the record into `out`, and nothing else.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Bytes that are there already are overwritten, and not zeroed before.
        out.resize(self.bytes(), 0);
        self.fill(out);
    }

    /// Writes it behind what is there.
    #[inline]
    pub fn add_to(&self, out: &mut Vec<u8>) {
        let from = out.len();
        out.resize(from + self.bytes(), 0);
        self.fill(&mut out[from..]);
    }

    #[inline]
    fn fill(&self, out: &mut [u8]) {
        let (heads, rest) = out.as_chunks_mut::<8>().0.split_at_mut(self.head());
        let head = [self.key | self.lap << 40, self.times.0, self.times.1];
        let put = |places: &mut [[u8; 8]], words: &[u64]| {
            let n = places.len().min(words.len());
            let (places, words) = (&mut places[..n], &words[..n]);
            for i in 0..n {
                places[i] = words[i].to_le_bytes();
            }
        };
        put(heads, &head);
        put(rest, self.words);
    }
}

/// Takes records that are unpacked.
trait Records {
    /// Bytes of the records so far.
    fn bytes(&self) -> usize;

    fn add(&mut self, record: Unpacked);
}

/// Writes records one behind the other.
struct Written<'a>(&'a mut Vec<u8>);

impl Records for Written<'_> {
    #[inline]
    fn bytes(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn add(&mut self, record: Unpacked) {
        record.add_to(self.0);
    }
}

/// Looks at records.
struct Seen<F> {
    bytes: usize,
    /// `look` wants more.
    more: bool,
    look: F,
}

impl<F: FnMut(Unpacked) -> bool> Records for Seen<F> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.bytes
    }

    #[inline(always)]
    fn add(&mut self, record: Unpacked) {
        self.bytes += record.bytes();
        self.more = (self.look)(record);
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
        (self.at, self.done, self.run) = (0, 0, 0);
    }

    /// Puts the next records of the block into `out`, until they are about `most` bytes. True if these were the last ones.
    pub fn unpack_piece(&mut self, packed: &[u8], lap: u64, most: usize, out: &mut Vec<u8>) -> Result<bool, PackError> {
        out.clear();
        self.unpack_while(packed, lap, &mut Written(out), |unpacker, input, out| {
            let more = out.bytes() < most;
            if more {
                unpacker.record(input, lap, out)?;
            }
            Ok(more)
        })
    }

    /// Shows the next records of the block, until they are about `most` bytes, or `look` wants no more. True if these were the
    /// last ones.
    pub fn look(
        &mut self,
        packed: &[u8],
        lap: u64,
        most: usize,
        look: impl FnMut(Unpacked) -> bool,
    ) -> Result<bool, PackError> {
        let mut seen = Seen { bytes: 0, more: true, look };
        self.unpack_while(packed, lap, &mut seen, |unpacker, input, seen| {
            let more = seen.bytes < most && seen.more;
            if more {
                unpacker.record(input, lap, seen)?;
            }
            Ok(more)
        })
    }

    /// Shows the next `records` records of the block, or all that are left. They are taken for a round of a loop, which may come
    /// again: see [`Unpacker::rounds`]. True if these were the last ones.
    pub fn look_at_round(
        &mut self,
        packed: &[u8],
        lap: u64,
        records: usize,
        mut look: impl FnMut(Unpacked),
    ) -> Result<bool, PackError> {
        let look = |record: Unpacked| {
            look(record);
            true
        };
        let mut seen = Seen { bytes: 0, more: true, look };
        self.unpack_round(packed, lap, records, &mut seen)
    }

    /// Unpacks the next records of the block, as long as `next` does it and none is missing.
    #[inline(always)]
    fn unpack_while<R: Records>(
        &mut self,
        packed: &[u8],
        lap: u64,
        out: &mut R,
        mut next: impl FnMut(&mut Unpacker, &mut Input, &mut R) -> Result<bool, PackError>,
    ) -> Result<bool, PackError> {
        self.round.iter_mut().for_each(|round| round.give_up());
        let mut input = Input { bytes: packed, at: 0 };
        let total = input.take(4)?.try_into().map(u32::from_le_bytes).unwrap_or(0) as usize;
        // A packed block is smaller than its records.
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
        while out.bytes() < rest && next(self, &mut input, out)? {}
        (self.at, self.done) = (input.at, self.done.saturating_add(out.bytes()));
        if self.done < total {
            return Ok(false);
        }
        if self.done != total || input.at != packed.len() || self.is_in_run() {
            return Err(input.damage());
        }
        self.next = Some(lap.wrapping_add(1));
        Ok(true)
    }

    fn forget(&mut self) {
        self.cells.forget();
        self.versions.clear();
    }

    /// Notes that the words of a cell have changed.
    fn changed(&mut self, cell: u16) {
        let place = usize::from(cell);
        if self.versions.len() <= place {
            self.versions.resize(place + 1, 0);
        }
        self.changes += 1;
        self.versions[place] = self.changes;
    }

    /// Hands over the record of a cell.
    #[inline(always)]
    fn add<R: Records>(&mut self, cell: u16, lap: u64, times: (u64, u64), out: &mut R) {
        let version = self.versions.get(usize::from(cell)).copied().unwrap_or(0);
        if let Some((Cell { key, .. }, words, _)) = self.cells.get(cell) {
            out.add(Unpacked { cell: CellVersion { index: cell, version }, words, times, key: *key, lap });
        }
        self.cells.follow(cell);
    }

    #[inline(always)]
    fn record<R: Records>(&mut self, input: &mut Input, lap: u64, out: &mut R) -> Result<(), PackError> {
        if self.is_in_run() {
            return self.run_on(input, lap, out);
        }
        let token = input.token()?;
        let cells = &mut self.cells;
        let cell = match token {
            AS_PREDICTED | PREDICTED | LEARN => cells.predicted().ok_or(input.damage())?,
            OTHER | OTHER_CHANGED => cells.alternative().ok_or(input.damage())?,
            AGAIN | DERIVED | IN_PLACE => input.cell(cells)?,
            NEW => return self.new_cell(input, lap, out),
            RUN => {
                self.run = input.number()?;
                return Ok(());
            }
            FORGET => {
                self.forget();
                return Ok(());
            }
            _ => return Err(input.damage()),
        };
        let key = cells.key(cell);
        let gap = input.gap(key)?;
        let (cell, same) = match token {
            AS_PREDICTED | LEARN | OTHER => (cell, !cells.step(cell)),
            PREDICTED | IN_PLACE | OTHER_CHANGED => {
                input.change(cells, cell)?;
                (cell, false)
            }
            AGAIN => {
                cells.stand(cell);
                (cell, true)
            }
            _ => {
                let len = cells.list.get(cell as usize).map_or(0, |c| c.len as usize);
                if !cells.has_room(len) {
                    return Err(input.damage());
                }
                let new = cells.copy(cell, gap);
                input.change(cells, new)?;
                (new, false)
            }
        };
        if token == LEARN {
            let times = input.gap(key)?;
            cells.expect_times(cell, times);
        }
        let times = cells.times_after(key, gap);
        if !same {
            self.changed(cell);
        }
        self.add(cell, lap, times, out);
        Ok(())
    }

    fn is_in_run(&self) -> bool {
        self.run > 0
    }

    /// Hands over the next record of a run: as expected, when it was expected.
    fn run_on<R: Records>(&mut self, input: &Input, lap: u64, out: &mut R) -> Result<(), PackError> {
        self.run -= 1;
        let cells = &mut self.cells;
        let cell = cells.predicted().ok_or(input.damage())?;
        let changed = cells.step(cell);
        let times = cells.times_after(cells.key(cell), cells.expected_times(cell));
        if changed {
            self.changed(cell);
        }
        self.add(cell, lap, times, out);
        Ok(())
    }

    fn new_cell<R: Records>(&mut self, input: &mut Input, lap: u64, out: &mut R) -> Result<(), PackError> {
        let cells = &mut self.cells;
        let key = input.number()?;
        let len = usize::from(Commit::unpack(key).words).checked_sub(head_of(key)).ok_or(input.damage())?;
        if key > KEY || !cells.has_room(len) {
            return Err(input.damage());
        }
        let gap = input.gap(key)?;
        let cell = cells.add(key, words_of(input.take(len * 8)?), gap);
        let times = cells.times_after(key, gap);
        self.changed(cell);
        self.add(cell, lap, times, out);
        Ok(())
    }
}
