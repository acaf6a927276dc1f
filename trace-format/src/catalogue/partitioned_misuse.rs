check! {
    /// # What it finds
    /// Partitioned communication that does not follow its rules:
    ///
    /// - MPI_Pready of a partition that does not exist or was marked ready already since the start, of a send that is not
    ///   active, of a receive, or of a request that is not partitioned;
    /// - MPI_Parrived on a send or on a request that is not partitioned;
    /// - a wait for a send of which some partitions were not marked ready, so that it cannot return: before the call where no
    ///   other thread may call MPI in the meantime, otherwise in the report when the process hangs;
    /// - a partition that belongs to MPI, since it is marked ready or has not arrived, in the buffer of another MPI call, and a
    ///   partition that is marked ready while another operation still writes to it.
    ///
    /// A partition that is not marked ready yet, or of which MPI_Parrived has said that it is there, is the program's. Accesses by
    /// the program itself are not seen. In processes with several threads no partition is said to be marked twice.
    ///
    /// # Why it is wrong
    /// Each partition is marked ready exactly once between the start of a send and its completion, which waits for all of
    /// them; from then on its memory is MPI's, as a receive's is until its partitions have arrived (MPI 4.1, 4.2). Libraries
    /// do not look: they send data twice, send what is not there yet, or hang.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Psend_init(partitions=2, dest=1, request=@0x10) = ok {request=r1}
    /// 0: MPI_Start(request=r1@0x10) = ok                                         //~ partitioned-misuse
    /// 0: MPI_Pready(partition=0, request=r1@0x10) = ok
    /// 0: MPI_Wait(request=r1@0x10)                                               //~ partitioned-misuse
    /// 0: found MV707 "partition 1 of 2 was not marked ready" {1 MPI_Start "started it"}
    /// 1: MPI_Precv_init(partitions=2, dest=0, request=@0x10) = ok {request=r1}
    /// 1: MPI_Start(request=r1@0x10) = ok
    /// 1: MPI_Wait(request=r1@0x10)
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Pready for each partition once, by the thread that has filled it, and MPI_Wait when all threads have done so.
    /// Use a partition of a receive when MPI_Parrived has said that it is there, or after MPI_Wait.
    PARTITIONED_MISUSE = "MV707" "partitioned-misuse" Error Dynamic: "partitions used against the rules of partitioned communication"
        about Function; Operations
}
