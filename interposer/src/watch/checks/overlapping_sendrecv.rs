//! `overlapping-sendrecv`: see `trace_format::catalogue::OVERLAPPING_SENDRECV`.

use super::buffers::{byte_of, what};
use super::{Finding, Spot};
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, OVERLAPPING_SENDRECV};

static CHECK: &CheckInfo = &OVERLAPPING_SENDRECV;

pub(super) fn tell(thread: &mut Thread, call: &Call, send: &Use, recv: &Use, address: u64) {
    let here = Spot::of(thread, call);
    let message = format!(
        "{} receives {} into memory that it sends: {} is {}",
        here.func.name(),
        what(recv),
        byte_of(recv, address),
        byte_of(send, address),
    );
    Finding::new(CHECK, message).at(here, "its buffers overlap").tell(thread);
}
