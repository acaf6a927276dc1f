check! {
    /// # What it finds
    /// A nonblocking or persistent send that was started and whose request was never completed by a wait or a successful test
    /// before MPI_Finalize, although its message was received. The usual cause is a request variable that was overwritten by
    /// the next send. A send that nobody received is `nonpaired-send` instead.
    ///
    /// # Why it is wrong
    /// Until the completion the buffer belongs to MPI, and only the completion says when it may be used again (MPI 4.1,
    /// 3.7.3). The request itself is leaked memory of the library. Every pending communication must be completed before
    /// MPI_Finalize (MPI 4.1, 11.2.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Isend(dest=1, request=@0x10) = ok {request=r1}     //~ unfinished-send
    /// 0: MPI_Isend(dest=1, request=@0x10) = ok {request=r2}
    /// 0: MPI_Wait(request=r2@0x10) = ok
    /// 1: MPI_Recv(source=0) = ok
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Keep a request of its own for every send, in an array, and complete them all with MPI_Waitall. If the completion is
    /// known by other means, MPI_Request_free gives the request back, but then the buffer must never be touched again.
    UNFINISHED_SEND = "MV101" "unfinished-send" Error Analyzer: "a nonblocking send that was never completed"
        about Output(&[Kind::Request]), Consequence
}
