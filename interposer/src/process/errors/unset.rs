//! What a library does with an error of an object whose error handler was never set.
//!
//! Open MPI gives each object the fatal handler when it is made, and communicators inherit it. MPICH and its like leave the
//! place empty, and look at the time of the error which handler MPI_COMM_WORLD has by then (since 4.2 MPI_COMM_SELF first:
//! MPI 4.1, 9.3). Our handler fills that place, so that an error is written down before it ends the program; when it is
//! called, it looks as the library would have.

use super::handlers::{Means, OWN, Owner, RETURN, WORLD, is_unset};
use crate::mpi::abi::{Abi, Family};
use crate::mpi::define;
use crate::mpi::real;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use trace_format::mpi::{FnId, Kind};

/// What becomes of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It ends the program.
    Ends(Means),
    /// The call returns the code.
    Returns,
    /// The handler of this communicator is called with it.
    Calls(u64),
}

/// Where a library looks for the handler of an object that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    /// Nowhere: each object has one.
    Nowhere,
    World,
    SelfThenWorld,
}

/// Does the library leave the handler of new objects empty?
pub(super) fn is_looked_up(abi: &Abi) -> bool {
    places(abi) != Places::Nowhere
}

fn places(abi: &Abi) -> Places {
    static HERE: OnceLock<Places> = OnceLock::new();
    *HERE.get_or_init(|| places_of(abi.family, &real::library_version()))
}

/// The same by what the library says of its version (MPI_Get_library_version).
fn places_of(family: Family, version: &str) -> Places {
    if version.contains("Intel(R) MPI") {
        return Places::World;
    }
    let said = version.lines().find_map(|line| line.strip_prefix("MPICH Version:")).map(str::trim);
    let Some(said) = said else {
        return if family == Family::Mpich { Places::World } else { Places::Nowhere };
    };
    let mut numbers = said.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse::<u32>().unwrap_or(0));
    let number = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if number < (4, 2) { Places::World } else { Places::SelfThenWorld }
}

/// What the library would do by now.
pub(super) fn answer(abi: &Abi) -> Answer {
    let comms = match places(abi) {
        Places::Nowhere => return Answer::Ends(Means::Fatal),
        Places::World => [0, WORLD.load(Ordering::SeqCst)],
        Places::SelfThenWorld => [OWN.load(Ordering::SeqCst), WORLD.load(Ordering::SeqCst)],
    };
    let set = comms.into_iter().filter(|comm| *comm != 0).find_map(|comm| set_by_program(abi, comm));
    set.unwrap_or(Answer::Ends(Means::Fatal))
}

/// What the handler that the program has set for a communicator does; `None`: it has set none.
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
        real::call(FnId::MPI_Errhandler_free, &[&raw mut handler as u64]);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_apart_by_their_versions() {
        let of =
            |version: &str| places_of(Family::Mpich, &format!("MPICH Version:      {version}\nMPICH Release date:"));
        assert_eq!(["3.4.3", "4.0.2", "4.1.3"].map(of), [Places::World; 3]);
        assert_eq!(["4.2.3", "4.3.2", "5.0.2", "10.0b1"].map(of), [Places::SelfThenWorld; 4]);
        assert_eq!(places_of(Family::Draft, "Intel(R) MPI Library 2021.18 for Linux* OS"), Places::World);
        assert_eq!(places_of(Family::OpenMpi, "Open MPI v4.1.4"), Places::Nowhere);
        assert_eq!(places_of(Family::Standard, "a library that nobody knows"), Places::Nowhere);
        assert_eq!(places_of(Family::Standard, "MPICH Version:\t5.0.2"), Places::SelfThenWorld);
    }
}
