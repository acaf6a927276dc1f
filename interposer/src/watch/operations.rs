//! The operations of this process that have begun and not ended: their requests, and the memory that they use.
//!
//! Each thread has those that it begins in a part with a lock of its own ([`shards`]); any thread may complete what another one
//! has started ([`lookup`]), and any buffer may conflict with any other ([`reach`]). A lock is held for looking up and linking
//! only, never while data are read or the library is called, and nothing is allocated under it once a program has reached its
//! usual number of pending operations.

mod conflicts;
mod lookup;
mod reach;
mod shards;
mod spare;
#[cfg(test)]
mod tests;
use conflicts::{Begun, Suspects, tell_conflict};
pub(crate) use conflicts::{conflict, is_any_pending};
pub(crate) use lookup::{Meant, ended, ended_anywhere, find};
pub(crate) use shards::Part;
pub(crate) use spare::Spare;

use crate::call::encode::handle_at;
use crate::call::info::Role;
use crate::call::recall::Place;
use crate::debuggers::queues::{self, Queued};
use crate::mpi::handles;
use crate::state::given::{self, Given};
use crate::state::recording::Call;
use crate::state::thread::{self, Thread};
use crate::watch::checks::{Spot, buffers, grequest_misuse, partitions, requests};
use crate::watch::grequests;
use crate::watch::operands::{self, Use, Uses};
use crate::watch::snapshots::{self, Snapshots};
use crate::watch::sums;
use smallvec::SmallVec;
use trace_format::mpi::{Class, Kind};
use trace_format::requests::{Ix, Requests};
use typemap::{Key, Pending};

/// An operation with a request.
pub(crate) struct Operation {
    pub(crate) class: Class,
    /// The call that made the request.
    pub(crate) made: Spot,
    /// The call that started it last.
    pub(crate) started: Spot,
    pub(crate) persistent: bool,
    /// Started and not complete, as far as the program was told.
    pub(crate) active: bool,
    pub(crate) cancelled: bool,
    /// The program was told that it is complete, without completing it (MPI_Request_get_status).
    pub(crate) seen_complete: bool,
    /// Another operation was told to use its memory: what becomes of the data has its cause.
    is_disturbed: bool,
    /// Its buffers; those of a persistent one are the same at every start.
    pub(crate) uses: Uses,
    keys: SmallVec<[Key; 1]>,
    snapshots: Snapshots,
    pub(crate) partitions: Option<Box<Partitions>>,
    /// What debuggers are told of it.
    queued: Queued,
    /// The call that its buffers are those of, if its thread remembers that.
    place: Option<Place>,
}

impl Operation {
    fn new(class: Class, made: Spot) -> Operation {
        Operation {
            class,
            made,
            place: None,
            started: made,
            persistent: false,
            active: false,
            cancelled: false,
            seen_complete: false,
            is_disturbed: false,
            uses: Uses::new(),
            keys: SmallVec::new(),
            snapshots: Snapshots::default(),
            partitions: None,
            queued: Queued::new(),
        }
    }

    /// The call `made` makes it, in memory of another one.
    fn begin(&mut self, class: Class, made: Spot) {
        (self.class, self.made, self.started) = (class, made, made);
        (self.persistent, self.active, self.cancelled) = (false, false, false);
        (self.seen_complete, self.is_disturbed) = (false, false);
    }

    /// Are there received data to be looked at that nobody had a reason to touch since, now that it turns out to be
    /// complete?
    fn may_have_received(&self) -> bool {
        let is_untouched =
            sums::are_on() && self.active && !self.seen_complete && !self.cancelled && !self.is_disturbed;
        is_untouched && self.partitions.is_none() && self.uses.iter().any(|u| u.access.writes())
    }

    /// Are the buffers that it reads to be compared with what they held, now that it turns out to be complete?
    fn may_have_changed(&self) -> bool {
        let is_pending = self.active && !self.seen_complete && !self.cancelled;
        is_pending && !self.is_disturbed && !self.snapshots.is_empty()
    }

