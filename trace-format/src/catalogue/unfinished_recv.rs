check! {
    /// # What it finds
    /// A nonblocking or persistent receive that was started and never completed by a wait or a successful test before
    /// MPI_Finalize, although a message for it was sent. A receive without any message is `nonpaired-recv` instead.
    ///
    /// # Why it is wrong
    /// The buffer of a receive may not even be read before its completion (MPI 4.1, 3.7.2 and 3.7.3): data that seem to be
    /// there may change or be incomplete. A barrier or any other call proves nothing. Pending communication must be completed
    /// before MPI_Finalize (MPI 4.1, 11.2.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1) = ok
    /// 1: MPI_Irecv(source=0, request=@0x10) = ok {request=r1}   //~ unfinished-recv
    /// 0: MPI_Barrier() = ok
    /// 1: MPI_Barrier() = ok
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Wait (or one of its relatives) before the buffer is used. A receive that is no longer wanted is cancelled with
    /// MPI_Cancel and then completed.
    UNFINISHED_RECV = "MV102" "unfinished-recv" Error Analyzer: "a nonblocking receive that was never completed"
        about Output(&[Kind::Request]), Consequence
}
