//! `invalid-argument`: see `trace_format::catalogue::INVALID_ARGUMENT`. The rules of single functions are in
//! `arguments/special.rs`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_ARGUMENT;
use trace_format::mpi::{Dir, Kind};

/// Is an argument a handle of its kind, where the kind has no check of its own: error handlers, sessions, messages?
pub(super) fn handle(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_ARGUMENT, argument, null)
}

/// Is a result to be written to NULL, which does not stand for MPI_STATUS_IGNORE?
pub(super) fn output(exam: &mut Exam, param: usize) -> bool {
    let kind = exam.call.info.row.params.get(param).map(|p| p.kind);
    if exam.word(param) != 0 || kind == Some(Kind::Status) && exam.call.abi.is_status_ignore(0) {
        return false;
    }
    let what = exam.argument(param, None);
    let result = match kind {
        Some(Kind::Status) => "the status, or MPI_STATUS_IGNORE".to_owned(),
        Some(kind) if kind.is_handle() || kind == Kind::Request => format!("the new {}", kind.noun()),
        _ => "the result".to_owned(),
    };
    exam.tell(&INVALID_ARGUMENT, format!("{what} is NULL; it must be the address of a variable for {result}"))
}

/// Are elements to be read or written at NULL?
pub(super) fn array(exam: &mut Exam, param: usize, counts: Option<usize>) -> bool {
    let Some(p) = exam.call.info.row.params.get(param).filter(|_| exam.word(param) == 0) else { return false };
    let is_status = p.kind == Kind::Status;
    if is_status && exam.call.abi.is_status_ignore(0) {
        return false;
    }
    // Nobody asks where blocks without elements are.
    let is_moot = |counts| exam.word(counts) != 0 && exam.ints(counts).iter().all(|n| *n == 0);
    if counts.is_some_and(is_moot) {
        return false;
    }
    let n = exam.elements(param);
    if n == 0 {
        return false;
    }
    let (what, plural) = (exam.argument(param, None), if n == 1 { "element is" } else { "elements are" });
    let how = match p.dir {
        Dir::Out => "written",
        _ => "read",
    };
    let instead = if is_status { "; MPI_STATUSES_IGNORE says that nobody wants them" } else { "" };
    exam.tell(&INVALID_ARGUMENT, format!("{what} is NULL, but {n} {plural} to be {how} there{instead}"))
}
