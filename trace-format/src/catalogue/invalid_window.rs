check! {
    /// # What it finds
    /// A window that is the null handle, where a window is needed.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 12.2). Libraries end the program
    /// or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_fence(win=MPI_WIN_NULL)    //~ invalid-window
    /// 0: found MV210 "win of MPI_Win_fence is MPI_WIN_NULL; it must be a window"
    /// 0: mpi-error MPI_ERR_WIN fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at where the variable gets its value: it may be uninitialized, or set to the null handle by the call that freed
    /// the object.
    INVALID_WINDOW = "MV210" "invalid-window" Error Dynamic: "a window that is null or none"
        about Input(&[Kind::Win]); Arguments
}
