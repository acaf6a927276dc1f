check! {
    /// # What it finds
    /// A nonblocking or persistent collective operation that all ranks started, and that a rank never completed by a wait or a
    /// successful test before MPI_Finalize.
    ///
    /// # Why it is wrong
    /// A rank that starts an operation must complete it, and so must every other (MPI 4.1, 6.12). Before that the buffers may
    /// not be used, the operation need not make progress on any rank, and MPI_Finalize finds it pending (MPI 4.1, 11.2.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Ibarrier(request=@0x10) = ok {request=r1}
    /// 0: MPI_Wait(request=r1@0x10) = ok
    /// 1: MPI_Ibarrier(request=@0x10) = ok {request=r1}    //~ unfinished-gop
    /// ```
    ///
    /// # How to fix
    /// Complete the request on every rank, also on those that do not need the result.
    UNFINISHED_GOP = "MV502" "unfinished-gop" Error Analyzer: "a nonblocking collective operation that was started and never completed"
        about Function, Consequence
}
