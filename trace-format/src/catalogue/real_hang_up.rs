check! {
    /// # What it finds
    /// A rank that waits in an MPI call for something that only a rank could give that is already in MPI_Finalize, or has
    /// ended: a message, a receive, a part in a collective operation. Ranks that wait behind it are listed apart. Where the
    /// other rank left without MPI_Finalize, the finding is `early-exit-others-wait`.
    ///
    /// # Why it is wrong
    /// A rank that has called MPI_Finalize takes part in no communication any more (MPI 4.1, 11.2.2): the wait never ends.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv(source=1)            //~ real-hang-up
    /// 1: MPI_Finalize()
    /// ```
    ///
    /// # How to fix
    /// Find out which side is right: whether one waits too often, or the other leaves too early. A rank without work has to
    /// send an empty result, or the one that waits has to know that there is none.
    REAL_HANG_UP = "MV603" "real-hang-up" Error Analyzer: "ranks that wait for a rank that has finished"
        about Function, Fatal
}
