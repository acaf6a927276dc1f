check! {
    /// # What it finds
    /// Ranks that got through because the MPI library did more than the standard promises: it buffered a message of MPI_Send
    /// (or of MPI_Isend, up to the wait), or let a collective operation return before all ranks had called it, or MPI_Win_start
    /// before its targets had called MPI_Win_post. Where it does not, these ranks wait for each other for ever. The finding
    /// says which call needs the favour, and how many bytes had to be buffered at least. It is proved by running the trace once
    /// more with the messages that it had, in a library that does none of this, not by a time-out.
    ///
    /// It also finds ranks that got through because messages came in a lucky order: for receives and probes with
    /// MPI_ANY_SOURCE or MPI_ANY_TAG every matching that the standard permits is decided, and one that ends in a
    /// deadlock is shown, with a file for `mpivet run --replay` that makes it happen. It takes for granted that ranks
    /// go on in the same way whichever message they get; where a rank goes on to speak with the one that it got the
    /// message from, the message has another tag or size, MPI_Waitany or MPI_Waitsome completes other requests, or a
    /// probe reports another message, it is silent; `mpivet run --explore` tries the other messages in further runs.
    /// Runs of more than 100,000 steps, and places with too many possibilities, are not decided; the report says so.
    ///
    /// And it finds locks of windows that are asked for in different orders, or that a rank holds in a receive or a barrier which
    /// another one comes to only when it has had that lock: each got through because the others were not there.
    ///
    /// `mpivet run --sync-sends` makes standard sends wait for their receives, so that the program deadlocks before your
    /// eyes. With `mpivet run --probe-limits` the finding says from which size on it hangs with this MPI library: that is
    /// measured at the start between ranks 0 and 1.
    ///
    /// # Why it is wrong
    /// A send in standard mode may wait until its receive is started, and the library alone decides (MPI 4.1, 3.4); a program
    /// is unsafe if it relies on buffering (3.5). A collective operation may wait for all processes of its communicator (6.1),
    /// the start of an access epoch for its targets (12.5.2). Such a program hangs with larger messages, more ranks, another
    /// network or another library. Of two exclusive locks of one memory one waits for the end of the other (12.5.3).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1) = ok          //~ potential-deadlock
    /// 0: MPI_Recv(source=1) = ok
    /// 1: MPI_Send(dest=0) = ok          //~ potential-deadlock
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Let one side receive first, or use MPI_Sendrecv, or start the receives with MPI_Irecv before the sends. Where the
    /// buffering is wanted, say so: MPI_Bsend with a buffer that is large enough. Let all ranks lock memory in the same order, and
    /// give locks back before they wait.
    POTENTIAL_DEADLOCK = "MV602" "potential-deadlock" Warning Analyzer: "ranks that wait for each other unless the library does more than it must"
        about Function, Potential
}
