//! The answer of a library to an error of an object whose error handler was never set.
//!
//! Open MPI gives each object the fatal handler when it is made, and communicators inherit it. MPICH and its like leave the
//! place empty, and look at the time of the error which handler MPI_COMM_WORLD has by then (since 4.2 MPI_COMM_SELF first:
//! MPI 4.1, 9.3). Our handler fills that place, so that an error is written down before it ends the program; when it is
//! called, it looks as the library would have.

use super::handlers::{Means, OWN, Owner, RETURN, WORLD, is_unset};
use crate::mpi::abi::{Abi, UnsetHandlers};
use crate::mpi::define;
use crate::mpi::library;
use std::sync::atomic::Ordering;
use trace_format::mpi::{FnId, Kind};

/// The fate of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It ends the program.
    Ends(Means),
    /// The call returns the code.
    Returns,
    /// The handler of this communicator is called with it.
    Calls(u64),
}

/// Does the library leave the handler of new objects empty?
pub(super) fn is_looked_up(abi: &Abi) -> bool {
    places(abi) != UnsetHandlers::Nowhere
}

fn places(abi: &Abi) -> UnsetHandlers {
    library::identity().unset_handlers(abi)
}

/// The answer of the library by now.
pub(super) fn answer(abi: &Abi) -> Answer {
    let comms = match places(abi) {
        UnsetHandlers::Nowhere => return Answer::Ends(Means::Fatal),
        UnsetHandlers::World => [0, WORLD.load(Ordering::SeqCst)],
        UnsetHandlers::SelfThenWorld => [OWN.load(Ordering::SeqCst), WORLD.load(Ordering::SeqCst)],
    };
    let set = comms.into_iter().filter(|comm| *comm != 0).find_map(|comm| set_by_program(abi, comm));
    set.unwrap_or(Answer::Ends(Means::Fatal))
}

/// The answer of the handler that the program has set for a communicator; `None`: it has set none.
fn set_by_program(abi: &Abi, comm: u64) -> Option<Answer> {
    let mut handler = define::handle_out(abi, Kind::Errhandler, Owner::Comm.get(), &[comm])?;
    let returns = handler == RETURN.load(Ordering::SeqCst);
    let answer = match Means::ALL.into_iter().find(|means| means.is(handler)) {
        _ if is_unset(handler) => None,
        Some(means) => Some(Answer::Ends(means)),
        None if returns => Some(Answer::Returns),
        None => Some(Answer::Calls(comm)),
    };
    // Asking has made a reference to it, unless it is one of the library's own.
    if !returns && !Means::ALL.into_iter().any(|means| means.library() == handler) {
        library::call(FnId::MPI_Errhandler_free, &[&raw mut handler as u64]);
    }
    answer
}
