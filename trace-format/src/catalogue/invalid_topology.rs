check! {
    /// # What it finds
    /// A topology that does not fit. A Cartesian function on a communicator that has no Cartesian topology, a neighbourhood
    /// collective on one that has none; a grid with more places than the communicator has processes; a direction or a
    /// coordinate that the grid does not have (in periodic dimensions all coordinates are allowed); sizes given to
    /// MPI_Dims_create that do not divide the number of nodes; arrays that are shorter than what MPI_Cart_get, MPI_Graph_get or
    /// MPI_Graph_neighbors have to return. Arrays of MPI_Dist_graph_neighbors may be shorter: it returns the first neighbours
    /// (MPI 4.1, 8.5.5).
    ///
    /// # Why it is wrong
    /// See MPI 4.1, 8.5. Libraries end the program, or return what the program takes for a rank.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Cart_create(ndims=2, dims=[2,3])    //~ invalid-topology
    /// 0: found MV213 "dims of MPI_Cart_create is a grid of 2 x 3 = 6 processes, but the communicator has 4"
    /// 0: mpi-error MPI_ERR_DIMS fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Let MPI_Dims_create choose the sizes from the number of processes. At a border that is not periodic, use
    /// MPI_Cart_shift, which gives MPI_PROC_NULL, instead of computing coordinates.
    INVALID_TOPOLOGY = "MV213" "invalid-topology" Error Dynamic: "a topology that is missing, too big, or asked for what it does not have"
        about Named; Arguments
}
