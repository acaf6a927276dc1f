//! Follows the operations of this process from call to call ([`crate::pending`]): what a call makes, starts, completes or frees.

mod conflicts;
mod partitions;
pub(crate) use crate::pending::lookup::{Meant, ended, ended_anywhere, find};
pub(crate) use crate::pending::shards::Part;
pub(crate) use crate::pending::state::Ended;
use conflicts::tell_conflict;
pub(crate) use conflicts::{conflict, is_any_pending};
pub(crate) use partitions::{MAX_PARTITIONS, are_partitions_sent};

use crate::call::info::{OnWindow, Role};
use crate::mpi::spot::Spot;
use crate::mpi::words::handle_at;
use crate::mpi::{descent, handles, sessions};
use crate::pending::conflicts::Begun;
use crate::pending::lookup;
use crate::pending::operation::Operation;
use crate::pending::snapshots::{self, Snapshots};
use crate::pending::uses::Uses;
use crate::state::call_requests::{self, CallRequest};
use crate::state::queued;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{buffers, grequest_misuse, requests};
use crate::watch::{grequests, operands, sums, windows};
use recorder::threads;
use trace_format::mpi::{Class, Kind, Start};
use trace_format::requests::Ix;

// The rest is not inlined: calls without requests should not pay for its size.

/// Does something while the operations of the thread with this number are locked. For tests.
pub(crate) fn inside(thread: u16, what: impl FnOnce()) {
    Part::of(thread).with(|_| what());
}

/// Is it a persistent request that waits to be started? `handle` stands at `slot`.
pub(crate) fn is_inactive(handle: u64, slot: u64) -> bool {
    let is_inactive = find(Part::of(0), (handle, slot), |state, Meant { ix, .. }| {
        let operation = state.requests.get(ix)?;
        Some(operation.persistent && !operation.active)
    });
    is_inactive == Some(true)
}

/// A call that makes a request has succeeded. Returns its place in the thread's part if its operation has begun.
#[inline(never)]
pub(crate) fn made(thread: &mut Thread, call: &Call) -> Option<Ix> {
    let &Call { info, abi, words, .. } = call;
    let slot = info.request.and_then(|r| words.get(r.param)).copied()?;
    let handle = handle_at(abi, Kind::Request, slot).filter(|h| !handles::is_null_request(*h))?;
    let (class, spot, own) = (info.row.class, Spot::of(thread, call), thread.part);
    let again = thread.spare.take_again(call.open.place);
    let is_again = again.is_some();
    let mut operation = again.unwrap_or_else(|| thread.spare.take(class, spot));
    operation.begin(class, spot);
    operation.place = call.open.place;
    operation.persistent = info.role == Role::Describes;
    if sessions::were_any() {
        operation.set_descent(descent::of_call(abi, info.row, words));
    }
    if !is_again || !operation.queued.again(call.open.entered) {
        queued::describe(thread, call, &mut operation.queued);
    }
    let of_nobody = matches!(class, Class::Mrecv(_))
        && thread.call_requests.get(thread.depth).is_some_and(|given| !given.is_empty());
    if !of_nobody && !is_again {
        operands::find(thread, call, &mut operation.uses);
    }
    buffers::itself(thread, call, &operation.uses);
    if operation.is_partitioned() {
        partitions::describe(call, &mut operation);
    }
    if operation.persistent {
        own.with(|state| state.add(own, (handle, slot), operation));
        return None;
    }
    if sums::are_on() {
        sums::started(thread, call, 0, class, &operation.uses);
    }
    operation.snapshots.take(&operation.uses);
    let is_plain = matches!(class, Class::Send(_, Start::Nonblocking) | Class::Recv(Start::Nonblocking));
    if is_plain && !threads::are_several() {
        operation = match own.begin_in_lane((handle, slot), operation) {
            Ok(()) => return None,
            Err(operation) => operation,
        };
    }
    let begun = own.with(|state| {
        let ix = state.add(own, (handle, slot), operation);
        state.start(own, ix, spot)
    });
    begun_anew(thread, call, begun)
}

/// An access to a window without a request, whose buffers at the origin are these, has succeeded.
pub(super) fn accessed(thread: &mut Thread, call: &Call, uses: Uses) -> Option<Ix> {
    buffers::itself(thread, call, &uses);
    let (class, spot, own) = (call.info.row.class, Spot::of(thread, call), thread.part);
    let mut operation = thread.spare.take(class, spot);
    operation.begin(class, spot);
    operation.uses = uses;
    operation.snapshots.take(&operation.uses);
    let begun = own.with(|state| {
        let ix = state.add_without_request(own, operation);
        state.start(own, ix, spot)
    });
    begun_anew(thread, call, begun)
}

/// The operation of the call has begun in the thread's part.
#[inline(always)]
fn begun_anew(thread: &mut Thread, call: &Call, begun: Option<Begun>) -> Option<Ix> {
    let ix = begun.as_ref().map(|begun| begun.ix);
    let own = thread.part;
    tell_conflict(thread, call, begun.map(|begun| (own, begun)));
    ix
}

