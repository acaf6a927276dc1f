//! The wait-for graph by the queues, and which processes wait for each other for ever.
//!
//! The call stack says which MPI function a thread is in, and the queues say which operations are not complete. Neither
//! says which of these operations the function waits for. So a process is taken to wait for any one of the operations
//! that the function can wait for: it goes on as soon as one of them might. A set of processes that all wait for each
//! other even so is deadlocked. A process that is not certain to wait is taken to go on.

use super::requests;
use debugger::snapshot::{Communicator, Operation, Snapshot, Status};
use trace_format::mpi::{Class, FnId, Function, SendMode, Start};

/// The operations that let a function return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Send,
    Receive,
    Either,
    /// Any operation with a request.
    Request,
}

impl Awaits {
    /// The operations that must be complete before a blocking function returns. A buffered send waits for nothing.
    fn of(function: &Function) -> Option<Awaits> {
        match function.class {
            _ if function.is_extension() => None,
            Class::Send(SendMode::Buffered, _) => None,
            Class::Send(_, Start::Blocking) => Some(Awaits::Send),
            Class::Recv(Start::Blocking) => Some(Awaits::Receive),
            Class::SendRecv(Start::Blocking) | Class::SendRecvReplace(Start::Blocking) => Some(Awaits::Either),
            Class::Wait(_) => Some(Awaits::Request),
            _ => None,
        }
    }
}

/// A process that cannot go on before one of others does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    /// Its place among the snapshots.
    pub(super) process: usize,
    /// The MPI functions its threads are in.
    pub(super) functions: Vec<String>,
    /// One of these must be complete before it continues.
    pub(super) operations: Vec<Awaited>,
}

/// An operation that a process waits for, and the processes that could complete it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Awaited {
    pub(super) communicator: usize,
    pub(super) send: bool,
    /// Place in its queue.
    pub(super) operation: usize,
    /// Their places among the snapshots.
    pub(super) on: Vec<usize>,
}

/// The operation in its snapshot.
pub(super) fn operation<'a>(snapshot: &'a Snapshot, awaited: &Awaited) -> Option<(&'a Communicator, &'a Operation)> {
    let communicator = snapshot.queues.as_ref()?.communicators.get(awaited.communicator)?;
    let queue = if awaited.send { &communicator.sends } else { &communicator.receives };
    Some((communicator, queue.operations.get(awaited.operation)?))
}

/// The processes that wait for each other for ever, as far as the queues tell.
pub(super) fn deadlock(snapshots: &[Snapshot]) -> Vec<Stuck> {
    let mut stuck: Vec<Stuck> = (0..snapshots.len()).filter_map(|i| waits(snapshots, i).ok()).collect();
    loop {
        let members: Vec<usize> = stuck.iter().map(|s| s.process).collect();
        let before = stuck.len();
        stuck.retain(|s| s.operations.iter().all(|o| o.on.iter().all(|on| members.contains(on))));
        if stuck.len() == before {
            return stuck;
        }
    }
}

/// The operations that the process waits for; or why nothing is certain.
pub(super) fn waits(snapshots: &[Snapshot], process: usize) -> Result<Stuck, String> {
    let snapshot = &snapshots[process];
    let queues = snapshot.queues.as_ref().ok_or("its queues are not known")?;
    if queues.changing || queues.fingerprint.is_none() {
        return Err("its queues are changing".into());
    }
    let functions = functions(snapshot)?;
    let mut operations = Vec::new();
    for (communicator, comm) in queues.communicators.iter().enumerate() {
        for (send, queue) in [(true, &comm.sends), (false, &comm.receives)] {
            for (operation, one) in queue.operations.iter().enumerate() {
                let awaited = functions.iter().any(|(_, a)| {
                    matches!(
                        (a, send),
                        (Awaits::Send, true) | (Awaits::Receive, false) | (Awaits::Either | Awaits::Request, _)
                    )
                });
                if awaited && one.status != Status::Complete {
                    let on = partners(snapshots, process, comm, one, send)?;
                    operations.push(Awaited { communicator, send, operation, on });
                }
            }
        }
    }
    // Each thread has one, at least: a missing one could let it continue.
    if operations.len() < functions.len() {
        return Err("not all operations that it waits for are in its queues".into());
    }
    Ok(Stuck { process, functions: functions.into_iter().map(|(name, _)| name).collect(), operations })
}

