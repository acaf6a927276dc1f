//! The checks that this process decides by itself. One file a check, named like it; what it means is in the catalogue
//! (`trace-format/src/catalogue/`). What is found is printed at once and written to the trace, from where the analyzer
//! takes it into the report.
//!
//! [`before`] runs when the record of a call is committed and the library is not yet entered, [`after`] when it has
//! returned. Both are on the path of every call: what they do there must cost next to nothing when all is well.

mod double_free;
mod finding;
pub(crate) use finding::{Finding, Spot};

use crate::recording::Call;
use crate::thread::Thread;

/// A call that is not a repeated poll is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    if let (Some((_, kind)), Some(dying)) = (call.info.frees, call.open.freed) {
        double_free::check(thread, call, kind, dying.handle);
    }
}

/// A call has returned. `failed`: the library reported an error.
#[inline(always)]
pub(crate) fn after(_thread: &mut Thread, _call: &Call, _failed: bool) {}
