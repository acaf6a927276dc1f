check! {
    /// # What it finds
    /// MPI_Request_free of a persistent request that was started and not completed, of a receive, a collective or a
    /// partitioned operation. The process prints the finding when it makes the call. For sends see `nonpersistent-request-
    /// free`.
    ///
    /// # Why it is wrong
    /// Active receive requests should not be freed (MPI 4.1, 3.9), and those of collective and partitioned operations must
    /// not be: nobody can tell when the buffer is written.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv_init(source=1, request=7) = ok {request=7}     //~ wrong-request-free
    /// 0: MPI_Start(request=7) = ok                               //~ wrong-request-free
    /// 0: MPI_Request_free(request=7) = ok                        //~ wrong-request-free
    /// 0: found MV109 "MPI_Request_free is called for the active persistent request of MPI_Recv_init" {1 MPI_Start "started it"} {0 MPI_Recv_init "made the request"}
    /// 1: MPI_Send(dest=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Complete the operation with MPI_Wait or MPI_Test first: then the request is inactive and can be freed.
    WRONG_REQUEST_FREE = "MV109" "wrong-request-free" Error Dynamic: "an active persistent request is freed"
        about Input(&[Kind::Request]); Operations
}
