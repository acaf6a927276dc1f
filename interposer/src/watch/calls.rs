//! When each check looks at a call: [`before`] runs when the record of a call is committed and the library is not yet
//! entered, [`after`] when it has returned. Both are on the path of every call: what they do there must cost next to nothing
//! when all is well.

use crate::call::info::{Buffering, Role, Watched};
use crate::job::config;
use crate::mpi::abi::Abi;
use crate::mpi::descent;
use crate::mpi::emulated;
use crate::mpi::spot::Spot;
use crate::mpi::words::Words;
use crate::state::call_requests;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{
    arguments, buffer_too_small, buffered_send_space, call_outside_mpi, datatype_alignment, double_free,
    grequest_misuse, leak_growth, leaks, loans, send_buffers, tag_portability, watched_data_changed,
};
use crate::watch::operations;
use crate::watch::{heap, sums, windows};
use std::sync::atomic::{AtomicU8, Ordering};
use trace_format::catalogue::{BUFFER_TOO_SMALL, CHECKS, SESSION_MIX, Work};
use trace_format::mpi::{Class, Function, Kind};

/// Checks that cost something on the path of frequent calls, in groups that share the work.
static GROUPS: AtomicU8 = AtomicU8::new(0);
const ARGUMENTS: u8 = 1;
const OPERATIONS: u8 = 2;
const DATATYPES: u8 = 4;
const HEAP: u8 = 8;

/// Recording begins: what nobody wants to be told costs nothing.
pub(crate) fn begin() {
    let is_on = |work| CHECKS.iter().any(|check| check.work == work && config::selection().is_on(check));
    // Checksums of all data are taken when operations end; debuggers are told of operations; and which requests are inactive
    // and of which session must be known.
    let others_need = config::queues() == config::Queues::All
        || config::checksums().between
        || config::selection().is_on(&SESSION_MIX);
    // To look through all modules for who needs what is emulated takes long: only where nobody else needs operations.
    let are_operations_on = others_need || is_on(Work::Operations) || emulated::is_needed();
    if are_operations_on {
        emulated::operations_are_known(operations::is_inactive);
    }
    let wanted = [
        (is_on(Work::Arguments), ARGUMENTS),
        (are_operations_on, OPERATIONS),
        (is_on(Work::Datatypes), DATATYPES),
        (heap::begin(config::selection().is_on(&BUFFER_TOO_SMALL)), HEAP),
    ];
    let groups = wanted.iter().filter(|(on, _)| *on).fold(0, |all, (_, group)| all | group);
    GROUPS.store(groups, Ordering::Relaxed);
}

/// Are there rules for the arguments of a function that follow from no kind of parameter?
pub(crate) fn has_special_rules(row: &Function) -> bool {
    arguments::special::has(row)
}

/// Are operations with requests known?
pub(crate) fn are_operations_known() -> bool {
    is_any_on(OPERATIONS)
}

#[inline(always)]
fn is_any_on(group: u8) -> bool {
    GROUPS.load(Ordering::Relaxed) & group != 0
}

/// A call that is not a repeated poll is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    // Nothing can be asked of a library that has ended.
    if call_outside_mpi::check(thread, call) || call_outside_mpi::is_over() {
        return;
    }
    if watched_data_changed::is_on() {
        watched_data_changed::look(thread, call, false);
    }
    if let (Some((_, kind)), Some(dying)) = (call.info.frees, call.open.freed) {
        double_free::check(thread, call, kind, dying.handle);
    }
    if is_any_on(ARGUMENTS) && arguments::check(thread, call) {
        return;
    }
    if is_any_on(HEAP) && before_in_heap(thread, call) {
        return;
    }
    if call.info.handles_objects {
        before_objects(thread, call);
    }
    match call.info.buffering {
        Buffering::None => {}
        Buffering::Attach => send_buffers::arriving(thread, call),
        Buffering::Send => buffered_send_space::check(thread, call),
        Buffering::Detach => send_buffers::leaving(thread, call),
    }
    if is_any_on(DATATYPES) {
        datatype_alignment::before(thread, call);
    }
    if is_any_on(OPERATIONS) {
        operations::before(thread, call);
    }
    if sums::are_on() && call.info.role == Role::Blocking {
        sums::before_blocking(thread, call);
    }
}

/// Looks at a call that takes the quick path: nothing else is on, or needed for its function.
#[inline(always)]
pub(crate) fn before_usual(thread: &mut Thread, call: &Call) {
    let groups = GROUPS.load(Ordering::Relaxed);
    if groups != 0 {
        before_usual_of(groups, thread, call);
    }
}

