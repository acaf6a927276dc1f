check! {
    /// # What it finds
    /// Datatypes that the program has made, or was handed out by MPI_Type_get_contents and MPI_File_get_view, and not freed
    /// with MPI_Type_free. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned,
    /// so that what callbacks of the program free during it counts as freed. A finding is one place of the program and says
    /// how many it has leaked.
    ///
    /// Predefined datatypes and those of MPI_Type_create_f90_real and its like, MPI_Type_match_size and
    /// MPI_Type_get_value_index need not be freed.
    ///
    /// # Why it is wrong
    /// A datatype takes memory of the MPI library until it is freed (MPI 4.1, 5.1.9). One that is made anew for every message
    /// and forgotten lets the program grow without limit.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Type_contiguous(count=3, oldtype=MPI_INT) = ok    //~ leak-datatype
    /// 0: found MV302 "a datatype made by MPI_Type_contiguous is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Type_free when the last operation that uses the datatype was started: operations under way and datatypes
    /// derived from it are not affected.
    LEAK_DATATYPE = "MV302" "leak-datatype" Warning Dynamic: "a datatype that is never freed"
        about Output(&[Kind::Datatype]), Consequence
}
