//! `invalid-info`: see `trace_format::catalogue::INVALID_INFO`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_INFO;

/// Is an argument the handle of a info object?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_INFO, argument, null)
}
