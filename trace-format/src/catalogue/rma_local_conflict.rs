check! {
    /// # What it finds
    /// The buffer of a Put, Get or accumulate at its origin, used before the access is complete there:
    ///
    /// - another call (a second access, a send, a receive, a collective operation) uses bytes of it, and one of the two
    ///   writes; bytes count as the datatypes name them. The process prints the finding when it makes the second call.
    /// - the buffers of one call of MPI_Get_accumulate, MPI_Fetch_and_op or MPI_Compare_and_swap overlap;
    /// - the program has changed a buffer that the access reads. The process takes a checksum at the call and compares at
    ///   the completion, as for `send-checksum`; `--checksums` and `--sample-over` hold here, too.
    ///
    /// An access is complete at its origin when the call returns that ends its epoch, when MPI_Win_flush or
    /// MPI_Win_flush_local returns for its target, or when its request is completed. A buffer that MPI_NO_OP leaves alone
    /// is not looked at, nor are the buffers of more than 65,536 accesses that are pending at once. A load of a buffer that
    /// MPI_Get still writes is not seen.
    ///
    /// # Why it is wrong
    /// Until an access is complete, its buffer must not be changed, and the buffer of a Get must not be accessed at all
    /// (MPI 4.1, 12.3). Libraries differ in when they move the data: some at the call, some at the end of the epoch.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Put(target_rank=1) = ok        //~ rma-local-conflict
    /// 0: MPI_Get(target_rank=1) = ok        //~ rma-local-conflict
    /// 0: found MV703 "MPI_Get writes byte 0 of origin_addr, which a pending MPI_Put reads (byte 0 of origin_addr)" {0 MPI_Put "is pending and reads"}
    /// 1: MPI_Get_processor_name() = ok
    /// ```
    ///
    /// # How to fix
    /// Complete the first access before the buffer is used again (MPI_Win_flush_local is enough under a lock), or give each
    /// access a buffer of its own.
    RMA_LOCAL_CONFLICT = "MV703" "rma-local-conflict" Error Dynamic: "the origin buffer of an access used before it is complete"
        about Input(BUFFERS); Operations
}
