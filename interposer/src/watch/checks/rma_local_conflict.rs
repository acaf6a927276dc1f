//! `rma-local-conflict`: see `trace_format::catalogue::RMA_LOCAL_CONFLICT`.

use super::buffers::{Changed, two_of_one};
use super::{Finding, Spot, overlapping, send_checksum};
use crate::pending::conflicts::Conflict;
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, RMA_LOCAL_CONFLICT};

static CHECK: &CheckInfo = &RMA_LOCAL_CONFLICT;

/// A buffer of a pending operation is used by another one, and one of the two accesses a window.
pub(super) fn tell(thread: &mut Thread, call: &Call, conflict: &Conflict) {
    overlapping::finding(CHECK, Spot::of(thread, call), conflict).tell(thread);
}

/// Two buffers of one access overlap.
pub(super) fn tell_own(thread: &mut Thread, call: &Call, a: &Use, b: &Use, address: u64) {
    let here = Spot::of(thread, call);
    let message = two_of_one(here, a, b, address);
    Finding::new(CHECK, message).at(here, "its buffers overlap").tell(thread);
}

/// The buffer that a pending access reads has changed.
pub(super) fn tell_changed(thread: &mut Thread, call: &Call, changed: &Changed) {
    send_checksum::finding(CHECK, Spot::of(thread, call), changed, ("origin buffer", "access")).tell(thread);
}
