check! {
    /// # What it finds
    /// A root that is no rank of the communicator. On an intercommunicator the root is a rank of the remote group, or
    /// MPI_ROOT or MPI_PROC_NULL in the group that holds the root. That the ranks name different roots is `wrong-root`.
    ///
    /// # Why it is wrong
    /// The root is a rank of the communicator of the call (MPI 4.1, 6.2.3). Libraries end the program; all other ranks wait
    /// for it.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(root=4)    //~ invalid-root
    /// 0: found MV204 "root of MPI_Bcast is 4; it must be a rank of the communicator, 0 to 3"
    /// 0: mpi-error MPI_ERR_ROOT fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Compute the root for this communicator: a rank of MPI_COMM_WORLD is not the rank in a communicator made of it.
    INVALID_ROOT = "MV204" "invalid-root" Error Dynamic: "a root that the communicator does not have"
        about Input(&[Kind::Root]); Arguments
}
