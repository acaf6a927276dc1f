//! The checks that this process decides by itself. One file a check, named like it; what it means is in the catalogue
//! (`trace-format/src/catalogue/`). What is found is printed at once and written to the trace, from where the analyzer
//! takes it into the report.
//!
//! [`before`] runs when the record of a call is committed and the library is not yet entered, [`after`] when it has
//! returned. Both are on the path of every call: what they do there must cost next to nothing when all is well.

mod buffered_send_space;
pub(crate) mod buffers;
mod collective_overlap;
mod double_free;
mod finding;
mod nonpersistent_request_free;
mod overlapping;
mod overlapping_sendrecv;
pub(crate) mod partitions;
mod request_cancel;
mod request_misuse;
pub(crate) mod requests;
mod send_checksum;
mod wrong_request_free;
pub(crate) use buffered_send_space::Part;
pub(crate) use finding::{Finding, Spot};

use crate::info::Role;
use crate::operations;
use crate::recording::Call;
use crate::sums;
use crate::thread::Thread;

/// A call that is not a repeated poll is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    if let (Some((_, kind)), Some(dying)) = (call.info.frees, call.open.freed) {
        double_free::check(thread, call, kind, dying.handle);
    }
    if call.info.buffering == Part::Send {
        buffered_send_space::check(thread, call);
    }
    operations::before(thread, call);
    if sums::are_on() && call.info.role == Role::Blocking {
        sums::before_blocking(thread, call);
    }
}

/// A poll is about to be made as it was before.
#[inline(always)]
pub(crate) fn before_repeated(thread: &mut Thread, call: &Call) {
    operations::keep_given(thread, call);
}

/// A call has returned. `failed`: the library reported an error.
#[inline(always)]
pub(crate) fn after(thread: &mut Thread, call: &Call, failed: bool) {
    if matches!(call.info.buffering, Part::Attach | Part::Detach) && !failed {
        buffered_send_space::changed(thread, call);
    }
    operations::after(thread, call, failed);
    if sums::are_on() && call.info.role == Role::Blocking {
        sums::after_blocking(thread, call, failed);
    }
}
