check! {
    /// # What it finds
    /// Arguments that the standard rules out and that have no check of their own: a level of thread support, a kind of
    /// lock, an assertion, an access mode, a storage order or a position that is none; a negative colour, size or offset; a
    /// part that is not inside its array; a stride of zero in a range of ranks; NULL for a string, for a result, or
    /// for an array of which elements are read or written; a second buffer for buffered sends while one is attached;
    /// MPI_KEYVAL_INVALID; a null error handler, session or message.
    ///
    /// Constants that libraries may have beyond the standard are left alone.
    ///
    /// # Why it is wrong
    /// The text of each function says what its arguments may be. Libraries report an error at best.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_lock()                 //~ invalid-argument
    /// 0: found MV214 "lock_type of MPI_Win_lock is 7; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED"
    /// 0: mpi-error MPI_ERR_LOCKTYPE fatal "..."
    /// ```
    ///
    /// # How to fix
    /// The message says what is allowed. Use the named constants: their values differ from library to library.
    INVALID_ARGUMENT = "MV214" "invalid-argument" Error Dynamic: "an argument that the function does not allow"
        about Named; Arguments
}
