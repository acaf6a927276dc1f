//! The bytes that calls access in files, and which of them nothing separates.

use super::files::{Pointer, collective, is_access, pointer};
use crate::arg_places::{ArgPlaces, NONE};
use crate::model::Model;
use crate::state::{CommIx, FileConflict, FileMember, FilePiece, FileView, Member, Origin, row_int};
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Coll, FnId, Kind};
use trace_reader::args::Arg;
use typemap::Typemap;

/// More pieces of one access are not looked at.
const MOST_RUNS: usize = 1 << 12;

/// Does the call separate what comes before it on all ranks from what comes after it?
fn separates(coll: Coll) -> bool {
    use Coll::*;
    matches!(coll, FileSync | FileSetSize | FilePreallocate | FileSetView | FileSetAtomicity | FileClose)
}

/// The bytes of `total` bytes of data behind the first `skip` of a view. `None`: too many pieces.
fn bytes(view: &FileView, skip: i64, total: i64) -> Option<Vec<(i64, i64)>> {
    let size = i64::try_from(view.filetype.size()).ok().filter(|size| *size > 0)?;
    let (tile, mut skip) = (skip / size, skip % size);
    let tiles = skip.checked_add(total)?.checked_add(size - 1)? / size;
    let base = tile.checked_mul(view.filetype.extent())?.checked_add(view.displacement)?;
    let (mut left, mut found) = (total, Vec::new());
    for (at, len) in view.filetype.runs(u64::try_from(tiles).ok()?) {
        let len = i64::try_from(len).ok()?;
        if skip >= len {
            skip -= len;
            continue;
        }
        let start = base.checked_add(at)?.checked_add(skip)?;
        let end = start.checked_add((len - skip).min(left))?;
        (left, skip) = (left - (end - start), 0);
        found.push((start, end));
        if left == 0 {
            return Some(found);
        }
        if found.len() >= MOST_RUNS {
            return None;
        }
    }
    None
}

impl Model {
    /// The process has opened a file.
    pub(super) fn note_file(&mut self, origin: &Origin, m: Member) {
        let append = self.constants.get("MPI_MODE_APPEND").copied();
        let amode = row_int(origin, "amode");
        let at_start = append.zip(amode).is_some_and(|(bit, amode)| amode & bit == 0);
        let view = FileView { displacement: 0, etype_size: 1, filetype: Typemap::named(Id::MAX, 1) };
        let pointer = at_start.then_some(0);
        let member = FileMember { view: Some(view), pointer, ..FileMember::default() };
        let file = self.comms.list[m.ix].file.get_or_insert_default();
        file.members.insert(m.position as i32, member);
    }

    /// A call on a file has returned: the bytes that it accesses, and what it separates.
    pub(super) fn follow_file(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, failed: bool) {
        let Some(id) = origin.int(s.file) else { return };
        let Some(m) = self.resolve(origin, Kind::File, id as Id) else { return };
        let is_dim = self.is_dim(origin.rank);
        let is_alone = self.ranks[origin.rank as usize].threads.len() == 1;
        let comm = &mut self.comms.list[m.ix];
        let (size, is_spoiled) = (comm.size(), comm.is_foreign() || comm.made_wrongly || comm.spoiled);
        let Some(file) = &mut comm.file else { return };
        let is_error = failed && (is_access(s) || collective(s).is_some_and(separates));
        let member = file.members.entry(m.position as i32).or_default();
        file.unclear |= member.last_use.is_overlapped(origin) || is_dim || is_spoiled || is_error;
        if file.unclear {
            return;
        }
        let separator = collective(s).filter(|coll| separates(*coll));
        if separator.is_none() {
            member.go_on(origin, is_alone && collective(s).is_none());
        }
        if is_access(s) {
            return self.access_file(origin, s, m);
        }
        if origin.func == FnId::MPI_File_seek {
            return self.seek(origin, m);
        }
        let Some(coll) = separator else { return };
        let view = if coll == Coll::FileSetView { Some(self.view_of(origin)) } else { None };
        let Some(file) = &mut self.comms.list[m.ix].file else { return };
        let member = file.members.entry(m.position as i32).or_default();
        let interval = member.interval;
        member.separate(origin, coll == Coll::FileSync);
        if let Some(view) = view {
            (member.view, member.pointer) = (view, Some(0));
        }
        if coll == Coll::FileSetAtomicity {
            member.is_atomic = row_int(origin, "flag") != Some(0);
        }
        if coll == Coll::FileSync {
            file.sync(interval);
        }
        let found = file.judge(size, false);
        self.tell_file_conflicts(m.ix, &found);
    }

