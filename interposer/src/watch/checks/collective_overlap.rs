//! `collective-overlap`: see `trace_format::catalogue::COLLECTIVE_OVERLAP`.

use super::buffers::{byte_of, two_of_one, verb};
use super::{Finding, Spot, overlapping};
use crate::pending::conflicts::Conflict;
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{COLLECTIVE_OVERLAP, CheckInfo};

static CHECK: &CheckInfo = &COLLECTIVE_OVERLAP;

pub(super) fn tell(thread: &mut Thread, call: &Call, conflict: &Conflict) {
    overlapping::finding(CHECK, Spot::of(thread, call), conflict).tell(thread);
}

/// Two buffers of one call overlap.
pub(super) fn tell_own(thread: &mut Thread, call: &Call, a: &Use, b: &Use, address: u64) {
    // One buffer given for both is another mistake: `aliased-buffers`.
    if a.param != b.param && a.address == b.address {
        return;
    }
    let here = Spot::of(thread, call);
    let message = if a.param == b.param {
        format!("{} {} {} for two partners", here.func.name(), verb(b.access), byte_of(b, address))
    } else {
        two_of_one(here, a, b, address)
    };
    Finding::new(CHECK, message).at(here, "its buffers overlap").tell(thread);
}
