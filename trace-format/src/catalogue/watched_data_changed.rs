check! {
    /// # What it finds
    /// Memory that the program has asked to watch (`mpivet_watch` of `include/mpivet.h` and of the Fortran module `mpivet`)
    /// has changed between two moments at which the process looked: when it enters an MPI call and when the call returns. The
    /// finding names the first and the last byte that changed (of memory up to 64 KiB), and the calls around the change, or
    /// the call during which it changed, such as a receive into the memory.
    ///
    /// A change that is undone before the next MPI call is not seen. Each pair of places is reported once.
    ///
    /// # Why it is wrong
    /// The program itself has said that these data are not to change, until `mpivet_unwatch`.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Barrier(comm=MPI_COMM_SELF) = ok
    /// 0: MPI_Barrier(comm=MPI_COMM_SELF) = ok                    //~ watched-data-changed
    /// 0: found MV801 "`limits` (16 bytes) has changed before this MPI_Barrier: between bytes 8 and 11" {0 MPI_Barrier "unchanged when it returned"}
    /// ```
    ///
    /// # How to fix
    /// Look at the code between the two places. To find the very statement, add calls of `mpivet_watch` or MPI calls, such as
    /// MPI_Wtime, between them.
    WATCHED_DATA_CHANGED = "MV801" "watched-data-changed" Warning Dynamic: "data that the program asked to watch have changed"
        about Function
}
