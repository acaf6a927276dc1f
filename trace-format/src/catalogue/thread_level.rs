check! {
    /// # What it finds
    /// MPI calls by threads that the level of thread support in force forbids: under MPI_THREAD_SINGLE and
    /// MPI_THREAD_FUNNELED a call by another thread than the one that started MPI, under MPI_THREAD_SERIALIZED a call while
    /// another thread is in one. The level is the one that the library provides (MPI_Query_thread), not the one that the
    /// program asked for. The process prints the finding when it makes the call, once for each place.
    ///
    /// # Why it is wrong
    /// The library takes no locks beyond what the level promises (MPI 4.1, 11.2.1): its data may be destroyed, now or when
    /// the timing changes. A few functions may always be called: those that ask for the state and the version of MPI, for
    /// error classes and strings, and those for info objects (MPI 4.1, 11.4.1).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init_thread(required=3) = ok {provided=1}
    /// 0.1: MPI_Send(dest=1) = ok                        //~ thread-level
    /// 0.1: thread-level MPI_THREAD_FUNNELED
    /// 1: MPI_Init_thread(required=3) = ok {provided=1}
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Ask for the level that the program needs with MPI_Init_thread, and look at what it provided: the library may give less.
    /// Otherwise leave MPI calls to the main thread, or put a lock around them under MPI_THREAD_SERIALIZED.
    THREAD_LEVEL = "MV007" "thread-level" Error Dynamic: "an MPI call by a thread that may not make it"
        about Function
}
