//! Calls on files: what a rank has opened, and what it may not do with it.

use crate::arg_places::{ArgPlaces, NONE};
use crate::model::Model;
use crate::state::{FileFault, LastUse, OpenFile, Origin, Site, int, row_int};
use std::rc::Rc;
use trace_format::catalogue::{FILE_MISUSE, IGNORED_IO_ERROR};
use trace_format::definition::{Id, NULL_ID};
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{Class, Coll, Dir, FnId, Kind};
use trace_reader::args::Args;

/// More pieces of a filetype are not looked at.
const MOST_RUNS: usize = 1 << 12;

const OPENED: &str = "opened the file";

/// The pointer into a file by which an access says where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointer {
    Explicit,
    Individual,
    Shared,
}

/// The call that ends a split collective.
fn end_of(begin: Coll) -> Option<Coll> {
    Some(match begin {
        Coll::FileReadAtAllBegin => Coll::FileReadAtAllEnd,
        Coll::FileWriteAtAllBegin => Coll::FileWriteAtAllEnd,
        Coll::FileReadAllBegin => Coll::FileReadAllEnd,
        Coll::FileWriteAllBegin => Coll::FileWriteAllEnd,
        Coll::FileReadOrderedBegin => Coll::FileReadOrderedEnd,
        Coll::FileWriteOrderedBegin => Coll::FileWriteOrderedEnd,
        _ => return None,
    })
}

fn ends_split(coll: Coll) -> bool {
    use Coll::*;
    let ends = [FileReadAtAllEnd, FileWriteAtAllEnd, FileReadAllEnd, FileWriteAllEnd, FileReadOrderedEnd];
    ends.contains(&coll) || coll == FileWriteOrderedEnd
}

pub(super) fn collective(s: &ArgPlaces) -> Option<Coll> {
    if let Class::Collective(coll, _) = s.class { Some(coll) } else { None }
}

/// Does a call move data between a file and memory? The second half of a split collective starts nothing.
pub(super) fn is_access(s: &ArgPlaces) -> bool {
    s.file != NONE && (s.send.count != NONE || s.recv.count != NONE)
}

/// How an access says where it is; the table has no word for the shared pointer.
pub(super) fn pointer(origin: &Origin, s: &ArgPlaces) -> Pointer {
    use FnId::*;
    let is_ordered = matches!(
        collective(s),
        Some(Coll::FileReadOrdered | Coll::FileWriteOrdered | Coll::FileReadOrderedBegin | Coll::FileWriteOrderedBegin)
    );
    match origin.func {
        _ if is_ordered => Pointer::Shared,
        MPI_File_read_shared | MPI_File_read_shared_c | MPI_File_write_shared | MPI_File_write_shared_c => {
            Pointer::Shared
        }
        MPI_File_iread_shared | MPI_File_iread_shared_c | MPI_File_iwrite_shared | MPI_File_iwrite_shared_c => {
            Pointer::Shared
        }
        func if func.row().param("offset").is_some() => Pointer::Explicit,
        _ => Pointer::Individual,
    }
}

/// Must all that was begun on a file be complete before the call (MPI 4.1, 14.2.2 to 14.2.5, 14.3, 14.6.1)?
fn needs_quiet(s: &ArgPlaces) -> bool {
    use Coll::*;
    matches!(collective(s), Some(FileClose | FileSetView | FileSetSize | FilePreallocate | FileSync))
}

/// Does the call need positions in the file, which one opened with MPI_MODE_SEQUENTIAL has not?
fn needs_positions(origin: &Origin, s: &ArgPlaces) -> bool {
    use Coll::*;
    match origin.func {
        FnId::MPI_File_seek | FnId::MPI_File_get_position | FnId::MPI_File_get_position_shared => true,
        _ if is_access(s) => pointer(origin, s) != Pointer::Shared,
        _ => matches!(collective(s), Some(FileSetSize | FilePreallocate | FileSeekShared)),
    }
}

