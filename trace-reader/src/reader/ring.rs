//! All blocks of a rank: those of its file, and of the segments that hold its events where the size is limited. The writer
//! removes the oldest segment before it begins another one: a segment that is open here stays readable, a closed one may be
//! gone.

use super::blocks::{BlockRef, Blocks, number_of};
use super::{Defects, OpenError};
use crate::unpack::{CallTimes, PackError, Unpacked, Unpacker};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_format::file::{BlockHeader, BlockKind, SEGMENT_HEADER_BYTES, SEGMENTS, segment_path};
use trace_format::untrusted;

/// How much of a block is unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Amount {
    /// Records of about so many bytes.
    Bytes(usize),
    /// So many records, which may be a round of a loop.
    Round(usize),
}

/// Unpacks the blocks of a thread.
#[derive(Default)]
struct Packed {
    unpacker: Unpacker,
    /// A defect was noted for blocks that cannot be unpacked, since an earlier one is missing.
    told: bool,
}

/// See the module.
pub(super) struct Files {
    pub(super) main: Blocks,
    /// Segments that are open, by number; the last one may still grow.
    segments: VecDeque<Blocks>,
    /// Where segments are; `None`: there are none.
    stem: Option<(PathBuf, String)>,
    /// The number of the last segment that was opened.
    last: u64,
    /// Segments are gone that were not read, or not to their end.
    pub(super) is_cut: bool,
    /// By thread. Boxed: most maps have room for three, and one in them.
    packed: FxHashMap<u16, Box<Packed>>,
    /// The last packed block, and its place; `None`: the buffer means nothing.
    buffer: Vec<u8>,
    held: Option<(u64, u64)>,
    /// The writer is gone: a torn tail is damage, not work in progress.
    pub(super) finished: bool,
}

impl Files {
    /// `stem`: the names of the segments begin with it, if there may be any.
    pub(super) fn new(main: Blocks, stem: Option<(PathBuf, String)>) -> Files {
        Files {
            main,
            segments: VecDeque::new(),
            stem,
            last: 0,
            is_cut: false,
            packed: FxHashMap::default(),
            buffer: Vec::new(),
            held: None,
            finished: false,
        }
    }

    /// Has the trace a limit of size?
    pub(super) fn are_limited(&self) -> bool {
        self.stem.is_some()
    }

    pub(super) fn renumber(&mut self, process: i32) {
        self.main.rank = process;
        self.segments.iter_mut().for_each(|s| s.rank = process);
    }

    pub(super) fn finish(&mut self) {
        self.finished = true;
        self.main.finished = true;
        self.segments.iter_mut().for_each(|s| s.finished = true);
    }

    /// Where the last block that was found ends, in its file.
    pub(super) fn position(&self) -> u64 {
        self.segments.back().unwrap_or(&self.main).position()
    }

    /// Bytes behind the last block that was found.
    pub(super) fn unread(&self) -> u64 {
        self.main.unread() + self.segments.back().map_or(0, Blocks::unread)
    }

    pub(super) fn take_defects(&mut self, all: &mut Defects) {
        all.take(&mut self.main.defects);
        self.segments.iter_mut().for_each(|s| all.take(&mut s.defects));
    }

    fn of(&mut self, segment: u64) -> Option<&mut Blocks> {
        match segment {
            0 => Some(&mut self.main),
            _ => self.segments.iter_mut().find(|s| s.segment() == segment),
        }
    }

    /// Where the block can be read again: the writer removes segments.
    pub(super) fn place_of(&self, block: &BlockRef) -> Option<(&Arc<Path>, BlockRef)> {
        (block.segment == 0).then(|| (self.main.path(), *block))
    }

    pub(super) fn defect(&mut self, block: &BlockRef, what: impl Into<String>) {
        if let Some(blocks) = self.of(block.segment) {
            blocks.defect(block.start, what);
        }
    }

    /// The next whole block: see [`Blocks::next`].
    pub(super) fn next(&mut self, staged: impl Fn() -> bool) -> Result<Option<BlockRef>, OpenError> {
        if let Some(block) = self.main.next(&staged)? {
            return Ok(Some(block));
        }
        loop {
            // First it is asked whether there is another segment, then whether this one has more: in the other order blocks could
            // come in between.
            let later = self.find_segment();
            if let Some(blocks) = self.segments.back_mut() {
                // The writer has gone on to another segment: a torn block stays torn.
                blocks.finished |= later.is_some();
                match blocks.next(&staged) {
                    Ok(Some(block)) => return Ok(Some(block)),
                    Ok(None) => {}
                    Err(_) if blocks.is_gone() => self.is_cut = true,
                    Err(e) => return Err(e),
                }
            }
            let Some((number, path, file)) = later else { return Ok(None) };
            self.is_cut |= number != self.last.wrapping_add(1);
            self.last = number;
            let mut blocks = Blocks::new(self.main.rank, (number, path), file, SEGMENT_HEADER_BYTES as u64);
            blocks.finished = self.finished;
            self.segments.push_back(blocks);
        }
    }

    /// The first segment behind the last one that was opened.
    fn find_segment(&self) -> Option<(u64, PathBuf, File)> {
        let (dir, stem) = self.stem.as_ref()?;
        let next = self.last.wrapping_add(1);
        if let Some(found) = segment(dir, stem, next).filter(|s| s.0 == next) {
            return Some(found);
        }
        // The writer may have died while it replaced a segment.
        let all = (0..SEGMENTS).filter_map(|place| segment(dir, stem, place));
        all.filter(|s| s.0 > self.last).min_by_key(|s| s.0)
    }

