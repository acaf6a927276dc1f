check! {
    /// # What it finds
    /// A rank that called MPI_Abort, or ranks whose traces just end: no exit, no fatal signal of their own, no
    /// MPI_Finalize, and nothing else in the run that explains it (a time limit of the batch system, `kill`, Ctrl-C,
    /// the out-of-memory killer). The report shows where the ranks were. SIGTERM and SIGINT are named, and whether
    /// the launcher has sent them; a rank that got one from elsewhere is the cause, and those that the launcher ended
    /// afterwards are named in a note. A program that handles such a signal and ends properly is left alone, and so
    /// is one that ignores it. A handler that the program installs after MPI_Init takes the place of mpivet's: the
    /// signal is not recorded then. SIGKILL leaves no trace; but where several ranks on the node of `mpivet run` ended, and
    /// one of them some milliseconds before the others, a note names it.
    ///
    /// # Why it is wrong
    /// MPI_Abort (MPI 4.1, 11.4) and kill end the job at any point: results may be incomplete, files half written. If
    /// the program calls MPI_Abort because it found an error, find the reason for that error.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Barrier()
    /// 1: MPI_Abort(errorcode=3)         //~ abort
    /// ```
    ///
    /// # How to fix
    /// Find out why the program gave up: the call stack of MPI_Abort leads to the condition. A run that was ended from
    /// outside needs more time, more memory, or less work.
    ABORT = "MV002" "abort" Error Analyzer: "a rank was ended by MPI_Abort or from outside before its end"
        about Function, Consequence
}
