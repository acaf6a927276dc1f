check! {
    /// # What it finds
    /// Ranks that left the program without MPI_Finalize, by exit(), STOP or a return from main, while others wait for
    /// them in an MPI call: for a message, a receive, or their part in a collective operation. Both sides are named.
    /// Ranks that nobody waits for are `missing-finalize`. A rank that died of a signal or of an uncaught exception
    /// of C++ is `abend`, and one that ended inside of an MPI call `incomplete-call`; a note names the ranks that
    /// waited for it. A rank that waits for one that went properly through MPI_Finalize is `real-hang-up`.
    ///
    /// # Why it is wrong
    /// The wait never ends: a rank that has left takes part in no communication (MPI 4.1, 11.2.2). Many launchers end the
    /// whole job then, and show only which rank left; others let it wait until its time is over.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init() = ok
    /// 0: MPI_Recv(source=1)            //~ early-exit-others-wait
    /// 1: MPI_Init() = ok               //~ early-exit-others-wait
    /// 1: exit 1
    /// ```
    ///
    /// # How to fix
    /// Where a rank gives up because of an error that the others do not know of, let it call MPI_Abort. Where it has nothing
    /// to do, let it send an empty result and go with the others through MPI_Finalize.
    EARLY_EXIT_OTHERS_WAIT = "MV009" "early-exit-others-wait" Error Analyzer: "a rank left while others wait for it"
        about Function, Fatal
}