/// MPI_Start or MPI_Startall has succeeded.
#[inline(never)]
pub(crate) fn started(thread: &mut Thread, call: &Call) {
    let (spot, own) = (Spot::of(thread, call), thread.part);
    let are_read = snapshots::are_wanted() || sums::are_on();
    for request in call_requests::all(thread, call) {
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
            operation.queued.start(call.open.entered + request.place as u64, spot.site);
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
    if !failed && let Some(only) = call_requests::kept_one(thread) {
        return call_requests::done(call, &[only], failed, |given, status| {
            one_completed(thread, call, (given, status), failed)
        });
    }
    let given = call_requests::kept(thread);
    if given.is_empty() {
        return;
    }
    if failed {
        let own = thread.part;
        given.iter().for_each(|given| forget_persistent(own, *given));
    }
    call_requests::done(call, &given, failed, |given, status| one_completed(thread, call, (given, status), failed));
}

/// The operation of a request is over. `status`: the place of its status.
fn one_completed(thread: &mut Thread, call: &Call, (given, status): (&CallRequest, usize), failed: bool) {
    let (spot, own) = (Spot::of(thread, call), thread.part);
    let peeks = call.info.role == Role::Peeks;
    // With several threads it is looked for in all parts, and moved over for it.
    if !peeks
        && !threads::are_several()
        && let Some(over) = own.end_in_lane((given.handle, given.slot), (spot, call.open.entered))
    {
        return is_over(thread, call, (given, status), over, failed);
    }
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
        // Its state when it turned out to be complete, if there are data to look at.
        let is_looked_at = operation.may_have_changed() || sums::are_on() && operation.may_have_received();
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
    if let Some(part) = guessed.filter(|_| threads::are_several()) {
        lookup::end_of_sharing(part, own, given.handle);
    }
    if let Some(made) = generalized {
        grequest_misuse::delivered(thread, call, given, made, failed);
    }
    if let Some(over) = over {
        is_over(thread, call, (given, status), over, failed);
    }
}

/// Looks at the data of an operation that is over. `certain`: there is no doubt that it is this one.
#[inline(always)]
fn is_over(
    thread: &mut Thread,
    call: &Call,
    (given, status): (&CallRequest, usize),
    (over, certain): (Box<Operation>, bool),
    failed: bool,
) {
    if certain && !failed {
        if over.may_have_changed()
            && let Some((used, change)) = over.snapshots.changed(&over.uses)
        {
            buffers::tell_changed(thread, call, &buffers::Changed { used, change, started: over.started });
        }
        if sums::are_on() && over.may_have_received() {
            sums::completed(thread, call, (given.place, status), over.class, &over.uses);
        }
    }
    thread.spare.give_back(over);
}

/// MPI_Request_free has succeeded, or MPI_Cancel, or one of the calls for partitions.
#[inline(never)]
fn all_changed(thread: &mut Thread, call: &Call) {
    call_requests::kept(thread).into_iter().for_each(|given| changed(thread, call, given));
}

fn changed(thread: &mut Thread, call: &Call, given: CallRequest) {
    if call.info.role == Role::Marks {
        return partitions::marked(thread, call, given);
    }
    let spot = Spot::of(thread, call);
    let freed = find(thread.part, (given.handle, given.slot), |state, Meant { part, ix, .. }| {
        match call.info.role {
            Role::Frees => {
                // When it ends nobody will say.
                state.release(ix);
                return state.remove(part, (ix, given.handle), (spot, call.open.entered));
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
fn forget_persistent(own: Part, given: CallRequest) {
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

/// A call is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    match call.info.role {
        // The library takes the message's handle away.
        Role::Starts if matches!(call.info.row.class, Class::Mrecv(_)) => {
            let nothing = operands::takes_nothing(call).then_some(CallRequest { place: 0, slot: 0, handle: 0 });
            call_requests::keep(thread, nothing);
        }
        Role::None if call.info.on_window != OnWindow::No => windows::before(thread, call),
        Role::None | Role::Starts | Role::Describes => {}
        Role::Blocking => buffers::blocking(thread, call),
        _ => requests::before(thread, call),
    }
}

/// A call has returned.
#[inline(always)]
pub(crate) fn after(thread: &mut Thread, call: &Call, failed: bool) {
    match call.info.role {
        Role::None if call.info.on_window != OnWindow::No && !failed => windows::after(thread, call),
        Role::None | Role::Blocking => {}
        Role::Completes | Role::Peeks => completed(thread, call, failed),
        _ if failed => {}
        Role::Starts | Role::Describes => _ = made(thread, call),
        Role::Restarts => started(thread, call),
        Role::Frees | Role::Cancels | Role::Marks => all_changed(thread, call),
    }
}
