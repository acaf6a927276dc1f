//! `send-checksum`: see `trace_format::catalogue::SEND_CHECKSUM`.

use super::buffers::{Changed, changed_bytes};
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, SEND_CHECKSUM};

static CHECK: &CheckInfo = &SEND_CHECKSUM;

pub(super) fn tell(thread: &mut Thread, call: &Call, changed: &Changed) {
    let Changed { used, change, started, .. } = changed;
    let here = Spot::of(thread, call);
    let message = format!(
        "the buffer of {} was changed before {} completed the operation: {}",
        started.func.name(),
        here.func.name(),
        changed_bytes(used, change),
    );
    Finding::new(CHECK, message).at(here, "completes it").at(*started, "starts it").tell(thread);
}
