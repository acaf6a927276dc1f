check! {
    /// # What it finds
    /// A partitioned send and its receive that do not describe the same data: `partitions` times `count` elements of the one
    /// are more or less than those of the other, or of another type. The first MPI_Psend_init to a process on a communicator with
    /// a tag belongs to the first MPI_Precv_init there, the second to the second, whatever is started first. It is found when
    /// both are described, before anything is sent.
    ///
    /// The two sides may cut the data into different numbers of partitions. Types that look the same in memory give a
    /// warning, and MPI_BYTE on one side alone is tolerated. Where several threads describe operations at once,
    /// nothing is said.
    ///
    /// # Why it is wrong
    /// Unlike other messages, a partitioned one must be exactly as long as its receive (MPI 4.1, 4.2). Libraries match partitions
    /// by their places in the buffer: they leave partitions unfinished, write behind the buffer, or end the job.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Psend_init(partitions=4, count=25, dest=1, request=@0x10) = ok {request=r1}   //~ partitioned-mismatch
    /// 0: MPI_Request_free(request=r1@0x10) = ok
    /// 1: MPI_Precv_init(partitions=2, count=40, dest=0, request=@0x10) = ok {request=r1}   //~ partitioned-mismatch
    /// 1: MPI_Request_free(request=r1@0x10) = ok
    /// ```
    ///
    /// # How to fix
    /// `count` is the number of elements of one partition. Compute it on both sides from the whole length, and see to it that both
    /// numbers of partitions divide that.
    PARTITIONED_MISMATCH = "MV708" "partitioned-mismatch" Error Analyzer: "a partitioned send and its receive do not describe the same data"
        about Input(COUNTS)
}
