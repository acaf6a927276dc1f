check! {
    /// # What it finds
    /// Communicators that the program has made (MPI_Comm_dup, MPI_Comm_split, MPI_Cart_create, MPI_Intercomm_merge,
    /// MPI_Comm_spawn, ...) and not freed with MPI_Comm_free or MPI_Comm_disconnect. The process looks when the library's
    /// MPI_Finalize (or the last MPI_Session_finalize) has returned, so that what callbacks of the program free during it
    /// counts as freed. A finding is one place of the program and says how many it has leaked; for one that is made
    /// from a session, the finding also has the call of MPI_Session_finalize before which it was to be freed.
    ///
    /// Predefined communicators and the one of MPI_Comm_get_parent need not be freed. A library that the program uses is a
    /// part of the program: its communicators count. Where one place leaks a good part of what the library has room for,
    /// leak-growth says so instead.
    ///
    /// # Why it is wrong
    /// Every communicator takes memory and a context id of the MPI library, and these are few (2048 in MPICH). A program that
    /// makes one in every step fails after some thousand steps.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_dup(comm=MPI_COMM_SELF) = ok    //~ leak-communicator
    /// 0: found MV301 "a communicator made by MPI_Comm_dup is never freed"
    /// ```
    ///
    /// # How to fix
    /// Free the communicator where its last use ends, on all its processes. A library can free its communicator in the delete
    /// callback of an attribute of MPI_COMM_SELF, which MPI_Finalize calls first.
    LEAK_COMMUNICATOR = "MV301" "leak-communicator" Warning Dynamic: "a communicator that is never freed"
        about Output(&[Kind::Comm]), Consequence
}
