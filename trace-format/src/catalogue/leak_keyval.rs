check! {
    /// # What it finds
    /// Attribute keys that the program has made (MPI_Comm_create_keyval, MPI_Type_create_keyval, MPI_Win_create_keyval) and
    /// not freed. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned, so that
    /// what callbacks of the program free during it counts as freed. A finding is one place of the program and says how many
    /// it has leaked.
    ///
    /// # Why it is wrong
    /// A key takes memory of the MPI library until it is freed and its last attribute is deleted (MPI 4.1, 7.7.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_create_keyval() = ok    //~ leak-keyval
    /// 0: found MV308 "an attribute key made by MPI_Comm_create_keyval is never freed"
    /// ```
    ///
    /// # How to fix
    /// Free the key as soon as the attribute was set, or in the delete callback of an attribute of MPI_COMM_SELF: attributes
    /// that exist keep it alive.
    LEAK_KEYVAL = "MV308" "leak-keyval" Warning Dynamic: "an attribute key that is never freed"
        about Output(&[Kind::Keyval]), Consequence
}
