//! `invalid-argument`: see `trace_format::catalogue::INVALID_ARGUMENT`. The rules of single functions are in
//! `arguments/special.rs`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_ARGUMENT;
use trace_format::mpi::Kind;

/// Is an argument a handle of its kind, where the kind has no check of its own: error handlers, sessions, messages?
pub(super) fn handle(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_ARGUMENT, argument, null)
}

/// Is a result to be written to NULL?
pub(super) fn output(exam: &mut Exam, param: usize) -> bool {
    if exam.word(param) != 0 {
        return false;
    }
    let what = exam.argument(param, None);
    let result = match exam.call.info.row.params.get(param).map(|p| p.kind) {
        Some(kind) if kind.is_handle() || kind == Kind::Request => format!("the new {}", kind.noun()),
        _ => "the result".to_owned(),
    };
    exam.tell(&INVALID_ARGUMENT, format!("{what} is NULL; it must be the address of a variable for {result}"))
}