    fn view_of(&self, origin: &Origin) -> Option<FileView> {
        let representation = origin.func.row().param("datarep")?;
        let Arg::Str("native") = origin.value(representation as u8) else { return None };
        let map = |name| row_int(origin, name).and_then(|id| self.typemap(origin.rank, id as Id));
        let (etype, filetype) = (map("etype")?, map("filetype")?);
        let displacement = row_int(origin, "disp").filter(|disp| *disp >= 0)?;
        let etype_size = i64::try_from(etype.size()).ok()?;
        (!filetype.is_opaque()).then_some(FileView { displacement, etype_size, filetype })
    }

    fn seek(&mut self, origin: &Origin, m: Member) {
        let whence = row_int(origin, "whence");
        let is = |name: &str| whence.is_some() && self.constants.get(name).copied() == whence;
        let (set, current) = (is("MPI_SEEK_SET"), is("MPI_SEEK_CUR"));
        let Some(file) = &mut self.comms.list[m.ix].file else { return };
        let member = file.members.entry(m.position as i32).or_default();
        let from = if set { Some(0) } else { member.pointer.filter(|_| current) };
        member.pointer = from.zip(row_int(origin, "offset")).and_then(|(from, offset)| from.checked_add(offset));
    }

    fn access_file(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, m: Member) {
        let writes = s.send.count != NONE;
        let side = if writes { s.send } else { s.recv };
        let total = self.data(origin, side).amount.bytes.and_then(|bytes| i64::try_from(bytes).ok());
        let Some(file) = &mut self.comms.list[m.ix].file else { return };
        let member = file.members.entry(m.position as i32).or_default();
        let place = match pointer(origin, s) {
            Pointer::Shared => return,
            Pointer::Explicit => row_int(origin, "offset"),
            Pointer::Individual => {
                let place = member.pointer;
                let etype = member.view.as_ref().map_or(0, |view| view.etype_size);
                let steps = total.filter(|total| etype > 0 && total % etype == 0).map(|total| total / etype);
                // A read that comes to the end of the file goes less far.
                let moved = place.zip(steps).and_then(|(place, steps)| place.checked_add(steps));
                member.pointer = moved.filter(|_| writes);
                place
            }
        };
        let (Some(total @ 1..), Some(place), Some(view)) = (total, place, member.view.clone()) else { return };
        let skip = place.checked_mul(view.etype_size).filter(|skip| *skip >= 0);
        let (interval, is_atomic, is_straight) = (member.interval, member.is_atomic, member.straight.is_some());
        let member = m.position as i32;
        let found = skip.and_then(|skip| bytes(&view, skip, total)).filter(|_| !is_atomic);
        for (start, end) in found.into_iter().flatten() {
            file.add(FilePiece { start, end, interval, member, writes, is_straight, call: origin.clone() });
        }
    }

    /// The run or the file is over.
    pub(crate) fn judge_open_file(&mut self, ix: CommIx) {
        let Some(comm) = self.comms.list.get_mut(ix) else { return };
        let size = comm.size();
        let found = comm.file.as_mut().map(|file| file.judge(size, true)).unwrap_or_default();
        self.tell_file_conflicts(ix, &found);
    }

    /// The run is over.
    pub(crate) fn judge_all_files(&mut self) {
        if !self.blind {
            let files: Vec<CommIx> =
                self.comms.list.iter().filter(|(_, comm)| comm.file.is_some()).map(|(ix, _)| ix).collect();
            files.into_iter().for_each(|ix| self.judge_open_file(ix));
        }
    }

    /// Accesses that no common call separates.
    fn tell_file_conflicts(&mut self, ix: CommIx, found: &[FileConflict]) {
        let comm = &self.comms.list[ix];
        if found.is_empty() || comm.file.as_ref().is_none_or(|file| file.unclear) {
            return;
        }
        if comm.a.iter().any(|rank| self.is_dim(rank)) {
            return;
        }
        for conflict in found {
            self.rules.file_conflict(self, conflict);
        }
    }
}
