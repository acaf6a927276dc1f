//! The accesses to a file of all ranks that have opened it, as far as their bytes are known.

use super::call::Origin;
use super::turns::LastUse;
use rma::{Access, Deed, InOrder, Unordered};
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// The last of its calls since MPI_File_sync that all come one right behind the other, and none of which is collective:
    /// nothing tells the process meanwhile how far others are.
    pub(crate) straight: Option<u64>,
}

impl FileMember {
    /// A call on the file that separates nothing has returned; `is_alone`: no other process or thread can have a part in it.
    pub(crate) fn go_on(&mut self, call: &Origin, is_alone: bool) {
        let is_next = self.straight.is_some_and(|last| last + 1 == call.index);
        self.straight = Some(call.index).filter(|_| is_next && is_alone);
    }

    /// A call that separates accesses has returned; `is_sync`: that is MPI_File_sync.
    pub(crate) fn separate(&mut self, call: &Origin, is_sync: bool) {
        self.interval += 1;
        self.straight = Some(call.index).filter(|_| is_sync);
    }
}

/// Bytes of a file that a call reads or writes.
#[derive(Clone)]
pub(crate) struct FilePiece {
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// See [`FileMember::interval`].
    pub(crate) interval: u64,
    pub(crate) member: i32,
    pub(crate) writes: bool,
    /// Nothing but MPI_File_sync and calls of its process alone is between it and the interval before.
    pub(crate) is_straight: bool,
    pub(crate) call: Rc<Origin>,
}

/// Two accesses of two ranks to the same bytes, one of which writes.
pub(crate) struct FileConflict {
    pub(crate) first: FilePiece,
    pub(crate) second: FilePiece,
    pub(crate) byte: i64,
}

impl FileConflict {
    /// Is one MPI_File_sync between the two?
    pub(crate) fn is_half(&self) -> bool {
        self.first.interval != self.second.interval
    }
}

/// The last interval that all are beyond, until the next one is judged.
#[derive(Default)]
struct Before {
    interval: u64,
    is_synced: bool,
    pieces: Vec<FilePiece>,
}

/// See [`super::Comm::file`].
#[derive(Default)]
pub(crate) struct FileAccesses {
    pub(crate) members: FxHashMap<i32, FileMember>,
    /// By the number of the interval between calls that separate accesses.
    pieces: FxHashMap<u64, Vec<FilePiece>>,
    kept: usize,
    /// The intervals with accesses that MPI_File_sync ends.
    synced: FxHashSet<u64>,
    before: Before,
    /// Something about it is not known: nothing is said.
    pub(crate) unclear: bool,
}

impl FileAccesses {
    pub(crate) fn add(&mut self, piece: FilePiece) {
        if self.kept >= MOST_PIECES {
            self.unclear = true;
            return;
        }
        let pieces = self.pieces.entry(piece.interval).or_default();
        // Accesses of a loop that go on where the last one ended are one.
        if let Some(last) = pieces.last_mut()
            && (last.member, last.writes, last.is_straight) == (piece.member, piece.writes, piece.is_straight)
            && last.end == piece.start
            && (last.call.func, last.call.site) == (piece.call.func, piece.call.site)
        {
            last.end = piece.end;
            return;
        }
        pieces.push(piece);
        self.kept += 1;
    }

    /// MPI_File_sync of a process ends this interval. Those that accessed nothing in it need not say so.
    pub(crate) fn sync(&mut self, interval: u64) {
        if self.pieces.contains_key(&interval) {
            self.synced.insert(interval);
        }
    }

    /// Conflicts in the intervals that all of `members` ranks are beyond; in all of them at the end.
    pub(crate) fn judge(&mut self, members: u32, is_end: bool) -> Vec<FileConflict> {
        let beyond = match (is_end, self.members.len() == members as usize) {
            (true, _) => u64::MAX,
            (false, true) => self.members.values().map(|member| member.interval).min().unwrap_or(0),
            (false, false) => 0,
        };
        let mut over: Vec<u64> = self.pieces.keys().copied().filter(|interval| *interval < beyond).collect();
        over.sort_unstable();
        let mut found = Vec::new();
        for interval in over {
            let mut pieces = self.pieces.remove(&interval).unwrap_or_default();
            found.extend(conflicts(&mut pieces));
            found.extend(self.halves(interval, &pieces));
            self.kept = self.kept.saturating_sub(self.before.pieces.len());
            self.before = Before { interval, is_synced: self.synced.remove(&interval), pieces };
        }
        found
    }

    /// Conflicts of an interval with the one before, where MPI_File_sync is between them and nothing else.
    fn halves(&self, interval: u64, pieces: &[FilePiece]) -> Vec<FileConflict> {
        let is_next = self.before.is_synced && self.before.interval + 1 == interval;
        let straight: Vec<&FilePiece> = pieces.iter().filter(|piece| is_next && piece.is_straight).collect();
        if straight.is_empty() || self.before.pieces.is_empty() {
            return Vec::new();
        }
        let mut both: Vec<FilePiece> = self.before.pieces.iter().chain(straight).cloned().collect();
        let mut found = conflicts(&mut both);
        found.retain(FileConflict::is_half);
        found
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.pieces.values().flatten().chain(&self.before.pieces).map(|piece| &piece.call)
    }
}

/// Overlapping pieces of different members, one of which writes: for each piece at most two before it.
fn conflicts(pieces: &mut [FilePiece]) -> Vec<FileConflict> {
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