    /// Do parts of its buffers belong to the program and to MPI in turn?
    fn is_partitioned(&self) -> bool {
        matches!(self.class, Class::PartitionedSend | Class::PartitionedRecv)
    }
}

/// State of a partitioned operation (MPI 4.1, 4.2).
pub(crate) struct Partitions {
    /// Partitions of a send that were marked ready since it was started.
    pub(crate) ready: Vec<bool>,
    pub(crate) is_send: bool,
}

/// How a request ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) made: Spot,
    pub(crate) by: Spot,
    time: u64,
}

pub(crate) struct State {
    /// Boxed: tables move what they hold.
    pub(crate) requests: Requests<Box<Operation>, Ended>,
    pub(crate) pending: Pending<Used>,
}

/// A buffer of an operation: which operation, and the place among its buffers. One word, which is read in one piece as it was
/// written.
#[derive(Clone, Copy)]
pub(crate) struct Used(u64);

impl Used {
    fn new(operation: Ix, place: u8) -> Used {
        Used(u64::from(operation) | u64::from(place) << 32)
    }

    fn operation(self) -> Ix {
        self.0 as Ix
    }

    fn place(self) -> usize {
        (self.0 >> 32) as usize
    }
}

// What follows is not inlined: calls without requests should not pay for its size.

/// Does something while the operations of the thread with this number are locked. For tests.
pub(crate) fn inside(thread: u16, what: impl FnOnce()) {
    Part::of(thread).with(|_| what());
}

/// A call that makes a request has succeeded.
#[inline(never)]
pub(crate) fn made(thread: &mut Thread, call: &Call) {
    let &Call { info, abi, words, .. } = call;
    let Some(slot) = info.request.and_then(|r| words.get(r.param)).copied() else { return };
    let Some(handle) = handle_at(abi, Kind::Request, slot).filter(|h| !handles::is_null_request(*h)) else { return };
    let (class, spot, own) = (info.row.class, Spot::of(thread, call), thread.part);
    let again = thread.spare.take_again(call.open.place);
    let is_again = again.is_some();
    let mut operation = again.unwrap_or_else(|| thread.spare.take(class, spot));
    operation.begin(class, spot);
    operation.place = call.open.place;
    operation.persistent = info.role == Role::Describes;
    queues::describe(thread, call, &mut operation.queued);
    let of_nobody =
        matches!(class, Class::Mrecv(_)) && thread.given.get(thread.depth).is_some_and(|given| !given.is_empty());
    if !of_nobody && !is_again {
        operands::find(thread, call, &mut operation.uses);
    }
    buffers::itself(thread, call, &operation.uses);
    if operation.is_partitioned() {
        let n = info.row.param("partitions").and_then(|p| words.get(p)).map_or(0, |w| *w as i32).max(0) as usize;
        let is_send = class == Class::PartitionedSend;
        operation.partitions = (n <= MAX_PARTITIONS).then(|| Box::new(Partitions { ready: vec![false; n], is_send }));
    }
    if operation.persistent {
        own.with(|state| state.add(own, (handle, slot), operation));
        return;
    }
    if sums::are_on() {
        sums::started(thread, call, 0, class, &operation.uses);
    }
    operation.snapshots.take(&operation.uses);
    let begun = own.with(|state| {
        let ix = state.add(own, (handle, slot), operation);
        state.start(own, ix, spot)
    });
    tell_conflict(thread, call, begun.map(|begun| (own, begun)));
}

/// More partitions are not looked at.
pub(crate) const MAX_PARTITIONS: usize = 1 << 16;

