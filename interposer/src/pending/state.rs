//! The operations of a part: their requests, and the memory that they use.

use crate::mpi::spot::Spot;
use crate::pending::conflicts::{Begun, Conflict, Suspects};
use crate::pending::lane::{Entry, Lane};
use crate::pending::operation::{Operation, watched};
use crate::pending::shards::Part;
use crate::pending::uses::Use;
use crate::precise::{self, accesses, windows};
use recorder::threads;
use trace_format::mpi::Class;
use trace_format::requests::{Ix, Requests};
use typemap::Pending;

/// How a request ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) made: Spot,
    pub(crate) by: Spot,
    pub(crate) time: u64,
}

pub(crate) struct State {
    /// Boxed: tables move what they hold.
    pub(crate) requests: Requests<Box<Operation>, Ended>,
    pub(crate) pending: Pending<Used>,
    /// Operations that are in neither of these.
    pub(super) lane: Lane,
}

/// A buffer of an operation: which operation, and the place among its buffers. One word, which is read in one piece as it was
/// written.
#[derive(Clone, Copy)]
pub(crate) struct Used(u64);

impl Used {
    pub(crate) fn new(operation: Ix, place: u8) -> Used {
        Used(u64::from(operation) | u64::from(place) << 32)
    }

    pub(crate) fn operation(self) -> Ix {
        self.0 as Ix
    }

    pub(crate) fn place(self) -> usize {
        (self.0 >> 32) as usize
    }
}

impl State {
    pub(super) const fn new() -> State {
        State { requests: Requests::new(), pending: Pending::new(), lane: Lane::new() }
    }

    /// Begins an operation of the part `own` in the short list; it comes back if that cannot be.
    #[inline(always)]
    pub(super) fn begin_in_lane(
        &mut self,
        own: Part,
        (handle, slot): (u64, u64),
        mut operation: Box<Operation>,
    ) -> Result<(), Box<Operation>> {
        let [used] = operation.uses.as_slice() else { return Err(operation) };
        let Some(span) = used.buffer.run() else { return Err(operation) };
        let writes = used.access.writes();
        // Requests with one handle are in one place.
        let may_share = !self.requests.is_empty() && self.requests.knows(handle);
        let meets = !self.pending.is_empty() && self.pending.conflict(&used.buffer, writes).is_some();
        if threads::are_several() || may_share || meets {
            return Err(operation);
        }
        operation.active = true;
        self.lane.push((handle, slot), (span, writes), operation)?;
        own.reach().begin();
        own.set_live(handle);
        Ok(())
    }

    /// Takes the operation out of the short list whose request is meant by `handle`, which stands at `slot`: it is over, by the
    /// call `by`, which began at `time`. Is there no doubt that it is this one?
    #[inline(always)]
    pub(super) fn end_in_lane(
        &mut self,
        own: Part,
        (handle, slot): (u64, u64),
        (by, time): (Spot, u64),
    ) -> Option<(Box<Operation>, bool)> {
        let (operation, is_certain) = self.lane.take(handle, slot)?;
        own.set_gone(handle);
        if let Some((other, ended)) = self.lane.has_ended(handle, Ended { made: operation.made, by, time }) {
            self.requests.has_ended(other, ended);
        }
        Some((operation, is_certain))
    }

    /// Moves the operations of the short list to where all others are.
    #[cold]
    #[inline(never)]
    pub(super) fn move_over(&mut self) {
        let State { requests, pending, lane } = self;
        lane.drain(|Entry { handle, slot, is_shared, is_released, operation, .. }| {
            let Some(mut operation) = operation else { return };
            let used = operation.uses.first().filter(|_| !is_released);
            let used = used.map(|used| (used.buffer.clone(), used.access.writes()));
            let ix = requests.next();
            operation.keys.extend(used.map(|(buffer, writes)| pending.insert(buffer, writes, Used::new(ix, 0))));
            requests.add(handle, slot, operation);
            if is_shared {
                requests.share(handle);
            }
        });
    }

    /// How the last request with this handle ended, if there is none now.
    pub(super) fn ended(&self, handle: u64) -> Option<Ended> {
        if self.requests.knows(handle) { None } else { self.lane.ended(handle).or_else(|| self.requests.ended(handle)) }
    }

    /// A pending operation whose use of memory does not go with one of these.
    pub(crate) fn conflict(&mut self, uses: &[Use]) -> Option<Box<Conflict>> {
        let found = |used: &Use| self.pending.conflict(&used.buffer, used.access.writes());
        let (mine, (&theirs, address)) = uses.iter().find_map(|used| Some((used, found(used)?)))?;
        self.disturbed(mine.clone(), theirs, address)
    }

    #[cold]
    pub(crate) fn disturbed(&mut self, mine: Use, theirs: Used, address: u64) -> Option<Box<Conflict>> {
        let other = self.requests.get_mut(theirs.operation())?;
        other.is_disturbed = true;
        let theirs = other.uses.get(theirs.place())?.clone();
        Some(Box::new(Conflict { mine, theirs, class: other.class, started: other.started, address }))
    }

