check! {
    /// # What it finds
    /// A collective operation that some ranks of the communicator called and others never did, in a run that came to its end
    /// nevertheless. Only the first one on each communicator is reported: those behind it have no partners either. Where ranks
    /// hang in the operation, the finding is a deadlock or a hang-up. To make a persistent collective operation is collective,
    /// too (6.13): that only some ranks make one is reported even if it is never started.
    ///
    /// # Why it is wrong
    /// All processes of the communicator must call a collective operation, in the same order (MPI 4.1, 6.1). Some of them may
    /// return early, such as the root of a broadcast of little data; whether they do depends on the library.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(root=0) = ok         //~ incomplete-gop
    /// 1: MPI_Comm_rank() = ok
    /// 2: MPI_Comm_rank() = ok
    /// ```
    ///
    /// # How to fix
    /// Move the call out of the branch, or make a communicator of the ranks that take part.
    INCOMPLETE_GOP = "MV501" "incomplete-gop" Error Analyzer: "a collective operation that not all ranks of its communicator started"
        about Function
}
