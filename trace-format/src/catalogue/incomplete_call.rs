check! {
    /// # What it finds
    /// A rank that ended by exit() while one of its MPI calls had not returned: exit() was called from a function that MPI
    /// called (a reduction operation, an error handler, an attribute's delete function), from a signal handler, or from
    /// another thread.
    ///
    /// # Why it is wrong
    /// An MPI call that does not return leaves its operation half done, and the other ranks wait for the rest. Ending the
    /// process before MPI_Finalize is an error in itself (MPI 4.1, 11.2.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init() = ok
    /// 0: MPI_Reduce(root=0)             //~ incomplete-call
    /// 0: exit 1
    /// 1: MPI_Init() = ok
    /// 1: MPI_Reduce(root=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Functions that MPI calls must return. Note the error in a variable and act on it after the MPI call, or call MPI_Abort,
    /// which is allowed everywhere and tells the other ranks.
    INCOMPLETE_CALL = "MV003" "incomplete-call" Error Analyzer: "a rank ended inside of an MPI call"
        about Function, Consequence
}
