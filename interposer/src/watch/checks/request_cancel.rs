//! `request-cancel`: see `trace_format::catalogue::REQUEST_CANCEL`.

use super::requests::Known;
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, REQUEST_CANCEL};

static CHECK: &CheckInfo = &REQUEST_CANCEL;

/// MPI_Cancel of a send or receive.
pub(super) fn check(thread: &mut Thread, call: &Call, known: &Known) {
    if !known.is_point_to_point() {
        return;
    }
    let here = Spot::of(thread, call);
    let (name, made) = (here.func.name(), known.made.func.name());
    let why = if known.is_send() {
        "cancelling sends is deprecated, and many libraries cannot do it"
    } else {
        "it may have received its message all the same: MPI_Test_cancelled tells"
    };
    let message = format!("{name} is called for the request of {made}: {why}");
    let finding = Finding::new(CHECK, message).at(here, "cancels it").at(known.started, "started it");
    let finding = if known.persistent { finding.at(known.made, "made the request") } else { finding };
    finding.tell(thread);
}
