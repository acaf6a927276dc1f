//! `invalid-datatype`: see `trace_format::catalogue::INVALID_DATATYPE`.

use super::arguments::{Argument, Exam};
use super::{handle, uncommitted_datatype};
use trace_format::catalogue::INVALID_DATATYPE;

/// Is an argument the handle of a datatype? `transfers`: it describes data that are moved, so that it must be committed.
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool, transfers: bool) -> bool {
    handle::check(exam, &INVALID_DATATYPE, argument, null) || transfers && uncommitted_datatype::check(exam, argument)
}
