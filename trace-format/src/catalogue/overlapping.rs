check! {
    /// # What it finds
    /// A send, receive or file access whose buffer has bytes in common with that of an operation that is still pending, where
    /// one of the two writes. What counts is which bytes the datatypes name, not the range from the first to the last one:
    /// columns of a matrix that lie between each other do not overlap. The process prints the finding when it makes the
    /// second call, with the place of the first.
    ///
    /// Buffers of one-sided operations, and requests that the program has freed while they were active, are not looked at.
    /// Where the library gives one handle to several requests, which it does for sends that are complete in its eyes, the first
    /// completion ends them all. Overlaps with collective operations are `collective-overlap`, with partitions
    /// `partitioned-misuse`.
    ///
    /// # Why it is wrong
    /// Until an operation is complete, its receive buffer must not be accessed in any way, and its send buffer must not be
    /// changed (MPI 4.1, 3.7.2). Which of the two operations wins depends on timing; the data are lost or torn.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Irecv(source=1, request=7) = ok {request=7}         //~ overlapping
    /// 0: MPI_Isend(dest=1, request=8) = ok {request=8}           //~ overlapping
    /// 0: found MV104 "MPI_Isend reads byte 0 of buf, which a pending MPI_Irecv writes (byte 0 of buf)" {0 MPI_Irecv "is pending and writes"}
    /// 0: MPI_Waitall(count=2, array_of_requests=[7,8]) = ok
    /// 1: MPI_Recv(source=0) = ok
    /// 1: MPI_Send(dest=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Give each operation memory of its own, or complete the first with MPI_Wait before the second begins.
    OVERLAPPING = "MV104" "overlapping" Error Dynamic: "a buffer that a pending operation uses"
        about Input(BUFFERS); Operations
}
