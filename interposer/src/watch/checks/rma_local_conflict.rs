//! `rma-local-conflict`: see `trace_format::catalogue::RMA_LOCAL_CONFLICT`.

use super::buffers::{Changed, byte_of, changed_bytes, verb};
use super::{Finding, Spot, overlapping};
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
    let message = format!(
        "{} {} {}, which is {} as well",
        here.func.name(),
        verb(b.access),
        byte_of(b, address),
        byte_of(a, address)
    );
    Finding::new(CHECK, message).at(here, "its buffers overlap").tell(thread);
}

/// The buffer that a pending access reads has changed.
pub(super) fn tell_changed(thread: &mut Thread, call: &Call, changed: &Changed) {
    let Changed { used, change, started, .. } = changed;
    let here = Spot::of(thread, call);
    let message = format!(
        "the origin buffer of {} was changed before {} completed the access: {}",
        started.func.name(),
        here.func.name(),
        changed_bytes(used, change),
    );
    Finding::new(CHECK, message).at(here, "completes it").at(*started, "starts it").tell(thread);
}
