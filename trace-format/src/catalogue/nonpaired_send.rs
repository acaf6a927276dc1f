check! {
    /// # What it finds
    /// A send whose message was received by nobody until the end of the run. The send itself may have returned: the library
    /// kept the data in a buffer. If there is a receive that misses the message by its tag or communicator, a note says so.
    /// In a run that was cut short (a crash, an abort, a deadlock) sends without a receive are a consequence and not reported.
    /// Libraries may end a run in MPI_Finalize over such a message: it is reported then, although other ranks were cut short.
    ///
    /// # Why it is wrong
    /// Every message must be received (MPI 4.1, 3.5; all communication must be complete before MPI_Finalize, 11.2.2). The
    /// data are lost, and the program depends on the library's buffering: with a longer message or another library it hangs.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1, tag=5) = ok      //~ nonpaired-send
    /// 0: MPI_Barrier() = ok
    /// 1: MPI_Barrier() = ok
    /// ```
    ///
    /// # How to fix
    /// Look for the receive that should be there: a wrong rank or tag, a loop with one iteration too few, a branch that only
    /// one side takes.
    NONPAIRED_SEND = "MV401" "nonpaired-send" Error Analyzer: "a message that nobody receives"
        about Input(&[Kind::Rank, Kind::Tag])
}
