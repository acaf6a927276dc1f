check! {
    /// # What it finds
    /// The use of a communicator, datatype, group, operation, window, file, info object, error handler or session that the
    /// program has freed, by a copy of the handle. The places that freed and made the object are named. To free it once
    /// more is `double-free`.
    ///
    /// If the library has given the handle to another object meanwhile, nobody sees it. Requests are not looked at.
    ///
    /// # Why it is wrong
    /// A freed handle is invalid (MPI 4.1, 2.5.1). Operations that were started before may go on with the object, new ones
    /// may not. Libraries crash, report an error, or use memory that belongs to something else.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Type_free() = ok
    /// 0: MPI_Type_size()                //~ use-after-free
    /// 0: found MV223 "datatype of MPI_Type_size is a datatype that was already freed by MPI_Type_free" {0 MPI_Type_free "freed it"}
    /// 0: mpi-error MPI_ERR_TYPE fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Free the object after its last use. Keep the handle in one place only: MPI sets the variable that it is given to the
    /// null handle, and copies stay as they are.
    USE_AFTER_FREE = "MV223" "use-after-free" Error Dynamic: "an object used after it was freed"
        about Named; Arguments
}
