check! {
    /// # What it finds
    /// A collective operation in which ranks pass different values for an argument that must agree:
    ///
    /// - the counts of a reduction, of each part in MPI_Reduce_scatter;
    /// - all arguments of MPI_Cart_create and MPI_Graph_create, `reorder` of the distributed graphs;
    /// - the groups in MPI_Comm_create: all members of a group must pass that group;
    /// - group and tag of MPI_Comm_create_group, the tag of MPI_Comm_create_from_group, the leader and the tag of
    ///   MPI_Intercomm_create, where the ranks wait for each other because of it;
    /// - `split_type` of MPI_Comm_split_type (or MPI_UNDEFINED), `high` of MPI_Intercomm_merge within a group;
    /// - MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED of MPI_Win_fence;
    /// - the access mode of MPI_File_open, the extent of `etype` and the data representation of MPI_File_set_view, the sizes of
    ///   MPI_File_set_size and MPI_File_preallocate, the flag of MPI_File_set_atomicity, the arguments of MPI_File_seek_shared.
    ///
    /// Not compared: the contents of MPI_Info objects, names of files, operations that the program made itself.
    ///
    /// # Why it is wrong
    /// The standard demands that the values are equal (MPI 4.1, 6.9 and 6.10 for reductions, 7.4.2 and 7.6.2 for communicators,
    /// 8.5 for topologies, 12.5.1 for fences, 14.2, 14.3 and 14.4 for files). Libraries seldom look: each rank works with its
    /// own values, which gives wrong results, hangs, or overwritten memory.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Allreduce(count=4) = ok       //~ collective-argument-mismatch
    /// 1: MPI_Allreduce(count=5) = ok       //~ collective-argument-mismatch
    /// ```
    ///
    /// # How to fix
    /// Compute the value in the same way on all ranks, from data that all have, or let one rank broadcast it before.
    COLLECTIVE_ARGUMENT_MISMATCH = "MV512" "collective-argument-mismatch" Error Analyzer: "an argument that must agree on all ranks does not"
        about Function
}
