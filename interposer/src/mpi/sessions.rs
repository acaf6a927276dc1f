//! The sessions model (MPI 4.1 section 11.3): which sessions are open, and which of them, or the world model, lends the
//! group that ranks are told by.

use crate::mpi::abi::Abi;
use crate::mpi::define::{free_group, handle_out};
use crate::mpi::library::MpiLibrary;
use crate::mpi::other_worlds;
use crate::mpi::words::ask;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::mpi::{FnId, Kind};

/// The lender of the group of the own world.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lender {
    Nobody,
    World,
    Session(u64),
}

struct State {
    open: Vec<u64>,
    /// Between MPI_Init and MPI_Finalize.
    world: bool,
    lender: Lender,
    /// How often `open` or `world` have changed.
    changes: u64,
}

static STATE: Mutex<State> = Mutex::new(State { open: Vec::new(), world: false, lender: Lender::Nobody, changes: 0 });

/// Not to be held while the library is called: that may call an error handler of the program, and this MPI again.
fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
}

static WERE_ANY: AtomicBool = AtomicBool::new(false);

/// Has the program made a session, open or not?
#[inline(always)]
pub(crate) fn were_any() -> bool {
    WERE_ANY.load(Ordering::Relaxed)
}

/// Is a session open?
pub(crate) fn any_open() -> bool {
    !state().open.is_empty()
}

/// The process set of all processes that were started together.
const WORLD_SET: &std::ffi::CStr = c"mpi://WORLD";

fn session_world(abi: &Abi, session: u64) -> Option<u64> {
    handle_out(abi, Kind::Group, FnId::MPI_Group_from_session_pset, &[session, WORLD_SET.as_ptr() as u64])
}

/// Rank and size of this process in the world, by a session.
pub(crate) fn rank_and_size(abi: &Abi, session: u64) -> Option<(i32, i32)> {
    let group = session_world(abi, session)?;
    let found = (abi.rank(ask(FnId::MPI_Group_rank, group) as i32), ask(FnId::MPI_Group_size, group) as i32);
    free_group(abi, group);
    (found.0 >= 0).then_some(found)
}

/// The one that can lend the group of the own world now, and that group.
fn group_of_world(abi: &Abi, library: &MpiLibrary, world: bool, session: Option<u64>) -> Option<(Lender, u64)> {
    let world = library.predefined_handle(Kind::Comm, "MPI_COMM_WORLD").filter(|_| world);
    let group = world.and_then(|w| handle_out(abi, Kind::Group, FnId::MPI_Comm_group, &[w]));
    match (group, session) {
        (Some(group), _) => Some((Lender::World, group)),
        (None, Some(session)) => session_world(abi, session).map(|g| (Lender::Session(session), g)),
        (None, None) => None,
    }
}

fn borrow(abi: &Abi, library: &MpiLibrary) {
    loop {
        let (changes, world, session) = {
            let state = state();
            (state.changes, state.world, state.open.first().copied())
        };
        let found = group_of_world(abi, library, world, session);
        {
            let mut state = state();
            if state.changes == changes {
                state.lender = found.map_or(Lender::Nobody, |f| f.0);
                drop(state);
                if let Some((_, group)) = found {
                    other_worlds::own_world(group, ask(FnId::MPI_Group_size, group) as i32);
                }
                return;
            }
        }
        // Another thread has begun or ended something meanwhile.
        if let Some((_, group)) = found {
            free_group(abi, group);
        }
    }
}

/// Notes a change, and whether the lender is now to be looked for.
fn change(how: impl FnOnce(&mut State), is_to_borrow: impl FnOnce(Lender) -> bool) -> bool {
    let mut state = state();
    how(&mut state);
    state.changes += 1;
    is_to_borrow(state.lender)
}

/// The world model is there.
pub(crate) fn world_begins(abi: &Abi, library: &MpiLibrary) {
    if change(|state| state.world = true, |_| true) {
        borrow(abi, library);
    }
}

/// Before MPI_Finalize.
pub(crate) fn world_ends(abi: &Abi, library: &MpiLibrary) {
    if change(|state| state.world = false, |lender| lender == Lender::World) {
        other_worlds::release();
        borrow(abi, library);
    }
}

/// Is MPI not in use: no session open, none but the one that is being made, and the world model not there?
pub(crate) fn are_none() -> bool {
    let state = state();
    state.open.is_empty() && !state.world
}

/// After MPI_Session_init.
pub(crate) fn begins(abi: &Abi, library: &MpiLibrary, session: u64) {
    WERE_ANY.store(true, Ordering::Relaxed);
    if change(|state| state.open.push(session), |lender| lender == Lender::Nobody) {
        borrow(abi, library);
    }
}

/// Before MPI_Session_finalize.
pub(crate) fn ends(abi: &Abi, library: &MpiLibrary, session: u64) {
    let forget = |state: &mut State| {
        if let Some(place) = state.open.iter().position(|s| *s == session) {
            state.open.remove(place);
        }
    };
    if change(forget, |lender| lender == Lender::Session(session)) {
        other_worlds::release();
        borrow(abi, library);
    }
}

/// Is neither the world model nor a session open?
pub(crate) fn is_over() -> bool {
    let state = state();
    !state.world && state.open.is_empty()
}

/// The session in the program's variable at `address`.
pub(crate) fn handle_at(abi: &Abi, address: u64) -> Option<u64> {
    crate::mpi::words::handle_at(abi, Kind::Session, address)
}

/// The session that MPI_Session_init has made.
pub(crate) fn made(abi: &Abi, words: &crate::mpi::words::Words) -> Option<u64> {
    let place = FnId::MPI_Session_init.row().param("session")?;
    handle_at(abi, words.get(place).copied()?)
}
