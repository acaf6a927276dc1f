//! `invalid-group`: see `trace_format::catalogue::INVALID_GROUP`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_GROUP;

/// Is an argument the handle of a group?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_GROUP, argument, null)
}