#[inline(never)]
fn before_usual_of(groups: u8, thread: &mut Thread, call: &Call) {
    // A fine call was looked at in every way.
    if groups & (ARGUMENTS | DATATYPES) != 0 && !call.open.is_fine {
        if groups & ARGUMENTS != 0 && arguments::check(thread, call) {
            return;
        }
        if groups & DATATYPES != 0 {
            datatype_alignment::before(thread, call);
        }
    }
    if groups & OPERATIONS != 0 {
        operations::before(thread, call);
    }
}

/// A call that takes the quick path has returned, without an error.
#[inline(always)]
pub(crate) fn after_usual(thread: &mut Thread, call: &Call) {
    if is_any_on(OPERATIONS) {
        operations::after(thread, call, false);
    }
}

/// A poll is about to be made as it was before.
#[inline(always)]
pub(crate) fn before_repeated(thread: &mut Thread, call: &Call) {
    if is_any_on(OPERATIONS) {
        call_requests::keep_all(thread, call);
    }
}

/// True if something was found.
#[cold]
fn before_in_heap(thread: &mut Thread, call: &Call) -> bool {
    heap::before(call.info.func, call.words);
    buffer_too_small::check(thread, call)
}

#[cold]
fn before_objects(thread: &mut Thread, call: &Call) {
    if call.info.row.class == Class::GrequestComplete {
        grequest_misuse::completes(thread, call);
    }
    if let Some(loan) = call.info.loan {
        loans::before(thread, loan, call);
    }
    if call.info.watched == Watched::Finalize {
        leaks::before_end(thread, Spot::of(thread, call));
        windows::before_end(thread, Spot::of(thread, call));
    }
}

/// A call has returned. `failed`: the library reported an error.
#[inline(always)]
pub(crate) fn after(thread: &mut Thread, call: &Call, failed: bool) {
    if watched_data_changed::is_on() {
        watched_data_changed::look(thread, call, true);
    }
    if call.info.handles_objects && !failed {
        after_objects(thread, call);
    }
    if call_outside_mpi::is_over() {
        return;
    }
    if is_any_on(HEAP) {
        heap::after(call.info.func, call.words, failed);
    }
    if let Some((_, kind)) = call.info.frees
        && !failed
    {
        after_free(call, kind);
    }
    if matches!(call.info.buffering, Buffering::Attach | Buffering::Detach) {
        send_buffers::changed(thread, call, failed);
    }
    if is_any_on(OPERATIONS) {
        operations::after(thread, call, failed);
    }
    if sums::are_on() && call.info.role == Role::Blocking {
        sums::after_blocking(thread, call, failed);
    }
}

/// The program has given an object back.
#[inline(never)]
fn after_free(call: &Call, kind: Kind) {
    let Some(dying) = call.open.freed else { return };
    match (kind, dying.object()) {
        (Kind::Comm | Kind::Session, _) => send_buffers::freed(dying),
        (Kind::Datatype, (_, _, id)) => datatype_alignment::freed(id),
        _ => {}
    }
}

#[cold]
fn after_objects(thread: &mut Thread, call: &Call) {
    if let Some(loan) = call.info.loan {
        loans::after(thread, loan, call);
    }
    for (_, kind) in call.info.makes.iter().filter(|_| !call.open.site.for_tool) {
        leak_growth::made(thread, call, *kind);
    }
    if let (Watched::SessionFinalize, Some(dying)) = (call.info.watched, call.open.freed) {
        let (_, _, session) = dying.object();
        descent::session_ended(session, Spot::of(thread, call));
    }
    if matches!(call.info.watched, Watched::Finalize | Watched::SessionFinalize) {
        leaks::after_end(thread);
    }
}

/// MPI_Init has returned in the call `spot`. `world`: MPI_COMM_WORLD.
pub(crate) fn mpi_has_begun(spot: Spot, world: Option<u64>) {
    tag_portability::world_begins(world.unwrap_or(0));
    call_outside_mpi::begun(spot);
}

/// MPI_Finalize has returned in the call `spot`.
pub(crate) fn mpi_is_over(spot: Spot) {
    tag_portability::world_begins(0);
    call_outside_mpi::ended(spot);
}

/// The program has asked for an attribute of a communicator.
pub(crate) fn attribute_was_asked(abi: &Abi, words: &Words) {
    tag_portability::asked(abi, words);
}