/// MPI_Start or MPI_Startall has succeeded.
#[inline(never)]
pub(crate) fn started(thread: &mut Thread, call: &Call) {
    let (spot, own) = (Spot::of(thread, call), thread.part);
    let are_read = snapshots::are_wanted() || sums::are_on();
    for request in given::all(thread, call) {
        let meant = (request.handle, request.slot);
        let data = find(own, meant, |state, Meant { ix, .. }| {
            let operation = state.requests.get(ix)?;
            let is_read = are_read && !operation.is_partitioned();
            is_read.then(|| (operation.class, operation.made, operation.persistent, operation.uses.clone()))
        });
        let mut snapshots = Snapshots::default();
        if let Some((.., uses)) = &data {
            snapshots.take(uses);
        }
        let begun = find(own, meant, |state, Meant { part, ix, .. }| {
            let operation = state.requests.get_mut(ix)?;
            // Requests whose handles other threads use at the same time may have changed.
            let is_same = data.as_ref().is_some_and(|(_, made, ..)| operation.made == *made);
            std::mem::swap(&mut operation.snapshots, &mut snapshots);
            if !is_same {
                operation.snapshots.clear();
            }
            operation.queued.start(call.open.entered + request.place as u64, spot);
            Some((part, state.start(part, ix, spot)?))
        });
        tell_conflict(thread, call, begun);
        if let Some((class, _, true, uses)) = data
            && sums::are_on()
        {
            sums::started(thread, call, request.place, class, &uses);
        }
    }
}

/// A completion call has returned: the operations that it completed are over.
#[inline(never)]
pub(crate) fn completed(thread: &mut Thread, call: &Call, failed: bool) {
    // Mostly it is one.
    if !failed && let Some(only) = given::kept_one(thread) {
        return given::done(call, &[only], failed, |given, status| {
            one_completed(thread, call, (given, status), failed)
        });
    }
    let given = given::kept(thread);
    if given.is_empty() {
        return;
    }
    if failed {
        let own = thread.part;
        given.iter().for_each(|given| forget_persistent(own, *given));
    }
    given::done(call, &given, failed, |given, status| one_completed(thread, call, (given, status), failed));
}

/// The operation of a request is over. `status`: the place of its status.
fn one_completed(thread: &mut Thread, call: &Call, (given, status): (&Given, usize), failed: bool) {
    let (spot, own) = (Spot::of(thread, call), thread.part);
    let peeks = call.info.role == Role::Peeks;
    let spare = &mut thread.spare;
    let (mut generalized, mut guessed) = (None, None);
    let over = find(own, (given.handle, given.slot), |state, Meant { part, ix, is_certain: certain }| {
        if !certain {
            state.end_of_sharing(ix);
            guessed = Some(part);
        }
        state.release(ix);
        let operation = state.requests.get_mut(ix)?;
        generalized = (operation.class == Class::GrequestStart).then_some(operation.made);
        if !peeks && !operation.persistent {
            return Some((state.remove(part, (ix, given.handle), (spot, call.open.entered))?, certain));
        }
        // What it was when it turned out to be complete, if there are data to look at.
        let is_looked_at = operation.may_have_changed() || operation.may_have_received();
        let copy = (certain && is_looked_at).then(|| operation.copy_of_the_last_start(spare));
        operation.seen_complete = true;
        operation.active &= peeks;
        if peeks {
            operation.queued.complete()
        } else {
            operation.queued.rest()
        }
        Some((copy?, certain))
    });
    if let Some(part) = guessed.filter(|_| thread::are_several()) {
        lookup::end_of_sharing(part, own, given.handle);
    }
    if let Some(made) = generalized {
        grequest_misuse::delivered(thread, call, given, made, failed);
    }
    let Some((over, certain)) = over else { return };
    if certain && !failed {
        if over.may_have_changed()
            && let Some((used, change)) = over.snapshots.changed(&over.uses)
        {
            buffers::tell_changed(thread, call, &buffers::Changed { used, change, started: over.started });
        }
        if over.may_have_received() {
            sums::completed(thread, call, (given.place, status), over.class, &over.uses);
        }
    }
    thread.spare.give_back(over);
}

