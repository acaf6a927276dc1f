check! {
    /// # What it finds
    /// Ranks that wait for each other in a cycle, so that none of them can ever go on. The verdict comes from the
    /// matching of operations, not from a time-out: every rank of the cycle is inside an MPI call that only another
    /// rank of the cycle could complete. Ranks that merely wait behind the cycle are listed apart. If the ranks wait
    /// in the same call on different objects, the finding is `comm-free-mismatch`; if calls that make a communicator
    /// do not match because of their arguments, it is `collective-argument-mismatch`.
    ///
    /// Waiting is: a receive, a probe, a send whose message nobody has received (a buffered one never waits), the completion
    /// of requests (all, or one of them), a collective operation that another rank has not begun, epochs and locks of windows,
    /// partitions that are not ready, buffers with messages in them. A rank waits in a collective operation for those whose
    /// data it needs by its arguments; whether it also waits for others is the library's affair, and then, as with a send in
    /// standard mode, `mpivet run` looks whether the rank is stuck before it says so.
    ///
    /// # Why it is wrong
    /// MPI completes a receive only when a matching send was started, and a send in standard mode may wait until the
    /// matching receive was started (MPI 4.1, 3.4 and 3.5). A program whose ranks all wait first never makes progress.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv(source=1, tag=0)      //~ real-deadlock
    /// 1: MPI_Recv(source=0, tag=0)      //~ real-deadlock
    /// ```
    ///
    /// # How to fix
    /// Let one side send first, or use MPI_Sendrecv, or start the receives with MPI_Irecv before the sends and wait
    /// for all of them afterwards.
    REAL_DEADLOCK = "MV601" "real-deadlock" Error Analyzer: "a knot of ranks that wait for each other"
        about Function, Fatal
}
