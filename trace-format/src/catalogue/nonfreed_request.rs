check! {
    /// # What it finds
    /// A persistent request (MPI_Send_init, MPI_Recv_init, MPI_Psend_init, MPI_Allreduce_init, ...) that was not freed with
    /// MPI_Request_free before MPI_Finalize.
    ///
    /// # Why it is wrong
    /// A wait makes a persistent request inactive and does not free it (MPI 4.1, 3.9). Each one that is forgotten is leaked
    /// memory of the library; in a loop the library runs out of requests.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send_init(dest=1, request=@0x10) = ok {request=r1}  //~ nonfreed-request
    /// 0: MPI_Start(request=r1@0x10) = ok
    /// 0: MPI_Wait(request=r1@0x10) = ok
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Request_free on every persistent request when its last use is complete.
    NONFREED_REQUEST = "MV103" "nonfreed-request" Error Analyzer: "a persistent request that was never freed"
        about Output(&[Kind::Request]), Consequence
}
