check! {
    /// # What it finds
    /// Windows of one-sided communication that the program has made (MPI_Win_create, MPI_Win_allocate, ...) and not freed
    /// with MPI_Win_free. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned,
    /// so that what callbacks of the program free during it counts as freed. A finding is one place of the program and says
    /// how many it has leaked.
    ///
    /// Some libraries abort in MPI_Finalize if a window is left. Then the facts known before are reported, as an
    /// error.
    ///
    /// # Why it is wrong
    /// A window holds registered or shared memory, and a communicator of the library. MPI_Win_free is also the last
    /// synchronization: without it nobody knows that the accesses of all processes are complete (MPI 4.1, 12.2.5).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_create_dynamic(comm=MPI_COMM_SELF) = ok    //~ leak-window
    /// 0: found MV305 "a window made by MPI_Win_create_dynamic is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Win_free on all processes of the window before its memory is released and before MPI_Finalize.
    LEAK_WINDOW = "MV305" "leak-window" Warning Dynamic: "a window that is never freed"
        about Output(&[Kind::Win]), Consequence
}