/// The count of an access; 0 if it is not known.
fn count(origin: &Origin, s: &ArgPlaces) -> i64 {
    [s.send.count, s.recv.count].into_iter().find_map(|place| origin.int(place)).unwrap_or(0)
}

fn buffer(origin: &Origin, s: &ArgPlaces) -> Option<i64> {
    [s.send.buf, s.recv.buf].into_iter().find_map(|place| origin.int(place))
}

impl Model {
    /// A call on a file has begun.
    pub(super) fn enter_file_call(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) {
        let rank = origin.rank as usize;
        let Some(id) = origin.int(s.file).map(|id| id as Id) else { return };
        let found = match self.ranks[rank].files.open.get(&id) {
            None => None,
            Some(file) => self.forbidden_by_mode(origin, s, file).or_else(|| self.out_of_order(origin, s, id, file)),
        };
        if let Some((message, role, others)) = found {
            let message = format!("rank {rank} {message}");
            let sites = std::iter::once(Site::new(origin, role)).chain(others).collect();
            self.ranks[rank].files.note(FileFault { check: &FILE_MISUSE, message, sites, count: 1 });
        }
        self.used_after_failure(origin, s, id);
    }

    fn has_mode(&self, file: &OpenFile, name: &str) -> bool {
        self.constants.get(name).is_some_and(|bit| file.amode & bit != 0)
    }

    /// The mode in which the file was opened forbids the call.
    fn forbidden_by_mode(&self, origin: &Rc<Origin>, s: &ArgPlaces, file: &OpenFile) -> Option<Wrong> {
        let name = origin.name();
        let opened = || vec![Site::new(&file.opened, OPENED)];
        let moves = is_access(s) && count(origin, s) > 0;
        if moves && s.send.buf != NONE && self.has_mode(file, "MPI_MODE_RDONLY") {
            let message = format!("writes by {name} to a file that it has opened with MPI_MODE_RDONLY");
            return Some((message, "writes", opened()));
        }
        if moves && s.recv.buf != NONE && self.has_mode(file, "MPI_MODE_WRONLY") {
            let message = format!("reads by {name} from a file that it has opened with MPI_MODE_WRONLY");
            return Some((message, "reads", opened()));
        }
        let sequential = self.has_mode(file, "MPI_MODE_SEQUENTIAL");
        if sequential && needs_positions(origin, s) {
            let message = format!("calls {name} for a file that it has opened with MPI_MODE_SEQUENTIAL");
            return Some((message, "needs positions in the file", opened()));
        }
        if collective(s) != Some(Coll::FileSetView) {
            return None;
        }
        if let Some(wrong) = self.unfit_filetype(origin, file) {
            let message = format!("passes a filetype to {name} {wrong}");
            return Some((message, "passes the filetype", opened()));
        }
        let displacement = row_int(origin, "disp")?;
        if sequential && displacement >= 0 {
            let message = format!(
                "passes displacement {displacement} to {name} for a file that it has opened with MPI_MODE_SEQUENTIAL"
            );
            return Some((message, "MPI_DISPLACEMENT_CURRENT must be passed", opened()));
        }
        let is_known = self.constants.contains_key("MPI_MODE_SEQUENTIAL") && !sequential;
        (is_known && displacement < 0).then(|| {
            let message = format!(
                "passes displacement {displacement} to {name} for a file that it has opened without MPI_MODE_SEQUENTIAL"
            );
            (message, "a displacement must be 0 or greater", opened())
        })
    }

