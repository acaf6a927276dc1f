check! {
    /// # What it finds
    /// Info objects that the program has made (MPI_Info_create, MPI_Info_dup, ...) or was handed out (MPI_Comm_get_info,
    /// MPI_File_get_info, ...) and not freed with MPI_Info_free. Since that may be called even after MPI_Finalize, the
    /// process looks when it ends by exit or a return from main.
    ///
    /// # Why it is wrong
    /// Each call hands out a new object, and the caller owns it (MPI 4.1, 10).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Info_create() = ok    //~ leak-info
    /// 0: found MV309 "an info object made by MPI_Info_create is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Info_free as soon as the call that the hints are for has returned: MPI keeps a copy.
    LEAK_INFO = "MV309" "leak-info" Warning Dynamic: "an info object that is never freed"
        about Output(&[Kind::Info]), Consequence
}
