check! {
    /// # What it finds
    /// An info object that is the null handle, where an info object is needed. Functions that take hints take MPI_INFO_NULL;
    /// the functions of the info object itself do not.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 10). Libraries end the program
    /// or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Info_set(info=MPI_INFO_NULL)    //~ invalid-info
    /// 0: found MV212 "info of MPI_Info_set is MPI_INFO_NULL; it must be an info object"
    /// 0: mpi-error MPI_ERR_INFO fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at where the variable gets its value: it may be uninitialized, or set to the null handle by the call that freed
    /// the object.
    INVALID_INFO = "MV212" "invalid-info" Error Dynamic: "an info object that is null or none"
        about Input(&[Kind::Info]); Arguments
}
