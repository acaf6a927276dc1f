//! `overlapping`: see `trace_format::catalogue::OVERLAPPING`.

use super::buffers::{byte_of, verb};
use super::{Finding, Spot};
use crate::pending::conflicts::Conflict;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, OVERLAPPING};

static CHECK: &CheckInfo = &OVERLAPPING;

pub(super) fn tell(thread: &mut Thread, call: &Call, conflict: &Conflict) {
    finding(CHECK, Spot::of(thread, call), conflict).tell(thread);
}

/// The finding on a collective operation.
pub(super) fn finding(check: &'static CheckInfo, here: Spot, conflict: &Conflict) -> Finding {
    let Conflict { mine, theirs, started, address, .. } = conflict;
    let message = format!(
        "{} {} {}, which a pending {} {} ({})",
        here.func.name(),
        verb(mine.access),
        byte_of(mine, *address),
        started.func.name(),
        verb(theirs.access),
        byte_of(theirs, *address),
    );
    Finding::new(check, message)
        .at(here, verb(mine.access))
        .at(*started, format!("is pending and {}", verb(theirs.access)))
}
