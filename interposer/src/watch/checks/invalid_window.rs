//! `invalid-window`: see `trace_format::catalogue::INVALID_WINDOW`.

use super::arguments::{Argument, Exam};
use super::handle;
use trace_format::catalogue::INVALID_WINDOW;

/// Is an argument the handle of a window?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_WINDOW, argument, null)
}
