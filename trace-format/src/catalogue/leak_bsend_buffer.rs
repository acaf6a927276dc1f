check! {
    /// # What it finds
    /// Buffers for buffered sends that were attached (MPI_Buffer_attach, MPI_Comm_attach_buffer, MPI_Session_attach_buffer)
    /// and not detached. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned,
    /// so that what callbacks of the program free during it counts as freed. A finding is one place of the program and says
    /// how many it has leaked.
    ///
    /// A buffer of a communicator or session that was freed is detached by that.
    ///
    /// # Why it is wrong
    /// The library may read the buffer until it is detached, so that the program can neither free its memory nor use it for
    /// something else. MPI_Finalize detaches it in the end (MPI 4.1, 3.6): what was sent arrives, and a program that frees
    /// the memory after MPI_Finalize works. All others have forgotten it.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Buffer_attach(size=1000) = ok    //~ leak-bsend-buffer
    /// 0: found MV311 "a buffer attached by MPI_Buffer_attach is never detached"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Buffer_detach after the last buffered send, and free the memory when it has returned.
    LEAK_BSEND_BUFFER = "MV311" "leak-bsend-buffer" Warning Dynamic: "a buffer for buffered sends that is never detached"
        about Function, Consequence
}
