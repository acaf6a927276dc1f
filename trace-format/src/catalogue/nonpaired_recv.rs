check! {
    /// # What it finds
    /// A receive that was posted and for which no message was sent until the end of the run. If there is a message that misses
    /// it by its tag or communicator, a note says so. A rank that hangs in a receive is a deadlock or a hang-up instead.
    ///
    /// # Why it is wrong
    /// The buffer never gets its data, and the request stays pending, which MPI_Finalize does not allow (MPI 4.1, 11.2.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Barrier() = ok
    /// 1: MPI_Irecv(source=0, request=@0x10) = ok {request=r1}    //~ nonpaired-recv
    /// 1: MPI_Barrier() = ok
    /// ```
    ///
    /// # How to fix
    /// Look for the send that should be there: a wrong rank or tag, or a branch that only one side takes. A receive that may
    /// remain without a message, such as one for a last command, is to be cancelled: MPI_Cancel, then MPI_Wait.
    NONPAIRED_RECV = "MV402" "nonpaired-recv" Error Analyzer: "a receive that never gets a message"
        about Input(&[Kind::Rank, Kind::Tag])
}
