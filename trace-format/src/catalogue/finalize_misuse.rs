check! {
    /// # What it finds
    /// MPI_Finalize by another thread than the main one, which is the thread that called MPI_Init or MPI_Init_thread;
    /// MPI_Finalize while another thread of the process is in an MPI call, another MPI_Finalize among them; and calls that
    /// other threads begin before MPI_Finalize has returned. Calls that may be made at any time (MPI_Initialized,
    /// MPI_Finalized, ...) do not count. Where a call of two threads may only have followed each other closely, nothing is
    /// said.
    ///
    /// # Why it is wrong
    /// MPI_Finalize is to be called by the thread that initialized MPI, after all threads have completed their MPI
    /// calls and have no operation pending (MPI 4.1, 11.6). The library gives its memory back there: a thread that is
    /// still inside works on objects that are gone, and may crash, hang or write somewhere else, depending on timing
    /// alone. Whatever level of thread support was asked for, MPI_THREAD_MULTIPLE as well, this holds.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init_thread(required=3) = ok {provided=3}
    /// 0.1: MPI_Finalize() = ok                          //~ finalize-misuse
    /// ```
    ///
    /// # How to fix
    /// Join the threads that call MPI, or have them say that they are done, and call MPI_Finalize from the thread
    /// that called MPI_Init. Send a message to a thread that waits for messages, so that it stops.
    FINALIZE_MISUSE = "MV010" "finalize-misuse" Error Analyzer: "MPI_Finalize by a wrong thread, or while another thread is in a call"
        about Function
}
