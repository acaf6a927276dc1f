//! Partitioned communication (MPI 4.1, chapter 4): what MPI_Pready and MPI_Parrived may name.

use super::request_misuse;
use super::requests::Known;
use crate::state::call_requests::CallRequest;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operations::{self, Meant};
use recorder::threads;
use smallvec::SmallVec;
use trace_format::mpi::Class;

/// The partitions that a call names.
pub(crate) fn of(call: &Call) -> SmallVec<[i64; 4]> {
    let &Call { info, abi, words, .. } = call;
    let int = |name: &str| info.row.param(name).and_then(|p| words.get(p)).map(|w| i64::from(*w as i32));
    if let Some(partition) = int("partition") {
        return SmallVec::from_slice(&[partition]);
    }
    if let Some((low, high)) = int("partition_low").zip(int("partition_high")) {
        return (low..=high).take(operations::MAX_PARTITIONS).collect();
    }
    let list = info.row.param("array_of_partitions").and_then(|p| words.get(p)).copied().unwrap_or(0);
    let length = int("length").unwrap_or(0).clamp(0, operations::MAX_PARTITIONS as i64) as u64;
    if list < abi.lowest_address {
        return SmallVec::new();
    }
    // SAFETY: the program passed an array of this length.
    (0..length).map(|i| i64::from(unsafe { ((list + 4 * i) as *const i32).read_unaligned() })).collect()
}

/// MPI_Pready or MPI_Parrived is about to be called.
pub(super) fn check(caller: &mut Thread, call: &Call, given: CallRequest, known: &Known) {
    let marks = call.info.row.class == Class::Pready;
    let made = known.made.func.name();
    let what = match (known.class, marks) {
        (Class::PartitionedSend, true) if !known.active => {
            Some(format!("is called for a request of {made} that is not active: MPI_Start comes first"))
        }
        (Class::PartitionedSend, true) | (Class::PartitionedRecv, false) => None,
        (Class::PartitionedRecv, true) => Some(format!("is called for the receive request of {made}")),
        (Class::PartitionedSend, false) => Some(format!("is called for the send request of {made}")),
        _ => Some(format!("is called for a request of {made}, which is not partitioned")),
    };
    let what = what.or_else(|| {
        let named = of(call);
        operations::find(caller.part, (given.handle, given.slot), |state, Meant { ix, .. }| {
            let partitions = state.requests.get(ix)?.partitions.as_ref()?;
            let n = partitions.ready.len();
            let outside = named.iter().find(|p| !(0..n as i64).contains(*p));
            // Another thread may have marked it for the last time before it notes so.
            let marks = marks && !threads::are_several();
            let again = || named.iter().find(|p| partitions.ready.get(**p as usize) == Some(&true)).filter(|_| marks);
            match (outside, again()) {
                (Some(p), _) => {
                    Some(format!("names partition {p}; the request of {made} has partitions 0 to {}", n as i64 - 1))
                }
                (None, Some(p)) => Some(format!("marks partition {p} ready, which was marked already since the start")),
                (None, None) => None,
            }
        })
    });
    if let Some(what) = what {
        request_misuse::partition(caller, call, known, &what);
    }
}
