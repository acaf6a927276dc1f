check! {
    /// # What it finds
    /// Ports that the program has opened with MPI_Open_port and not closed with MPI_Close_port, and names that it has
    /// published with MPI_Publish_name and not unpublished. The process looks when the library's MPI_Finalize (or the last
    /// MPI_Session_finalize) has returned, so that what callbacks of the program free during it counts as freed. A finding is
    /// one place of the program and says how many it has leaked.
    ///
    /// A port that is closed before the process has unpublished a name for it is found, too.
    ///
    /// # Why it is wrong
    /// A port is an address in the network that the library listens at until it is closed (MPI 4.1, 11.9.2). A name that
    /// stays published leads later clients to a server that is gone: it must be unpublished before its port is closed
    /// (11.9.4).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Open_port() = ok    //~ leak-port
    /// 0: found MV313 "a port opened by MPI_Open_port is never closed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Unpublish_name, and then MPI_Close_port, when the last client was accepted.
    LEAK_PORT = "MV313" "leak-port" Warning Dynamic: "a port that is never closed, or a name that stays published"
        about Function, Consequence
}
