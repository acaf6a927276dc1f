//! `invalid-file`: see `trace_format::catalogue::INVALID_FILE`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_FILE;

/// Is an argument the handle of a file?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_FILE, argument, null)
}
