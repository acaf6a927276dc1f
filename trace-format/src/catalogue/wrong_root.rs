check! {
    /// # What it finds
    /// A collective operation with a root (MPI_Bcast, MPI_Reduce, MPI_Gather, ...) in which the ranks do not name the same one;
    /// on an intercommunicator, in which the group of the root does not say MPI_ROOT once and MPI_PROC_NULL elsewhere, or the
    /// other group does not name the root's rank.
    ///
    /// # Why it is wrong
    /// All processes must name the same root (MPI 4.1, 6.1). Otherwise ranks wait for data that nobody sends, or get the data
    /// of somebody else.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(root=0) = ok       //~ wrong-root
    /// 1: MPI_Bcast(root=1) = ok       //~ wrong-root
    /// ```
    ///
    /// # How to fix
    /// Compute the root from data that all ranks have. Remember that the root is a rank of the communicator of the call, not
    /// of MPI_COMM_WORLD. Groups of ranks with a root each need communicators of their own.
    WRONG_ROOT = "MV508" "wrong-root" Error Analyzer: "the ranks of a collective operation name different roots"
        about Input(&[Kind::Root])
}
