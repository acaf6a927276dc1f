//! All blocks of a rank: those of its file, and of the segments that its events are in where there is a limit of size. The
//! writer removes the oldest segment before it begins another one; what is open here stays readable.

use super::blocks::{BlockRef, Blocks};
use super::{Defects, OpenError};
use crate::file::{BlockKind, SEGMENT_HEADER_BYTES, SEGMENTS, SNAPSHOT, segment_number, segment_path};
use crate::pack::Unpacker;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
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
    /// Segments are gone that nobody has read.
    pub(super) is_cut: bool,
    packed: FxHashMap<u16, Packed>,
    buffer: Vec<u8>,
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
                while let Some(block) = blocks.next(&staged)? {
                    // It repeats what was read already.
                    let is_known = block.header.kind == BlockKind::Definitions as u16
                        && block.header.thread == SNAPSHOT
                        && !self.is_cut
                        && block.segment > 1;
                    if !is_known {
                        return Ok(Some(block));
                    }
                }
            }
            let Some((number, path, file)) = later else { return Ok(None) };
            self.is_cut |= number != self.last + 1;
            self.last = number;
            let mut blocks = Blocks::new(self.main.rank, (number, path), file, SEGMENT_HEADER_BYTES as u64);
            blocks.finished = self.finished;
            self.segments.push_back(blocks);
        }
    }

    /// The first segment behind the last one that was opened.
    fn find_segment(&self) -> Option<(u64, PathBuf, File)> {
        let (dir, stem) = self.stem.as_ref()?;
        let next = segment(dir, stem, self.last + 1)?;
        if next.0 == self.last + 1 {
            return Some(next);
        }
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
        let header = block.header;
        let is_packed = header.kind == BlockKind::Packed as u16;
        let mut buffer = std::mem::take(&mut self.buffer);
        let Some(blocks) = self.of(block.segment) else { return Ok(false) };
        let read = blocks.payload(block, if is_packed { &mut buffer } else { out });
        if is_packed && matches!(read, Ok(true)) {
            let Packed { unpacker, told } = self.packed.entry(header.thread).or_default();
            let what = if unpacker.can_unpack(&buffer, header.lap) {
                *told = false;
                unpacker.unpack(&buffer, header.lap, out).err().map(|e| e.to_string())
            } else {
                out.clear();
                let first = !std::mem::replace(told, true);
                // In front of the first segment that is left, nothing is expected.
                let what = "goes on from a block that is lost: skipped, with those behind it up to the next one that stands for itself";
                first.then(|| what.to_owned())
            };
            let is_lost = *told;
            if let Some(what) = what {
                // What is in front of the damage is whole.
                self.defect(block, what);
            }
            self.buffer = buffer;
            return Ok(!is_lost);
        }
        self.buffer = buffer;
        read
    }
}

/// The segment that is in the place of the one with this number, with its own number.
fn segment(dir: &Path, stem: &str, number: u64) -> Option<(u64, PathBuf, File)> {
    let path = segment_path(dir, stem, number);
    let file = File::open(&path).ok()?;
    let mut head = [0; SEGMENT_HEADER_BYTES];
    file.read_exact_at(&mut head, 0).ok()?;
    Some((segment_number(&head)?, path, file))
}
