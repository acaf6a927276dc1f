//! `partitioned-misuse`: see `trace_format::catalogue::PARTITIONED_MISUSE`. Sends that wait for partitions for ever are also
//! found by the analyzer.

use super::buffers::{byte_of, verb};
use super::requests::Known;
use super::{Finding, Spot};
use crate::pending::conflicts::Conflict;
use crate::pending::uses::Use;
use crate::state::call_requests::CallRequest;
use crate::state::levels;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operations::{self, Meant};
use recorder::threads;
use smallvec::SmallVec;
use trace_format::catalogue::{CheckInfo, PARTITIONED_MISUSE};
use trace_format::mpi::{Class, FnId, Many, ThreadLevel};

static CHECK: &CheckInfo = &PARTITIONED_MISUSE;

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
        confuse(caller, given);
        let here = Spot::of(caller, call);
        let message = format!("{} {what}", here.func.name());
        Finding::new(CHECK, message).at(here, "names the partition").at(known.made, "made the request").tell(caller);
    }
}

/// Partitions that are missing later follow from this call.
fn confuse(caller: &Thread, given: CallRequest) {
    operations::find(caller.part, (given.handle, given.slot), |state, Meant { ix, .. }| {
        state.requests.get_mut(ix)?.partitions.as_mut()?.is_confused = true;
        Some(())
    });
}

/// A call that waits for all of these requests is about to be made, while sends with partitions are there. One whose
/// partitions are not all marked ready keeps it for ever, if no other thread may call MPI in the meantime.
#[cold]
pub(super) fn wait(caller: &mut Thread, call: &Call, given: &[CallRequest]) {
    let waits_for_all = matches!(call.info.row.class, Class::Wait(Many::One | Many::All));
    let alone = levels::in_force().is_some_and(|(level, _)| level != ThreadLevel::Multiple);
    if !waits_for_all || !alone {
        return;
    }
    let found = given.iter().find_map(|given| unmarked(caller, *given));
    let Some((made, started, partitions, of)) = found else { return };
    let here = Spot::of(caller, call);
    let (name, send) = (here.func.name(), made.func.name());
    let message = format!(
        "{name} waits for a send of {send} whose {} not marked ready: it cannot return",
        of_all(&partitions, of)
    );
    Finding::new(CHECK, message).at(here, "waits").at(started, "started it").at(made, "made the request").tell(caller);
}

/// The partitions of an active send that were not marked ready since its start, and how many there are.
fn unmarked(caller: &Thread, given: CallRequest) -> Option<(Spot, Spot, Vec<usize>, usize)> {
    operations::find(caller.part, (given.handle, given.slot), |state, Meant { ix, is_certain, .. }| {
        let operation = state.requests.get(ix).filter(|o| is_certain && o.active && !o.seen_complete)?;
        let partitions = operation.partitions.as_ref().filter(|p| p.is_send && !p.is_confused)?;
        let missing: Vec<usize> =
            partitions.ready.iter().enumerate().filter(|(_, ready)| !**ready).map(|(place, _)| place).collect();
        let found = (operation.made, operation.started, missing, partitions.ready.len());
        (!found.2.is_empty()).then_some(found)
    })
}

/// Partitions in words: `partitions 2, 3 of 4 were`.
fn of_all(missing: &[usize], all: usize) -> String {
    if let [one] = missing {
        return format!("partition {one} of {all} was");
    }
    let first: Vec<String> = missing.iter().take(4).map(usize::to_string).collect();
    let more = if missing.len() > first.len() { ", ..." } else { "" };
    format!("partitions {}{more} of {all} were", first.join(", "))
}

/// Is it the buffer of a partitioned operation?
pub(super) fn is_partition(used: &Use) -> bool {
    is_partitioned(used.func)
}

fn is_partitioned(func: FnId) -> bool {
    matches!(func.row().class, Class::PartitionedSend | Class::PartitionedRecv)
}

/// A partition that belongs to MPI is used by another call, or becomes MPI's while another operation uses it.
pub(super) fn overlap(caller: &mut Thread, call: &Call, conflict: &Conflict) {
    let Conflict { mine, theirs, started, address, .. } = conflict;
    let here = Spot::of(caller, call);
    let (name, byte) = (here.func.name(), byte_of(mine, *address));
    let message = if is_partition(theirs) {
        let state = if theirs.access.writes() { "has not arrived" } else { "is marked ready" };
        format!("{name} {} {byte}, in a partition of {} that {state}", verb(mine.access), theirs.func.name())
    } else {
        let what = if mine.access.writes() { "gives" } else { "marks as ready" };
        let other = verb(theirs.access);
        format!("{name} {what} a partition with {byte}, which a pending {} {other}", started.func.name())
    };
    let role = if is_partition(theirs) {
        "started the partitioned operation".into()
    } else {
        format!("is pending and {}", verb(theirs.access))
    };
    Finding::new(CHECK, message).at(here, verb(mine.access)).at(*started, role).tell(caller);
}
