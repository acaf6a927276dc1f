check! {
    /// # What it finds
    /// Reduction operations that the program has made with MPI_Op_create and not freed with MPI_Op_free. The process looks
    /// when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned, so that what callbacks of the program
    /// free during it counts as freed. A finding is one place of the program and says how many it has leaked.
    ///
    /// # Why it is wrong
    /// An operation takes memory of the MPI library until it is freed (MPI 4.1, 6.9.5).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Op_create(commute=1) = ok    //~ leak-op
    /// 0: found MV304 "a reduction operation made by MPI_Op_create is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Op_free after the last reduction that uses the operation was started.
    LEAK_OP = "MV304" "leak-op" Warning Dynamic: "a reduction operation that is never freed"
        about Output(&[Kind::Op]), Consequence
}
