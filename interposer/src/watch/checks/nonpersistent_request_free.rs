//! `nonpersistent-request-free`: see `trace_format::catalogue::NONPERSISTENT_REQUEST_FREE`.

use super::requests::Known;
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, NONPERSISTENT_REQUEST_FREE};

static CHECK: &CheckInfo = &NONPERSISTENT_REQUEST_FREE;

/// MPI_Request_free of an active send or receive.
pub(super) fn check(thread: &mut Thread, call: &Call, known: &Known) {
    if !known.active || known.seen_complete || !known.is_point_to_point() {
        return;
    }
    let here = Spot::of(thread, call);
    let danger = if known.is_send() { "its buffer may be used again" } else { "its data have arrived" };
    let message = format!(
        "{} is called for the active request of {}: the program never learns when {danger}",
        here.func.name(),
        known.made.func.name()
    );
    Finding::new(CHECK, message).at(here, "frees it").at(known.started, "started it").tell(thread);
}
