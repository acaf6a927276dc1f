check! {
    /// # What it finds
    /// One place of the program that makes communicators or windows without end: those that it has made and not freed are
    /// half of what the MPI library has room for (the process says so at that moment), or a tenth of it when MPI_Finalize has
    /// returned. The finding says how much longer the program can go on like this.
    ///
    /// The limits are measured for MPICH (2046 communicators and windows), Intel MPI (32766 communicators) and Open
    /// MPI (65532 communicators). Objects of other kinds have no limit but memory: their leaks are reported by the
    /// checks of their kinds.
    ///
    /// # Why it is wrong
    /// A short test ends well, and the same program fails in production after hours, with an error such as "Too many
    /// communicators".
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_dup(comm=MPI_COMM_SELF) = ok    //~ leak-growth
    /// 0: found MV320 "1023 communicators made by MPI_Comm_dup are not freed; MPICH has room for 2046, so that about 2 times as many make it fail"
    /// ```
    ///
    /// # How to fix
    /// Free the object in the loop that makes it, or make it once before the loop.
    LEAK_GROWTH = "MV320" "leak-growth" Warning Dynamic: "objects leaked at one place, on the way to the library's limit"
        about Function, Consequence
}
