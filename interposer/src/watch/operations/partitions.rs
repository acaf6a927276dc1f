//! Calls of partitioned communication that have succeeded: partitions change hands.

use crate::pending::operation::Operation;
use crate::pending::partitions::Partitions;
use crate::state::call_requests::CallRequest;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{buffers, partitioned_misuse};
use crate::watch::operations::{Meant, find};
use std::sync::atomic::{AtomicBool, Ordering};
use trace_format::mpi::Class;
use trace_format::mpi::special::PROC_NULL;

/// More partitions are not looked at.
pub(crate) const MAX_PARTITIONS: usize = 1 << 16;

/// Has the process described a send with partitions?
static ARE_SENT: AtomicBool = AtomicBool::new(false);

#[inline(always)]
pub(crate) fn are_partitions_sent() -> bool {
    ARE_SENT.load(Ordering::Relaxed)
}

/// A partitioned operation was described.
pub(super) fn describe(call: &Call, operation: &mut Operation) {
    let &Call { info, abi, words, .. } = call;
    let peer = info.row.param("dest").and_then(|p| words.get(p)).map(|w| abi.rank(*w as i32));
    let n = info.row.param("partitions").and_then(|p| words.get(p)).map_or(0, |w| *w as i32).max(0) as usize;
    let is_send = info.row.class == Class::PartitionedSend;
    if is_send {
        ARE_SENT.store(true, Ordering::Relaxed);
    }
    // Nobody waits for partitions that nobody gets.
    let is_followed = n <= MAX_PARTITIONS && peer != Some(PROC_NULL);
    operation.partitions = is_followed.then(|| Box::new(Partitions::new(n, is_send)));
}

/// MPI_Pready or MPI_Parrived has succeeded.
pub(super) fn marked(thread: &mut Thread, call: &Call, given: CallRequest) {
    let partitions = partitioned_misuse::of(call);
    if call.info.row.class == Class::Parrived && !has_arrived(call) {
        return;
    }
    let conflict = find(thread.part, (given.handle, given.slot), |state, Meant { ix, is_certain, .. }| {
        if call.info.row.class == Class::Parrived {
            partitions.iter().for_each(|partition| state.arrived(ix, *partition));
            return None;
        }
        let mut first = None;
        for partition in &partitions {
            first = first.or(state.mark_ready(ix, *partition));
        }
        let (theirs, address) = first.filter(|_| is_certain)?;
        let mine = state.requests.get(ix)?.uses.first()?.clone();
        state.disturbed(mine, theirs, address)
    });
    if let Some(conflict) = conflict {
        buffers::tell(thread, call, &conflict);
    }
}

/// Does the call say that the partition is there?
fn has_arrived(call: &Call) -> bool {
    let flag = call.info.row.param("flag").and_then(|p| call.words.get(p)).copied().unwrap_or(0);
    // SAFETY: the library has written the flag there.
    flag >= call.abi.lowest_address && unsafe { (flag as *const i32).read_unaligned() } != 0
}