    /// A request of the part `own`.
    pub(crate) fn add(&mut self, own: Part, (handle, slot): (u64, u64), operation: Box<Operation>) -> Ix {
        own.reach().begin();
        own.set_live(handle);
        self.requests.add(handle, slot, operation)
    }

    /// An operation of the part `own` without a request.
    pub(crate) fn add_without_request(&mut self, own: Part, operation: Box<Operation>) -> Ix {
        own.reach().begin();
        self.requests.add_without_handle(operation)
    }

    /// An operation without a request is over, by the call `by`, which began at `time`.
    pub(crate) fn remove_without_request(&mut self, ix: Ix, (by, time): (Spot, u64)) -> Option<Box<Operation>> {
        let ended = Ended { made: self.requests.get(ix)?.made, by, time };
        self.release(ix);
        self.requests.remove(ix, ended)
    }

    /// The request of the part `own` is gone, by the call `by`, which began at `time`.
    #[inline(always)]
    pub(crate) fn remove(
        &mut self,
        own: Part,
        (ix, handle): (Ix, u64),
        (by, time): (Spot, u64),
    ) -> Option<Box<Operation>> {
        let ended = Ended { made: self.requests.get(ix)?.made, by, time };
        own.set_gone(handle);
        self.lane.forget_end(handle);
        let mut removed = self.requests.remove(ix, ended);
        if let Some(operation) = &mut removed {
            operation.queued.clear();
        }
        removed
    }

    /// The operation of the part `own` begins: its buffers are in use.
    #[inline]
    pub(crate) fn start(&mut self, own: Part, ix: Ix, spot: Spot) -> Option<Begun> {
        self.release(ix);
        let are_several = threads::are_several();
        if are_several {
            self.say(own, ix);
        }
        let State { requests, pending, .. } = self;
        requests.started(ix);
        let operation = requests.get_mut(ix)?;
        let found = |used: &Use| pending.conflict(&used.buffer, used.access.writes());
        // Partitions of a send are the program's until they are marked ready.
        let is_filled_later = matches!(operation.class, Class::PartitionedSend);
        let conflict = match is_filled_later {
            true => None,
            false => operation.uses.iter().find_map(|used| found(used).map(|(other, at)| (used.clone(), *other, at))),
        };
        operation.started = spot;
        operation.active = true;
        operation.cancelled = false;
        operation.seen_complete = false;
        if operation.is_partitioned() {
            operation.start_partitions(ix, pending);
        } else {
            // No adapter of two iterators: a build without optimization across units of code leaves calls of it here.
            for (place, used) in operation.uses.iter().enumerate() {
                let Ok(place) = u8::try_from(place) else { break };
                let key = pending.insert(used.buffer.clone(), used.access.writes(), Used::new(ix, place));
                operation.keys.push(key);
            }
        }
        operation.is_disturbed = false;
        if precise::is_watching() {
            self.watch(ix);
        }
        let operation = self.requests.get_mut(ix)?;
        let suspects = if are_several && !is_filled_later { Suspects::of(own, &operation.uses) } else { None };
        let conflict = conflict.and_then(|(mine, theirs, address)| self.disturbed(mine, theirs, address));
        if conflict.is_some() {
            self.requests.get_mut(ix)?.is_disturbed = true;
        }
        Some(Begun { ix, conflict, suspects })
    }

    /// Says to other threads which memory the operation of the part `own` uses, which is about to begin.
    #[inline(never)]
    pub(crate) fn say(&mut self, own: Part, ix: Ix) {
        own.reach().follow(self);
        for used in self.requests.get(ix).into_iter().flat_map(|operation| &operation.uses) {
            own.reach().add(&used.buffer.span(), used.access.writes());
        }
    }

    /// The memory of an operation is the program's again.
    #[inline]
    pub(crate) fn release(&mut self, ix: Ix) {
        let State { requests, pending, .. } = self;
        let Some(operation) = requests.get_mut(ix) else { return };
        if operation.keys.is_empty() {
            return;
        }
        let place = std::ptr::from_ref(&*pending) as usize;
        while let Some(key) = operation.keys.pop() {
            pending.remove(key);
            if precise::is_there() {
                accesses::ends((place, key));
            }
        }
    }

    /// The memory of the operation is watched until it is released.
    #[cold]
    fn watch(&mut self, ix: Ix) {
        let place = std::ptr::from_ref(&self.pending) as usize;
        let Some(operation) = self.requests.get(ix) else { return };
        operation.uses.iter().for_each(|used| windows::is_buffer(&used.buffer.span()));
        if !operation.is_partitioned() && operation.may_be_watched() {
            for (key, used) in operation.keys.iter().zip(&operation.uses) {
                accesses::begins((place, *key), watched(operation.started, used, used.buffer.clone()));
            }
        }
    }

    /// Requests that share a handle are all complete, as the library has it: which is meant does not matter then.
    pub(crate) fn end_of_sharing(&mut self, ix: Ix) {
        for other in self.requests.newly_sharing(ix) {
            self.release(other);
            self.requests.get_mut(other).into_iter().for_each(|o| o.is_disturbed = true);
        }
    }
}
