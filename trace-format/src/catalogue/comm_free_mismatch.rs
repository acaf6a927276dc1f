check! {
    /// # What it finds
    /// Communicators, windows and files that the ranks free or make in different orders:
    ///
    /// - one rank frees a communicator at the place of its order where another calls another operation on it;
    /// - ranks free several objects in such an order that each would wait for the other if the calls synchronised. The calls
    ///   of one thread are looked at, the first 512 of each rank. That is a warning: it did not hang;
    /// - ranks wait for each other in the same call on different objects, for example each in MPI_Comm_dup of another
    ///   communicator.
    ///
    /// # Why it is wrong
    /// MPI_Comm_free, MPI_Comm_disconnect, MPI_Win_free and MPI_File_close are collective, as are the calls that make such
    /// objects. A program must be right whether a collective call synchronises or not (MPI 4.1, 6.14). A library that delays a
    /// free until the last message has arrived, or talks to the others to reuse the context, hangs.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_dup() = ok {newcomm=c1{0,1}}
    /// 0: MPI_Comm_dup() = ok {newcomm=c2{0,1}}
    /// 0: MPI_Comm_free(comm=c1) = ok       //~ comm-free-mismatch
    /// 0: MPI_Comm_free(comm=c2) = ok
    /// 1: MPI_Comm_dup() = ok {newcomm=c1{0,1}}
    /// 1: MPI_Comm_dup() = ok {newcomm=c2{0,1}}
    /// 1: MPI_Comm_free(comm=c2) = ok       //~ comm-free-mismatch
    /// 1: MPI_Comm_free(comm=c1) = ok
    /// ```
    ///
    /// # How to fix
    /// Free objects in one order on all ranks: that in which they were made, or the reverse of it. Do not leave the order to
    /// the iteration over a hash table, or to destructors that run at different times.
    COMM_FREE_MISMATCH = "MV513" "comm-free-mismatch" Error Analyzer: "ranks free or make objects in different orders"
        about Function
}