/// MPI_Request_free has succeeded, or MPI_Cancel, or one of the calls for partitions.
#[inline(never)]
fn all_changed(thread: &mut Thread, call: &Call) {
    given::kept(thread).into_iter().for_each(|given| changed(thread, call, given));
}

fn changed(thread: &mut Thread, call: &Call, given: Given) {
    let spot = Spot::of(thread, call);
    let freed = find(thread.part, (given.handle, given.slot), |state, Meant { part, ix, .. }| {
        match call.info.role {
            Role::Frees => {
                // When it ends nobody will say.
                state.release(ix);
                return state.remove(part, (ix, given.handle), (spot, call.open.entered));
            }
            Role::Marks => {
                let (operation, marked) = (state.requests.get_mut(ix), partitions::of(call));
                if let Some(Partitions { ready, is_send: true }) = operation.and_then(|o| o.partitions.as_deref_mut()) {
                    for partition in marked {
                        if let Some(place) = usize::try_from(partition).ok().and_then(|p| ready.get_mut(p)) {
                            *place = true;
                        }
                    }
                }
            }
            Role::Cancels => state.requests.get_mut(ix).into_iter().for_each(|o| o.cancelled = true),
            _ => {}
        }
        None
    });
    if let Some(operation) = freed {
        if operation.class == Class::GrequestStart {
            _ = grequests::over(given.handle, operation.made, |life| life.freed = Some(spot));
        }
        thread.spare.give_back(operation);
    }
}

/// A completion call has failed: of persistent requests nothing tells which of them are over.
#[cold]
fn forget_persistent(own: Part, given: Given) {
    find(own, (given.handle, given.slot), |state, Meant { ix, .. }| {
        if state.requests.get(ix)?.persistent {
            state.release(ix);
            let operation = state.requests.get_mut(ix)?;
            (operation.seen_complete, operation.is_disturbed) = (true, true);
            operation.queued.rest();
        }
        Some(())
    });
}

impl State {
    /// A pending operation whose use of memory does not go with one of these.
    fn conflict(&mut self, uses: &[Use]) -> Option<Box<buffers::Conflict>> {
        let found = |used: &Use| self.pending.conflict(&used.buffer, used.access.writes());
        let (mine, (&theirs, address)) = uses.iter().find_map(|used| Some((used, found(used)?)))?;
        self.disturbed(mine.clone(), theirs, address)
    }

    #[cold]
    fn disturbed(&mut self, mine: Use, theirs: Used, address: u64) -> Option<Box<buffers::Conflict>> {
        let other = self.requests.get_mut(theirs.operation())?;
        other.is_disturbed = true;
        let theirs = other.uses.get(theirs.place())?.clone();
        Some(Box::new(buffers::Conflict { mine, theirs, class: other.class, started: other.started, address }))
    }

    /// A request of the part `own`.
    fn add(&mut self, own: Part, (handle, slot): (u64, u64), operation: Box<Operation>) -> Ix {
        own.reach().begin();
        own.set_live(handle);
        self.requests.add(handle, slot, operation)
    }

    /// The request of the part `own` is gone, by the call `by`, which began at `time`.
    fn remove(&mut self, own: Part, (ix, handle): (Ix, u64), (by, time): (Spot, u64)) -> Option<Box<Operation>> {
        let ended = Ended { made: self.requests.get(ix)?.made, by, time };
        own.set_gone(handle);
        let mut removed = self.requests.remove(ix, ended);
        removed.iter_mut().for_each(|operation| operation.queued.clear());
        removed
    }

