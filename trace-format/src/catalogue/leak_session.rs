check! {
    /// # What it finds
    /// A session that was started with MPI_Session_init and not finalized, in a process that has finalized another one, or
    /// the world model by MPI_Finalize. The process looks when it ends by exit or a return from main. If nothing at all was
    /// finalized, the finding is missing-finalize.
    ///
    /// # Why it is wrong
    /// A session holds resources of the library and connections to other processes until it is finalized (MPI 4.1, 11.3.1);
    /// the others may wait for this process when they finalize theirs.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Session_init() = ok    //~ leak-session
    /// 0: found MV312 "a session started by MPI_Session_init is never finalized"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Session_finalize for every session, whatever the order of sessions and world model.
    LEAK_SESSION = "MV312" "leak-session" Warning Dynamic: "a session that is never finalized"
        about Function, Consequence
}