    /// Why the types of a view are none that a view may have (MPI 4.1, 14.3).
    fn unfit_filetype(&self, origin: &Origin, file: &OpenFile) -> Option<String> {
        let map = |name| row_int(origin, name).and_then(|id| self.typemap(origin.rank, id as Id));
        let (etype, filetype) = (map("etype")?, map("filetype")?);
        if filetype.is_opaque() || filetype.size() == 0 || etype.size() == 0 {
            return None;
        }
        if filetype.size() % etype.size() != 0 {
            let (size, of) = (filetype.size(), etype.size());
            return Some(format!("of {size} bytes, which is not made of its etype of {of} bytes"));
        }
        let is_written = self.constants.contains_key("MPI_MODE_RDONLY") && !self.has_mode(file, "MPI_MODE_RDONLY");
        let mut last = (0, 0);
        for (start, len) in filetype.runs(1).take(MOST_RUNS) {
            if start < 0 {
                return Some(format!("that has data at the negative displacement {start}"));
            }
            if start < last.0 {
                return Some(format!("whose displacements decrease, from {} to {start}", last.0));
            }
            if start < last.1 && is_written {
                return Some(format!("that names byte {start} twice, though the file may be written"));
            }
            last = (start, last.1.max(start.saturating_add_unsigned(len)));
        }
        None
    }

    /// Something was begun on the file that forbids the call, or that it needs was not begun.
    fn out_of_order(&self, origin: &Rc<Origin>, s: &ArgPlaces, id: Id, file: &OpenFile) -> Option<Wrong> {
        let is_of_it = |other: &Origin| other.int(other.arg_places.file) == Some(id.into());
        let is_beside = self.ranks[origin.rank as usize].is_beside(origin, is_of_it);
        // The order of calls of two threads that overlap is not certain.
        if is_beside || file.last_use.overlaps(origin) || self.is_dim(origin.rank) {
            return None;
        }
        let split = if file.unclear { None } else { self.split_misuse(origin, s, file) };
        split.or_else(|| self.pending_access(origin, s, id))
    }

    fn split_misuse(&self, origin: &Rc<Origin>, s: &ArgPlaces, file: &OpenFile) -> Option<Wrong> {
        let (name, coll) = (origin.name(), collective(s)?);
        let Some(split) = &file.split else {
            return ends_split(coll).then(|| {
                let message = format!("calls {name}, but no split collective is open on the file");
                (message, "ends what has not begun", vec![Site::new(&file.opened, OPENED)])
            });
        };
        let began = || vec![Site::new(split, "began a split collective")];
        let Class::Collective(begun, _) = split.arg_places.class else { return None };
        if end_of(begun) == Some(coll) {
            let (first, last) = (buffer(split, split.arg_places)?, buffer(origin, s)?);
            return (first != last && count(split, split.arg_places) > 0).then(|| {
                let message = format!("passes another buffer to {name} than to {}", split.name());
                (message, "passes another buffer", began())
            });
        }
        if ends_split(coll) {
            let message = format!("calls {name} for a split collective that {} has begun", split.name());
            return Some((message, "ends another split collective", began()));
        }
        (is_access(s) || needs_quiet(s)).then(|| {
            let message = format!("calls {name} while the split collective of {} is open on the file", split.name());
            (message, "a split collective is open", began())
        })
    }

    fn pending_access(&self, origin: &Rc<Origin>, s: &ArgPlaces, id: Id) -> Option<Wrong> {
        if !needs_quiet(s) {
            return None;
        }
        let is_pending = |request: &&crate::state::Request| {
            let places = request.origin.arg_places;
            let is_its = places.file != NONE && request.origin.int(places.file) == Some(id.into());
            // Another thread may be about to complete it.
            let is_claimed = request
                .rare
                .as_ref()
                .and_then(|rare| rare.claim.as_ref())
                .is_some_and(|claim| claim.thread != origin.thread);
            let is_over = request.seen_complete || request.perhaps_gone || request.cancelled || is_claimed;
            is_its && request.active && !is_over
        };
        let requests = &self.ranks[origin.rank as usize].requests;
        // Which of several requests with one handle was completed is a guess.
        let is_certain = |request: &&crate::state::Request| {
            let (slot, handle) = request.origin.new_request(&request.origin.outs);
            requests.certain(&[handle], slot, 0).is_some()
        };
        let pending = requests.iter().filter(is_certain).find(is_pending)?;
        let start = &pending.origin;
        let message =
            format!("calls {} while a request of {} on the file is not complete", origin.name(), start.name());
        Some((message, "a request is pending", vec![Site::new(start, "started it")]))
    }

