check! {
    /// # What it finds
    /// A file that is the null handle, where a file is needed. The functions for error handlers take MPI_FILE_NULL.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 14.2). Libraries end the program
    /// or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_File_sync(fh=MPI_FILE_NULL)    //~ invalid-file
    /// 0: found MV211 "fh of MPI_File_sync is MPI_FILE_NULL; it must be a file"
    /// 0: mpi-error MPI_ERR_FILE fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at what MPI_File_open returned: errors of files do not end the program unless it says so (MPI 4.1, 14.7), and
    /// the handle of a file that was not opened is MPI_FILE_NULL.
    INVALID_FILE = "MV211" "invalid-file" Error Dynamic: "a file that is null or none"
        about Input(&[Kind::File]); Arguments
}
