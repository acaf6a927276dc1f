check! {
    /// # What it finds
    /// Buffers of one collective call that overlap, parts of the receive buffer for different partners that do, or a
    /// collective operation whose buffers overlap those of a pending operation, where one of the two writes. What counts is
    /// which bytes the datatypes name. The process prints the finding when it makes the call. One address for both buffers is
    /// `aliased-buffers`.
    ///
    /// With more than 4096 partners the parts are not looked at.
    ///
    /// # Why it is wrong
    /// Send and receive buffers of a collective operation must be disjoint unless MPI_IN_PLACE says that they are one, no
    /// location may be written twice (MPI 4.1, 6.2 and 6.5 to 6.8), and buffers of nonblocking operations belong to MPI until
    /// these are complete (6.12).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Ibcast(root=0, request=7) = ok {request=7}          //~ collective-overlap
    /// 0: MPI_Recv(source=1) = ok                                 //~ collective-overlap
    /// 0: found MV511 "MPI_Recv writes byte 0 of buf, which a pending MPI_Ibcast reads (byte 0 of buffer)" {0 MPI_Ibcast "is pending and reads"}
    /// 0: MPI_Wait(request=7) = ok
    /// 1: MPI_Send(dest=0) = ok
    /// 1: MPI_Ibcast(root=0, request=7) = ok {request=7}
    /// 1: MPI_Wait(request=7) = ok
    /// ```
    ///
    /// # How to fix
    /// Use memory of its own for each buffer, MPI_IN_PLACE where input and result shall be in one place, and check the
    /// displacements.
    COLLECTIVE_OVERLAP = "MV511" "collective-overlap" Error Dynamic: "buffers of a collective operation overlap"
        about Function; Operations
}
