//! All blocks of a rank: those of its file, and of the segments that its events are in where there is a limit of size. The
//! writer removes the oldest segment before it begins another one; what is open here stays readable, what is closed may be
//! gone.

use super::blocks::{BlockRef, Blocks, number_of};
use super::{Defects, OpenError};
use crate::file::{BlockHeader, BlockKind, SEGMENT_HEADER_BYTES, SEGMENTS, segment_path};
use crate::foreign;
use crate::pack::{Mark, Unpacker};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};

/// What of the blocks of a thread can be unpacked.
#[derive(Default)]
struct Packed {
    unpacker: Unpacker,
    /// It was told that blocks cannot be unpacked since an earlier one is missing.
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
    packed: FxHashMap<u16, Packed>,
    /// The last packed block, and its place; `None`: the buffer means nothing.
    buffer: Vec<u8>,
    held: Option<(u64, u64)>,
    /// The writer is gone: a torn tail is damage, not work in progress.
    pub(super) finished: bool,
}

impl Files {
    /// `stem`: of the segments, if there may be any.
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
            // Whether there is another one must be known before it is known that this one has no more.
            let later = self.find_segment();
            if let Some(blocks) = self.segments.back_mut() {
                // The writer has gone on to another one: what is torn stays torn.
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

    /// Reads the payload of a block, and unpacks it. False if it is damaged, or goes on from one that is; that is noted.
    pub(super) fn payload(&mut self, block: &BlockRef, out: &mut Vec<u8>) -> Result<bool, OpenError> {
        Ok(self.piece(block, false, usize::MAX, (out, &mut Vec::new()))?.is_some())
    }

    /// The next records of a block, about `most` bytes of them if it is packed; `begun`: the first ones were read before.
    /// Packed ones come with marks. `None` if the block is damaged, otherwise whether these are its last ones.
    pub(super) fn piece(
        &mut self,
        block: &BlockRef,
        begun: bool,
        most: usize,
        (out, marks): (&mut Vec<u8>, &mut Vec<Mark>),
    ) -> Result<Option<bool>, OpenError> {
        marks.clear();
        let is_packed = block.header.kind == BlockKind::Packed as u16;
        let held = self.held.take();
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = if begun && held == Some(block.place()) {
            Ok(true)
        } else {
            let Some(blocks) = self.of(block.segment) else { return Ok(None) };
            let read = match begun {
                // It was found to be whole.
                true => blocks.read_payload(block, &mut buffer).map(|()| true),
                false => blocks.payload(block, if is_packed { &mut buffer } else { out }),
            };
            if read.is_err() && blocks.is_gone() {
                self.is_cut = true;
                self.buffer = buffer;
                out.clear();
                return Ok(None);
            }
            read
        };
        let piece = match read {
            Ok(true) if is_packed => {
                self.held = Some(block.place());
                Ok(self.unpack(block, &buffer, begun, most, (out, marks)))
            }
            read => read.map(|whole| whole.then_some(true)),
        };
        self.buffer = buffer;
        piece
    }

    fn unpack(
        &mut self,
        block: &BlockRef,
        packed: &[u8],
        begun: bool,
        most: usize,
        (out, marks): (&mut Vec<u8>, &mut Vec<Mark>),
    ) -> Option<bool> {
        let BlockHeader { thread, lap, .. } = block.header;
        let is_cut = self.is_cut;
        let Packed { unpacker, told } = self.packed.entry(thread).or_default();
        if !begun {
            let can = unpacker.can_unpack(packed, lap);
            let first = !std::mem::replace(told, !can);
            if !can {
                out.clear();
                if first && !is_cut {
                    self.defect(block, NO_BEGINNING);
                }
                return None;
            }
            unpacker.begin();
        }
        // What is in front of the damage is whole.
        let last = unpacker.unpack_piece(packed, lap, most, out);
        unpacker.take_marks(marks);
        Some(last.unwrap_or_else(|e| {
            self.defect(block, e.to_string());
            true
        }))
    }

    /// Closes all files until they are needed again.
    pub(super) fn close(&mut self) {
        self.main.close();
        self.segments.iter_mut().for_each(Blocks::close);
    }
}

const NO_BEGINNING: &str =
    "goes on from a block that is lost: skipped, with those behind it up to the next one that stands for itself";

/// The segment that is in the place of the one with this number, with its own number.
fn segment(dir: &Path, stem: &str, number: u64) -> Option<(u64, PathBuf, File)> {
    let path = segment_path(dir, stem, number);
    let file = foreign::open(&path).ok()?;
    Some((number_of(&file).ok().flatten()?, path, file))
}