    /// Closes the segments in front of this one.
    pub(super) fn close_before(&mut self, segment: u64) {
        while self.segments.len() > 1 && self.segments.front().is_some_and(|s| s.segment() < segment) {
            if let Some(mut gone) = self.segments.pop_front() {
                self.main.defects.take(&mut gone.defects);
            }
        }
    }

    /// Reads the payload of a block, and unpacks it. False if it is damaged or gone; that is noted.
    pub(super) fn payload(&mut self, block: &BlockRef, out: &mut Vec<u8>) -> Result<bool, OpenError> {
        Ok(self.begin(block, usize::MAX, out)?.is_some())
    }

    /// Reads the payload of a block and unpacks its first record ([`Files::look`] goes on), or gives all records if it is not
    /// packed. `None` if it is damaged or gone, otherwise whether there are no more.
    pub(super) fn first(&mut self, block: &BlockRef, out: &mut Vec<u8>) -> Result<Option<bool>, OpenError> {
        self.begin(block, 1, out)
    }

    fn begin(&mut self, block: &BlockRef, most: usize, out: &mut Vec<u8>) -> Result<Option<bool>, OpenError> {
        self.held = None;
        if block.header.kind != BlockKind::Packed as u16 {
            return Ok(self.read(block, false, out)?.then_some(true));
        }
        out.clear();
        if !self.hold(block, false)? {
            return Ok(None);
        }
        let BlockHeader { thread, lap, .. } = block.header;
        let is_cut = self.is_cut;
        let Packed { unpacker, told } = &mut **self.packed.entry(thread).or_default();
        let can = unpacker.can_unpack(&self.buffer, lap);
        let first = !std::mem::replace(told, !can);
        if !can {
            if first && !is_cut {
                self.defect(block, NO_BEGINNING);
            }
            return Ok(None);
        }
        unpacker.begin();
        // Records in front of damage are whole.
        let last = unpacker.unpack_piece(&self.buffer, lap, most, out);
        Ok(Some(self.is_last(block, last)))
    }

    /// Shows the next records of a packed block whose first ones were read. `None` if it is gone, otherwise whether there are
    /// no more.
    pub(super) fn look(
        &mut self,
        block: &BlockRef,
        amount: Amount,
        mut look: impl FnMut(Unpacked) -> bool,
    ) -> Result<Option<bool>, OpenError> {
        let BlockHeader { thread, lap, .. } = block.header;
        if !self.hold(block, true)? {
            return Ok(None);
        }
        let Packed { unpacker, .. } = &mut **self.packed.entry(thread).or_default();
        let last = match amount {
            Amount::Bytes(most) => unpacker.look(&self.buffer, lap, most, look),
            Amount::Round(records) => unpacker.look_at_round(&self.buffer, lap, records, |record| _ = look(record)),
        };
        Ok(Some(self.is_last(block, last)))
    }

    /// Were these the last records of the block? Damage ends it, and is noted.
    fn is_last(&mut self, block: &BlockRef, last: Result<bool, PackError>) -> bool {
        last.unwrap_or_else(|e| {
            self.defect(block, e.to_string());
            true
        })
    }

    /// Puts the payload of a packed block into the buffer. False if it is damaged or gone; `begun`: it was found to be whole
    /// before.
    fn hold(&mut self, block: &BlockRef, begun: bool) -> Result<bool, OpenError> {
        if begun && self.held == Some(block.place()) {
            return Ok(true);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.read(block, begun, &mut buffer);
        self.buffer = buffer;
        self.held = matches!(read, Ok(true)).then(|| block.place());
        read
    }

    /// Reads the payload of a block as it stands in the file.
    fn read(&mut self, block: &BlockRef, begun: bool, out: &mut Vec<u8>) -> Result<bool, OpenError> {
        let Some(blocks) = self.of(block.segment) else { return Ok(false) };
        let read = match begun {
            true => blocks.read_payload(block, out).map(|()| true),
            false => blocks.payload(block, out),
        };
        if read.is_err() && blocks.is_gone() {
            self.is_cut = true;
            out.clear();
            return Ok(false);
        }
        read
    }

    /// Were the records that were unpacked last of this thread a round that may come again?
    pub(super) fn knows_round(&self, thread: u16) -> bool {
        self.packed.get(&thread).is_some_and(|packed| packed.unpacker.knows_round())
    }

    /// Goes on in a block whose first records were read, as long as the round that was unpacked last comes again: see
    /// [`Unpacker::rounds`].
    pub(super) fn rounds(&mut self, block: &BlockRef, most: usize, times: &mut Vec<CallTimes>) -> (usize, usize) {
        match self.packed.get_mut(&block.header.thread).filter(|_| self.held == Some(block.place())) {
            Some(packed) => packed.unpacker.rounds(&self.buffer, most, times),
            None => (0, 0),
        }
    }

    /// There are no more blocks: what was kept to unpack others is given back.
    pub(super) fn forget_records(&mut self) {
        (self.packed, self.buffer, self.held) = (FxHashMap::default(), Vec::new(), None);
    }

    /// Closes all files until they are needed again.
    pub(super) fn close(&mut self) {
        self.main.close();
        self.segments.iter_mut().for_each(Blocks::close);
    }
}

const NO_BEGINNING: &str =
    "goes on from a block that is lost: skipped, with those behind it up to the next one that stands for itself";

/// Opens the segment that now has the place of the one with this number. Returns it with its own number.
fn segment(dir: &Path, stem: &str, number: u64) -> Option<(u64, PathBuf, File)> {
    let path = segment_path(dir, stem, number);
    let file = untrusted::open(&path).ok()?;
    Some((number_of(&file).ok().flatten()?, path, file))
}
