//! `send-checksum`: see `trace_format::catalogue::SEND_CHECKSUM`.

use super::buffers::{Changed, changed_bytes};
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, SEND_CHECKSUM};

static CHECK: &CheckInfo = &SEND_CHECKSUM;

pub(super) fn tell(thread: &mut Thread, call: &Call, changed: &Changed) {
    finding(CHECK, Spot::of(thread, call), changed, ("buffer", "operation")).tell(thread);
}

/// The finding on something of which the `buffer` is called so, and which is called `what` itself.
pub(super) fn finding(
    check: &'static CheckInfo,
    here: Spot,
    changed: &Changed,
    (buffer, what): (&str, &str),
) -> Finding {
    let Changed { used, change, started, .. } = changed;
    let message = format!(
        "the {buffer} of {} was changed before {} completed the {what}: {}",
        started.func.name(),
        here.func.name(),
        changed_bytes(used, change),
    );
    Finding::new(check, message).at(here, "completes it").at(*started, "starts it")
}