    /// The operation of the part `own` begins: its buffers are in use.
    fn start(&mut self, own: Part, ix: Ix, spot: Spot) -> Option<Begun> {
        self.release(ix);
        let are_several = thread::are_several();
        if are_several {
            self.say(own, ix);
        }
        let State { requests, pending } = self;
        requests.started(ix);
        let operation = requests.get_mut(ix)?;
        let found = |used: &Use| pending.conflict(&used.buffer, used.access.writes());
        let conflict = operation.uses.iter().find_map(|used| found(used).map(|(other, at)| (used.clone(), *other, at)));
        operation.started = spot;
        operation.active = true;
        operation.cancelled = false;
        operation.seen_complete = false;
        if let Some(partitions) = &mut operation.partitions {
            partitions.ready.fill(false);
        }
        if !operation.is_partitioned() {
            // No adapter of two iterators: a build without optimization across units of code leaves calls of it here.
            for (place, used) in operation.uses.iter().enumerate() {
                let Ok(place) = u8::try_from(place) else { break };
                let key = pending.insert(used.buffer.clone(), used.access.writes(), Used::new(ix, place));
                operation.keys.push(key);
            }
        }
        operation.is_disturbed = false;
        let suspects = if are_several { Suspects::of(own, &operation.uses) } else { None };
        let conflict = conflict.and_then(|(mine, theirs, address)| self.disturbed(mine, theirs, address));
        if conflict.is_some() {
            self.requests.get_mut(ix)?.is_disturbed = true;
        }
        Some(Begun { ix, conflict, suspects })
    }

    /// Says to other threads which memory the operation of the part `own` uses, which is about to begin.
    #[inline(never)]
    fn say(&mut self, own: Part, ix: Ix) {
        own.reach().follow(self);
        for used in self.requests.get(ix).into_iter().flat_map(|operation| &operation.uses) {
            own.reach().add(&used.buffer.span(), used.access.writes());
        }
    }

    /// The memory of an operation is the program's again.
    #[inline]
    fn release(&mut self, ix: Ix) {
        let State { requests, pending } = self;
        let Some(operation) = requests.get_mut(ix) else { return };
        if operation.keys.is_empty() {
            return;
        }
        while let Some(key) = operation.keys.pop() {
            pending.remove(key);
        }
    }

    /// Requests that share a handle are all complete, as the library has it: which is meant does not matter then.
    fn end_of_sharing(&mut self, ix: Ix) {
        for other in self.requests.newly_sharing(ix) {
            self.release(other);
            self.requests.get_mut(other).into_iter().for_each(|o| o.is_disturbed = true);
        }
    }
}

impl Operation {
    /// What is needed to look at the data of an operation whose request lives on. The snapshots move there: they are
    /// compared once.
    fn copy_of_the_last_start(&mut self, spare: &mut Spare) -> Box<Operation> {
        let mut copy = spare.take(self.class, self.made);
        copy.begin(self.class, self.made);
        (copy.started, copy.persistent, copy.active) = (self.started, self.persistent, self.active);
        (copy.cancelled, copy.seen_complete, copy.is_disturbed) =
            (self.cancelled, self.seen_complete, self.is_disturbed);
        copy.uses.extend(self.uses.iter().cloned());
        std::mem::swap(&mut copy.snapshots, &mut self.snapshots);
        copy
    }
}

/// A call is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    match call.info.role {
        // The library takes the message's handle away.
        Role::Starts if matches!(call.info.row.class, Class::Mrecv(_)) => {
            let nothing = operands::takes_nothing(call).then_some(Given { place: 0, slot: 0, handle: 0 });
            given::keep(thread, nothing);
        }
        Role::None | Role::Starts | Role::Describes => {}
        Role::Blocking => buffers::blocking(thread, call),
        _ => requests::before(thread, call),
    }
}

/// A call has returned.
#[inline(always)]
pub(crate) fn after(thread: &mut Thread, call: &Call, failed: bool) {
    match call.info.role {
        Role::None | Role::Blocking => {}
        Role::Completes | Role::Peeks => completed(thread, call, failed),
        _ if failed => {}
        Role::Starts | Role::Describes => made(thread, call),
        Role::Restarts => started(thread, call),
        Role::Frees | Role::Cancels | Role::Marks => all_changed(thread, call),
    }
}
