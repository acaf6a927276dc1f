//! Accesses to windows that have begun and are not complete at their origin: until then the buffers there are MPI's
//! (MPI 4.1, 12.3).

use super::with;
use crate::call::access_places::is_no_op;
use crate::mpi::spot::Spot;
use crate::pending::operation::Operation;
use crate::pending::shards::Part;
use crate::pending::uses::{Access, Uses};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::buffers;
use crate::watch::{operands, operations};
use rma::Sync;
use trace_format::definition::Id;
use trace_format::mpi::Kind;
use trace_format::mpi::special::PROC_NULL;
use trace_format::requests::Ix;

/// The pending accesses of a window.
#[derive(Default)]
pub(super) struct Accesses {
    all: Vec<Pending>,
    /// Entries of accesses that were completed by their requests are looked for when there are so many.
    limit: usize,
    /// How many were made.
    made: u64,
    /// By thread that is in a call of synchronization: how many had been made when it called.
    before: Vec<(u16, u64)>,
}

/// An access among the operations of this process.
#[derive(Clone, Copy)]
struct Pending {
    target: i32,
    part: Part,
    ix: Ix,
    started: Spot,
    has_request: bool,
    /// How many accesses to the window were made before.
    number: u64,
}

/// The buffers of more pending accesses to one window are not looked at.
const MAX_PENDING: usize = 1 << 16;
const FIRST_LIMIT: usize = 1 << 10;

impl Accesses {
    fn push(&mut self, mut access: Pending) {
        access.number = self.made;
        self.made += 1;
        if self.all.len() >= self.limit.max(FIRST_LIMIT) {
            self.all.retain(|access| !access.has_request || access.is_there());
            self.limit = 2 * self.all.len();
        }
        self.all.push(access);
    }

    /// A thread is about to call a function of synchronization.
    pub(super) fn synchronize(&mut self, thread: u16) {
        self.before.retain(|(other, _)| *other != thread);
        self.before.push((thread, self.made));
    }

    /// Takes out the accesses that a call of synchronization of a thread completes at their origin: of those of other threads, the
    /// ones that were made before it was called.
    fn completed_by(&mut self, sync: &Sync, thread: u16) -> Vec<Pending> {
        let place = self.before.iter().position(|(other, _)| *other == thread);
        let upto = place.map_or(u64::MAX, |place| self.before.swap_remove(place).1);
        let target = match sync {
            Sync::Unlock(target) | Sync::Flush(target) => Some(*target),
            // MPI_Win_start gives no other way to complete what came before it.
            Sync::Start(_) | Sync::Post | Sync::Wait | Sync::Lock(_) | Sync::LockAll => return Vec::new(),
            Sync::Fence(_) | Sync::Complete | Sync::UnlockAll | Sync::FlushAll | Sync::Free => None,
        };
        let is_over = |access: &mut Pending| {
            let is_known = access.started.thread == thread || access.number < upto;
            is_known && target.is_none_or(|target| access.target == target)
        };
        self.all.extract_if(.., is_over).collect()
    }
}

impl Pending {
    fn is_there(&self) -> bool {
        self.part.with(|state| state.requests.get(self.ix).is_some_and(|o| o.started == self.started))
    }

    /// The operation, which is over; one with a request stays known until its request is completed.
    fn end(&self, thread: &mut Thread, by: (Spot, u64)) -> Option<Box<Operation>> {
        let spare = &mut thread.spare;
        self.part.with(|state| {
            let operation = state.requests.get_mut(self.ix).filter(|o| o.started == self.started)?;
            if !self.has_request {
                return state.remove_without_request(self.ix, by);
            }
            let copy = operation.may_have_changed().then(|| operation.copy_of_the_last_start(spare));
            operation.seen_complete = true;
            state.release(self.ix);
            copy
        })
    }
}

/// The target of an access, in the window's group; `None`: it is nobody.
pub(super) fn target(call: &Call) -> Option<i32> {
    let places = call.info.access.as_ref()?;
    let rank = call.abi.rank(*call.words.get(places.target)? as i32);
    (rank != PROC_NULL).then_some(rank)
}

/// An access has begun.
pub(super) fn made(thread: &mut Thread, call: &Call, window: (Id, u64)) {
    let has_request = call.info.request.is_some();
    let Some(target) = target(call) else {
        if has_request {
            operations::made(thread, call);
        }
        return;
    };
    let started = Spot::of(thread, call);
    let is_full = with(call.abi, window, |w| {
        w.epochs.access(target, started);
        w.accesses.all.len() >= MAX_PENDING
    });
    let ix = match has_request {
        true => operations::made(thread, call),
        false if is_full => None,
        false => {
            Some(uses(thread, call)).filter(|uses| !uses.is_empty()).and_then(|u| operations::accessed(thread, call, u))
        }
    };
    if let Some(ix) = ix.filter(|_| !is_full) {
        let access = Pending { target, part: thread.part, ix, started, has_request, number: 0 };
        with(call.abi, window, |w| w.accesses.push(access));
    }
}

/// The buffers of an access at its origin. MPI_NO_OP takes nothing from there (MPI 4.1, 12.3.4).
fn uses(thread: &mut Thread, call: &Call) -> Uses {
    let mut found = operands::uses(thread, call);
    let &Call { info, abi, words, .. } = call;
    let op = info.access.as_ref().and_then(|places| words.get(places.op?));
    let op = op.map(|word| thread.handles.id(Kind::Op, abi.handle_arg(Kind::Op, *word)));
    if op.is_some_and(is_no_op) {
        found.retain(|used| used.access != Access::Read);
    }
    found
}

/// A call of synchronization has completed accesses at their origin.
pub(super) fn complete(thread: &mut Thread, call: &Call, window: (Id, u64), sync: &Sync) {
    let by = (Spot::of(thread, call), call.open.entered);
    // While others wait for the window: a thread whose access this call has taken out may be about to complete it, too, and to
    // use its buffer then.
    let over = with(call.abi, window, |w| {
        let over = w.accesses.completed_by(sync, by.0.thread).into_iter();
        over.filter_map(|access| Some((access, access.end(thread, by)?))).collect::<Vec<_>>()
    });
    for (access, operation) in over {
        // Another thread that began it may have completed it as well, and use the buffer again.
        if access.started.thread == by.0.thread
            && operation.may_have_changed()
            && let Some((used, change)) = operation.snapshots.changed(&operation.uses)
        {
            buffers::tell_changed(thread, call, &buffers::Changed { used, change, started: operation.started });
        }
        thread.spare.give_back(operation);
    }
}
