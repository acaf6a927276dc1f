//! `wrong-request-free`: see `trace_format::catalogue::WRONG_REQUEST_FREE`.

use super::requests::Known;
use super::{Finding, Spot, nonpersistent_request_free};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, WRONG_REQUEST_FREE};

static CHECK: &CheckInfo = &WRONG_REQUEST_FREE;

/// MPI_Request_free of a persistent request.
pub(super) fn check(thread: &mut Thread, call: &Call, known: &Known) {
    if !known.active || known.seen_complete {
        return;
    }
    // The standard only says when sends are deallocated (MPI 4.1, 3.9).
    if known.is_send() {
        return nonpersistent_request_free::check(thread, call, known);
    }
    let here = Spot::of(thread, call);
    let message = format!(
        "{} is called for the active persistent request of {}, which {} started and nothing has completed",
        here.func.name(),
        known.made.func.name(),
        known.started.func.name()
    );
    Finding::new(CHECK, message)
        .at(here, "frees it")
        .at(known.started, "started it")
        .at(known.made, "made the request")
        .tell(thread);
}
