check! {
    /// # What it finds
    /// A call that is given objects of two sessions, or of a session and of the world model: MPI_Comm_create with a group of
    /// another session than its communicator, MPI_Group_union and other calls with two groups, MPI_Win_start with a
    /// group that is not of the window's session, MPI_Waitall of requests of both. Groups of MPI_Group_from_session_pset
    /// belong to its session; what is made from them (groups, communicators, windows, files, requests) belongs to it, too.
    /// MPI_COMM_WORLD, MPI_COMM_SELF, the parents of MPI_Comm_get_parent and what MPI_Comm_join makes belong to the
    /// world model.
    ///
    /// Datatypes, operations, info objects, error handlers and MPI_GROUP_EMPTY may be used with all. Nothing is said
    /// where an argument means nothing (the communicator of the peers, except at the leader), nor of a group that the library
    /// has handed out for two sessions, nor of requests without a communicator, window or file: generalized requests and
    /// those of MPI_Imrecv.
    ///
    /// # Why it is wrong
    /// Objects that are derived from different sessions, or from a session and the world model, must not be mixed in one
    /// call (MPI 4.1, 11.3). Each session may have resources of its own, which a library need not be able to use together.
    /// Some calls do what one hopes, others end the program: MPICH 5.0 in MPI_Group_union, Open MPI 5.0 in MPI_Waitall and
    /// MPI_Comm_compare.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Group_union() = ok                                  //~ session-mix
    /// 0: found MV215 "group2 of MPI_Group_union is derived from another session than group1"
    /// ```
    ///
    /// # How to fix
    /// Make both objects from one session: a group of MPI_Comm_group(comm) goes with comm. To find ranks of one group
    /// in another, make both groups from the process sets of one session. Complete requests of each session by calls of
    /// their own.
    SESSION_MIX = "MV215" "session-mix" Error Dynamic: "objects of different sessions, or of a session and the world model, in one call"
        about Named; Arguments
}
