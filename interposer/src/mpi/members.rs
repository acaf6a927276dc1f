//! The groups and neighbours of communicators that calls have made.

use crate::mpi::abi::Abi;
use crate::mpi::define::{free_group, handle_out, neighbors};
use crate::mpi::other_worlds;
use crate::mpi::words::ask;
use std::sync::Mutex;
use trace_format::definition::{Id, NULL_ID, Neighbors, UNKNOWN_ID};
use trace_format::mpi::{FnId, Kind};
use trace_format::ranks::Ranks;

fn comm_group(abi: &Abi, query: FnId, comm: u64) -> Ranks {
    let Some(group) = handle_out(abi, Kind::Group, query, &[comm]) else { return Ranks::default() };
    let ranks = other_worlds::numbers(abi, group);
    free_group(abi, group);
    ranks
}

/// The processes and neighbours of a communicator.
#[derive(Clone)]
pub(crate) struct Members {
    pub(crate) local: Ranks,
    pub(crate) remote: Option<Ranks>,
    pub(crate) neighbors: Option<Neighbors>,
}

impl Members {
    /// Asks the library about a valid communicator.
    pub(crate) fn of(abi: &Abi, comm: u64) -> Members {
        let inter = ask(FnId::MPI_Comm_test_inter, comm) != 0;
        let local = comm_group(abi, FnId::MPI_Comm_group, comm);
        let remote = inter.then(|| comm_group(abi, FnId::MPI_Comm_remote_group, comm));
        let neighbors =
            (!inter).then(|| neighbors(abi, comm)).filter(|n| !n.sources.is_empty() || !n.destinations.is_empty());
        Members { local, remote, neighbors }
    }

    /// Were all processes known?
    fn are_known(&self) -> bool {
        self.local.iter().chain(self.remote.iter().flat_map(Ranks::iter)).all(|rank| rank >= 0)
    }
}

/// The communicator, by its number, that was duplicated last. A duplicate has its groups and its topology (MPI 4.1, 7.4.2 and 8.4),
/// and a number is that of one communicator for ever.
static DUPLICATED: Mutex<Option<(Id, Members)>> = Mutex::new(None);

/// The members of a duplicate: to ask the library takes longer than to make one. `of`: a communicator that has the same.
pub(crate) fn of_duplicate(abi: &Abi, parent: Id, of: u64) -> Members {
    let duplicated = || DUPLICATED.lock().unwrap_or_else(|e| e.into_inner());
    let known = duplicated().as_ref().and_then(|(id, members)| (*id == parent).then(|| members.clone()));
    known.unwrap_or_else(|| {
        // Not while the lock is held: it may call an error handler of the program, and this MPI again.
        let members = Members::of(abi, of);
        if parent != NULL_ID && parent != UNKNOWN_ID && members.are_known() {
            *duplicated() = Some((parent, members.clone()));
        }
        members
    })
}
