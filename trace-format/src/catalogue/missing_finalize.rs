check! {
    /// # What it finds
    /// Ranks that called MPI_Init and ended by exit() or a return from main without MPI_Finalize. Where others wait for them,
    /// the finding is `early-exit-others-wait`.
    ///
    /// # Why it is wrong
    /// All processes that initialized MPI must call MPI_Finalize before they exit (MPI 4.1, 11.2.2). Messages that were sent
    /// but not delivered may be lost, others may wait for ever, and many launchers treat the run as failed.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init() = ok
    /// 0: MPI_Finalize() = ok
    /// 1: MPI_Init() = ok                //~ missing-finalize
    /// 1: exit 0
    /// ```
    ///
    /// # How to fix
    /// Let every way out of the program go through MPI_Finalize. Where a rank gives up because of an error that the others do
    /// not know of, MPI_Abort is the right call.
    MISSING_FINALIZE = "MV005" "missing-finalize" Error Analyzer: "a rank ended without MPI_Finalize"
        about Function, Consequence
}
