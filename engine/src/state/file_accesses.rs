//! The accesses to a file of all ranks that have opened it, as far as their bytes are known.

use super::call::Origin;
use super::turns::LastUse;
use rma::{Access, Deed, InOrder, Unordered};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use typemap::Typemap;

/// More pieces between two common calls are not kept.
const MOST_PIECES: usize = 1 << 20;

/// The view of a rank: where its data are in the file.
#[derive(Clone)]
pub(crate) struct FileView {
    pub(crate) displacement: i64,
    pub(crate) etype_size: i64,
    pub(crate) filetype: Arc<Typemap>,
}

/// The part of one rank.
#[derive(Default)]
pub(crate) struct FileMember {
    /// How many calls that separate accesses it has made.
    pub(crate) interval: u64,
    /// `None`: not known.
    pub(crate) view: Option<FileView>,
    /// Its individual pointer in etypes, where it is known.
    pub(crate) pointer: Option<i64>,
    pub(crate) is_atomic: bool,
    pub(crate) last_use: LastUse,
}

/// Bytes of a file that a call reads or writes.
#[derive(Clone)]
pub(crate) struct FilePiece {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) member: i32,
    pub(crate) writes: bool,
    pub(crate) call: Rc<Origin>,
}

/// Two accesses of two ranks to the same bytes, one of which writes.
pub(crate) struct FileConflict {
    pub(crate) first: FilePiece,
    pub(crate) second: FilePiece,
    pub(crate) byte: i64,
}

/// See [`super::Comm::file`].
#[derive(Default)]
pub(crate) struct FileAccesses {
    pub(crate) members: FxHashMap<i32, FileMember>,
    /// By the number of the interval between calls that separate accesses.
    pieces: FxHashMap<u64, Vec<FilePiece>>,
    kept: usize,
    /// Something about it is not known: nothing is said.
    pub(crate) unclear: bool,
}

impl FileAccesses {
    pub(crate) fn add(&mut self, interval: u64, piece: FilePiece) {
        if self.kept >= MOST_PIECES {
            self.unclear = true;
            return;
        }
        let pieces = self.pieces.entry(interval).or_default();
        // Accesses of a loop that go on where the last one ended are one.
        if let Some(last) = pieces.last_mut()
            && (last.member, last.writes, last.end) == (piece.member, piece.writes, piece.start)
            && (last.call.func, last.call.site) == (piece.call.func, piece.call.site)
        {
            last.end = piece.end;
            return;
        }
        pieces.push(piece);
        self.kept += 1;
    }

    /// The intervals that all of `members` ranks are beyond; all of them at the end.
    pub(crate) fn take(&mut self, members: u32, is_end: bool) -> Vec<Vec<FilePiece>> {
        let beyond = match (is_end, self.members.len() == members as usize) {
            (true, _) => u64::MAX,
            (false, true) => self.members.values().map(|member| member.interval).min().unwrap_or(0),
            (false, false) => 0,
        };
        let mut over: Vec<u64> = self.pieces.keys().copied().filter(|interval| *interval < beyond).collect();
        over.sort_unstable();
        let all: Vec<Vec<FilePiece>> = over.iter().filter_map(|interval| self.pieces.remove(interval)).collect();
        self.kept = self.kept.saturating_sub(all.iter().map(Vec::len).sum());
        all
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.pieces.values().flatten().map(|piece| &piece.call)
    }
}

/// Overlapping pieces of different members, one of which writes: for each piece at most two before it.
pub(crate) fn conflicts(pieces: &mut [FilePiece]) -> Vec<FileConflict> {
    pieces.sort_by_key(|p| (p.start, p.end, p.member, p.call.thread, p.call.index));
    let mut all = Unordered::default();
    for (number, piece) in pieces.iter().enumerate() {
        let deed = if piece.writes { Deed::Write } else { Deed::Read };
        all.add(Access { start: piece.start, end: piece.end, origin: piece.member, deed, call: number });
    }
    let mut found = Vec::new();
    all.conflicts(0, InOrder::All, |a, b, byte| {
        let (first, second) = (pieces[a.call].clone(), pieces[b.call].clone());
        found.push(FileConflict { byte, first, second });
    });
    found
}