/// The blocking functions that the threads of the program are in, if they are all in one.
fn functions(snapshot: &Snapshot) -> Result<Vec<(String, Awaits)>, String> {
    if let Some(why) = &snapshot.no_stacks {
        return Err(why.clone());
    }
    let mut found = Vec::new();
    for thread in snapshot.threads.iter().filter(|t| !t.library_thread) {
        let Some(function) = &thread.function else {
            // The system knows whether it waits for one of the others: see `confirm.rs`.
            continue;
        };
        // Open MPI sends short messages without an operation in its queues.
        if shows_short_sends(snapshot) != Some(true) && thread.waits != Some(true) {
            return Err(format!("it may be about to return from {function}"));
        }
        match FnId::by_name(function).and_then(|id| Awaits::of(id.row())) {
            Some(awaits) => found.push((function.clone(), awaits)),
            None => return Err(format!("it is in {function}, of which the queues do not tell what it waits for")),
        }
    }
    if found.is_empty() {
        return Err("it is in no MPI function".into());
    }
    if found.iter().any(|(_, a)| *a == Awaits::Request) {
        if found.len() > 1 {
            return Err("several of its threads are in MPI, and which requests each waits for is not known".into());
        }
        match snapshot.imports.as_deref() {
            None => return Err("its requests may be of operations that no queue shows".into()),
            Some(imports) => {
                if let Some(other) = requests::other_source(imports) {
                    return Err(format!("its requests may be of {other}, which no queue shows"));
                }
            }
        }
    }
    Ok(found)
}

/// Does this library put an operation into the queues at the beginning of every call?
fn shows_short_sends(snapshot: &Snapshot) -> Option<bool> {
    Some(snapshot.queues.as_ref()?.dll.file_name()? == "libmpivet_queues.so")
}

/// Processes that could complete the operation, if it is certain that none of them is about to.
fn partners(
    snapshots: &[Snapshot],
    process: usize,
    communicator: &Communicator,
    operation: &Operation,
    send: bool,
) -> Result<Vec<usize>, String> {
    if operation.status != Status::Pending {
        return Err("a message is on its way to it".into());
    }
    if communicator.inter != Some(false) {
        return Err("its partners in an intercommunicator are not known".into());
    }
    let me = &snapshots[process];
    let mut partners = Vec::new();
    for rank in candidates(communicator, operation)? {
        let found = snapshots.iter().position(|s| s.world == me.world && s.rank.map(i64::from) == Some(rank));
        let partner = found.ok_or_else(|| format!("it may wait for rank {rank}, which was not looked at"))?;
        let mine = me.rank.map(i64::from).ok_or("its rank is not known")?;
        if may_be_served(&snapshots[partner], mine, operation, send) {
            return Err(format!("rank {rank} may be serving it"));
        }
        partners.push(partner);
    }
    if partners.is_empty() { Err("nobody can serve it".into()) } else { Ok(partners) }
}

/// Ranks in MPI_COMM_WORLD.
fn candidates(communicator: &Communicator, operation: &Operation) -> Result<Vec<i64>, String> {
    match (operation.peer, operation.world_peer) {
        (Some(_), Some(rank)) => Ok(vec![rank]),
        (None, _) => {
            let group = communicator.group.as_ref().ok_or("the members of a communicator are not known")?;
            if group.iter().any(|rank| *rank < 0) {
                return Err("not all members of a communicator are known".into());
            }
            Ok(group.iter().map(|rank| i64::from(*rank)).collect())
        }
        (Some(_), None) => Err("its partner is not known".into()),
    }
}

/// Has `partner` an operation that could be the other half of this one? The communicator is not compared: when in doubt,
/// the message is on its way.
fn may_be_served(partner: &Snapshot, me: i64, operation: &Operation, send: bool) -> bool {
    let communicators = partner.queues.iter().flat_map(|q| &q.communicators);
    let mut others = communicators.flat_map(|c| if send { &c.receives.operations } else { &c.sends.operations });
    others.any(|other| {
        let me_meant = other.world_peer.is_none_or(|rank| rank == me);
        let tag_fits = other.tag.zip(operation.tag).is_none_or(|(one, two)| one == two);
        me_meant && tag_fits
    })
}

#[cfg(test)]
#[path = "wait_tests.rs"]
mod tests;
