//! Collective calls, as far as their function and arguments describe them.

mod flows;
mod lone_edges;
mod needs;
mod view;

use crate::arg_places::arg_places;
pub(crate) use flows::{Ends, Flow, Misfit, each_move, misfit, misfits};
pub(crate) use lone_edges::{LoneEdge, lone_edges};
pub(crate) use needs::needs;
pub use needs::{Needs, needs_of};
use trace_format::mpi::{Class, Coll, FnId, Start};
pub(crate) use view::{giving_neighbors, neighbors};

/// Which collective a function is; those that make a communicator for a group stand for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Coll(Coll),
    Group(FnId),
}

pub(crate) fn what(func: FnId) -> What {
    match arg_places(func).class {
        Class::Collective(coll, _) => What::Coll(coll),
        _ => What::Group(func),
    }
}

/// Is it communication alone, without an object that it makes or belongs to?
pub(crate) fn moves_data(coll: Coll) -> bool {
    use Coll::*;
    let one_way = matches!(coll, Bcast | Gather | Gatherv | Scatter | Scatterv | Reduce | Scan | Exscan);
    let all_to_all = matches!(coll, Barrier | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw);
    one_way || all_to_all || matches!(coll, Allreduce | ReduceScatter | ReduceScatterBlock)
}

/// In which form a collective is called.
pub(crate) fn start_of(func: FnId) -> Start {
    match arg_places(func).class {
        Class::Collective(_, start) => start,
        _ => Start::Blocking,
    }
}

/// Does the process wait in the call itself?
pub(crate) fn is_blocking(func: FnId) -> bool {
    start_of(func) == Start::Blocking
}

pub(crate) fn is_among_neighbors(coll: Coll) -> bool {
    use Coll::*;
    matches!(coll, NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw)
}

/// Does the collective free the object that it is called on?
pub(crate) fn is_free(coll: Coll) -> bool {
    matches!(coll, Coll::CommFree | Coll::CommDisconnect | Coll::WinFree | Coll::FileClose)
}
