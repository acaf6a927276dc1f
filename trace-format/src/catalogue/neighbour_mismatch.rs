check! {
    /// # What it finds
    /// Neighbours in a topology that do not agree on what passes between them:
    ///
    /// - a neighbourhood collective (MPI_Neighbor_alltoallv and its like, blocking, nonblocking or persistent) in which a process
    ///   sends another amount or another type to a neighbour than that one expects from it, edge by edge;
    /// - MPI_Dist_graph_create_adjacent where one process names another as a destination that does not name it as a source, or the
    ///   other way round, or not as often;
    /// - a neighbourhood collective on a graph of MPI_Graph_create that is not symmetric.
    ///
    /// Several edges from one process to another belong together in their order. In a periodic dimension of size 1 or 2 what is
    /// sent in the negative direction arrives as the block from the positive one; libraries differ in that, so that only what
    /// is wrong either way is reported. Types that look the same in memory give a warning, and MPI_BYTE on one side alone is
    /// tolerated. Where there is no neighbour (MPI_PROC_NULL at the border of a grid) nothing is compared.
    ///
    /// # Why it is wrong
    /// The type signature that a process sends along an edge must be the one that the other end receives, with the same amount
    /// (MPI 4.1, 8.6). With MPI_Dist_graph_create_adjacent each edge must be described by both of its ends (8.5.4), and
    /// neighbourhood collectives need a symmetric graph if MPI_Graph_create has made it (8.6). Libraries do not look: they
    /// hang, write behind the buffer, or leave a part of the halo as it was.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Dist_graph_create_adjacent(indegree=0, outdegree=1, destinations=[1]) = ok //~ neighbour-mismatch
    /// 1: MPI_Dist_graph_create_adjacent(indegree=0, outdegree=0) = ok                   //~ neighbour-mismatch
    /// ```
    ///
    /// # How to fix
    /// Compute sources and destinations from one description of the grid or graph, and the counts of both directions with one
    /// function of the edge. `mpivet explain wrong-recv-size` tells of other collectives.
    NEIGHBOUR_MISMATCH = "MV711" "neighbour-mismatch" Error Analyzer: "neighbours in a topology do not agree on what passes between them"
        about Function
}