    /// The program goes on as if a call that failed had succeeded.
    fn used_after_failure(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, id: Id) {
        let rank = origin.rank as usize;
        let files = &mut self.ranks[rank].files;
        if s.error != NONE || origin.func.row().params.iter().any(|p| p.kind == Kind::Errhandler) {
            return;
        }
        let is_use = collective(s) != Some(Coll::FileClose);
        let failed = match files.open.get(&id) {
            None if id == NULL_ID && is_use => files.not_opened.clone(),
            Some(file) if is_access(s) => file.failed.clone().filter(|failed| is_other_access(failed, origin, s)),
            _ => None,
        };
        let Some(failed) = failed.filter(|failed| failed.thread == origin.thread) else { return };
        let message = format!("rank {rank} goes on to {} although {} has failed", origin.name(), failed.name());
        let sites = vec![Site::new(&failed, "the call that failed"), Site::new(origin, "goes on with the file")];
        files.note(FileFault { check: &IGNORED_IO_ERROR, message, sites, count: 1 });
    }

    /// A call on a file, or one that asks about an error, has returned.
    pub(super) fn leave_file_call(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, class: u16, outs: &Args) {
        let files = &mut self.ranks[origin.rank as usize].files;
        files.calls += 1;
        if s.error != NONE {
            files.asked();
        }
        let sets = |p: &trace_format::mpi::Param| p.kind == Kind::Errhandler && p.dir == Dir::In;
        if s.file != NONE && origin.func.row().params.iter().any(sets) {
            files.has_handler = true;
        }
        if collective(s) == Some(Coll::FileOpen) {
            files.not_opened = (class != 0).then(|| origin.clone());
            if let (0, Some(id), Some(amode)) = (class, int(outs, s.new_file), row_int(origin, "amode")) {
                let opened = origin.clone();
                let file =
                    OpenFile { amode, opened, split: None, unclear: false, failed: None, last_use: LastUse::default() };
                files.open.insert(id as Id, file);
            }
            return;
        }
        let Some(id) = origin.int(s.file).map(|id| id as Id) else { return };
        if let Some(file) = files.open.get_mut(&id) {
            file.unclear |= file.last_use.is_overlapped(origin);
        }
        let Some(coll) = collective(s) else { return self.note_failed_access(origin, s, id, class) };
        if coll == Coll::FileClose && class == 0 {
            files.open.remove(&id);
            return;
        }
        if let Some(file) = files.open.get_mut(&id) {
            let is_half = ends_split(coll) || end_of(coll).is_some();
            file.unclear |= is_half && class != 0;
            if end_of(coll).is_some() {
                file.split = (class == 0).then(|| origin.clone());
            } else if ends_split(coll) {
                file.split = None;
            }
        }
        self.note_failed_access(origin, s, id, class);
    }

    fn note_failed_access(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, id: Id, class: u16) {
        let is_named = error_class_name(class).starts_with("MPI_ERR_");
        if let Some(file) = self.ranks[origin.rank as usize].files.open.get_mut(&id)
            && class != 0
            && is_named
            && is_access(s)
        {
            file.failed.get_or_insert_with(|| origin.clone());
        }
    }
}

/// A wrong call in words, its role, and the other calls.
type Wrong = (String, &'static str, Vec<Site>);

/// Is an access no second try of the one that failed: in the same direction, at another place, with another buffer?
fn is_other_access(failed: &Origin, origin: &Origin, s: &ArgPlaces) -> bool {
    let first = failed.arg_places;
    let is_alike = (first.send.buf == NONE) == (s.send.buf == NONE);
    let buffers = buffer(failed, first).zip(buffer(origin, s));
    is_alike && failed.site != origin.site && buffers.is_some_and(|(one, other)| one != other)
}
