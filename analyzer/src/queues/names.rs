//! Names of processes and communicators.

use debugger::snapshot::{Communicator, Snapshot};

/// `rank 2`, or its number if the rank is not known.
pub(super) fn process(snapshot: &Snapshot) -> String {
    match snapshot.rank {
        Some(rank) => format!("rank {rank}"),
        None => format!("process {}", snapshot.pid),
    }
}

pub(super) fn communicator(communicator: &Communicator) -> String {
    let name = if communicator.name.is_empty() { "communicator without a name" } else { &communicator.name };
    let inter = if communicator.inter == Some(true) { ", intercommunicator" } else { "" };
    format!("{name} (rank {} of {}{inter})", communicator.rank, communicator.size)
}
