check! {
    /// # What it finds
    /// A request that is the null handle, where a request is needed. MPI_Start, MPI_Request_free, MPI_Cancel and the calls
    /// for partitions need a request; waiting for the null handle, testing it and asking for its status is allowed. Also a
    /// variable that cannot hold a request, given to any of them: uninitialized memory.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 3.7.3). Libraries end the
    /// program or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Start(request=0)    //~ invalid-request
    /// 0: found MV209 "request of MPI_Start is MPI_REQUEST_NULL; it must be a request"
    /// 0: mpi-error MPI_ERR_REQUEST fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Set requests to MPI_REQUEST_NULL before the loop that starts operations, and start and free only those that were
    /// made.
    INVALID_REQUEST = "MV209" "invalid-request" Error Dynamic: "a request that is null or none"
        about Input(&[Kind::Request]); Arguments
}
