check! {
    /// # What it finds
    /// Ranks that call different collective operations where each one's order of calls on the communicator says that they
    /// belong together. What follows on that communicator is not checked, and ranks that hang in the operation are not
    /// reported a second time. Where one of the calls frees the communicator, the finding is `comm-free-mismatch`; where all
    /// call the same operation, but in different forms, it is `collective-blocking-mix`.
    ///
    /// # Why it is wrong
    /// All processes of a communicator must call its collective operations in the same order (MPI 4.1, 6.1 and 6.14). What
    /// happens otherwise depends on the library and the amount of data: wrong results, an error, or a hang.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(root=0) = ok        //~ collective-mismatch
    /// 0: MPI_Allreduce()
    /// 1: MPI_Allreduce()               //~ collective-mismatch
    /// ```
    ///
    /// # How to fix
    /// Call the same operations in the same order on all ranks. Where different groups of ranks do different things, give each
    /// a communicator of its own.
    COLLECTIVE_MISMATCH = "MV509" "collective-mismatch" Error Analyzer: "different collective operations meet on a communicator"
        about Function
}
