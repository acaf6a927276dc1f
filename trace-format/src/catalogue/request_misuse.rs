check! {
    /// # What it finds
    /// A request that is used in a way that its state does not allow: a copy of the handle of a request that is over,
    /// MPI_Start of one that is active or not persistent, MPI_Request_free or MPI_Cancel of a nonblocking collective
    /// operation, MPI_Cancel of one that is not active. The process prints the finding before it makes the call. Partitions that
    /// are marked against their rules are `partitioned-misuse`.
    ///
    /// Null and inactive requests in completion calls are allowed. A stale copy is only found as long as the library has not
    /// given the handle to another request.
    ///
    /// # Why it is wrong
    /// A request that was completed or freed does not exist (MPI 4.1, 3.7.3); only inactive persistent requests may be
    /// started (3.9); the rules for collective requests are in 6.12.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Isend(dest=1, request=7) = ok {request=7}           //~ request-misuse
    /// 0: MPI_Start(request=7) = MPI_ERR_REQUEST                  //~ request-misuse
    /// 0: found MV111 "MPI_Start is called for a request of MPI_Isend, which is not persistent" {0 MPI_Isend "made the request"}
    /// 0: MPI_Wait(request=7) = ok
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Keep each request in one variable, which MPI sets to MPI_REQUEST_NULL when it is over, and complete persistent
    /// requests before they are started again.
    REQUEST_MISUSE = "MV111" "request-misuse" Error Dynamic: "a request used against its state"
        about Input(&[Kind::Request]); Operations
}
