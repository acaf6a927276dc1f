//! Functions that make topologies, and those that need one (MPI 4.1, chapter 8).

use trace_format::mpi::{Class, Coll, FnId, Function};

/// The sort of topology that a function works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Cartesian,
    Graph,
    DistributedGraph,
    Any,
}

/// The topology that a function needs.
pub(crate) fn needed(row: &Function) -> Option<Sort> {
    use FnId::*;
    match row.id {
        MPI_Cartdim_get | MPI_Cart_get | MPI_Cart_rank | MPI_Cart_coords | MPI_Cart_shift | MPI_Cart_sub => {
            Some(Sort::Cartesian)
        }
        MPI_Graphdims_get | MPI_Graph_get | MPI_Graph_neighbors | MPI_Graph_neighbors_count => Some(Sort::Graph),
        MPI_Dist_graph_neighbors | MPI_Dist_graph_neighbors_count => Some(Sort::DistributedGraph),
        _ => row.class.is_neighborhood().then_some(Sort::Any),
    }
}

/// Does a function make a topology, or work on one?
pub(crate) fn concerns(row: &Function) -> bool {
    let makes = matches!(row.class, Class::Collective(Coll::CartCreate | Coll::GraphCreate, _));
    makes || needed(row).is_some() || row.id == FnId::MPI_Dims_create
}
