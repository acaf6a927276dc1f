check! {
    /// # What it finds
    /// Error handlers that the program has made (MPI_Comm_create_errhandler, ...) or was handed out (MPI_Comm_get_errhandler,
    /// ...) and not freed with MPI_Errhandler_free. Since that may be called even after MPI_Finalize, the process looks when
    /// it ends by exit or a return from main.
    ///
    /// The predefined ones, such as MPI_ERRORS_RETURN, need not be freed, however the program got them.
    ///
    /// # Why it is wrong
    /// The handle is a reference that keeps the handler alive, also that of MPI_Comm_get_errhandler (MPI 4.1, 9.3). Code that
    /// saves and restores an error handler around every call leaks one each time.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_create_errhandler() = ok    //~ leak-errhandler
    /// 0: found MV307 "an error handler made by MPI_Comm_create_errhandler is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Errhandler_free directly after the handler was set: it lives on as long as a communicator, window or file
    /// uses it.
    LEAK_ERRHANDLER = "MV307" "leak-errhandler" Warning Dynamic: "an error handler that is never freed"
        about Output(&[Kind::Errhandler]), Consequence
}
