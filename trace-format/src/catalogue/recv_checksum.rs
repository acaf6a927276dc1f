check! {
    /// # What it finds
    /// A message whose data, when the receive is complete, are not the data that were sent: something wrote into the receive
    /// buffer while the receive was pending, or the data were damaged on their way. Only with `--checksums all` (for a job
    /// that is not started by `mpivet run`, `MPIVET_CHECKSUMS=all`): every process takes a checksum of what it sends when the
    /// send starts, and of what it has received when the receive is complete, over the bytes that the datatypes name. That
    /// costs time for every byte that is sent.
    ///
    /// Not compared are messages whose two ends differ in their number of bytes, those of matched probes and of partitioned
    /// operations, those that several threads of a process send or receive with the same communicator, partner and tag, and
    /// data in memory that the processor cannot read. A message is compared when both of its operations are complete. If the
    /// buffer was changed during the send, or other operations used one of the buffers meanwhile, that is what is reported.
    ///
    /// # Why it is wrong
    /// The program must not access a receive buffer between the start of the receive and its completion (MPI 4.1, 3.7.2): what
    /// it writes there is lost, or destroys the message, depending on timing.
    ///
    /// # Example
    /// ```trace
    /// 0: checksums
    /// 1: checksums
    /// 0: MPI_Send(dest=1, count=2)                               //~ recv-checksum
    /// 0: checksums sent all:8:1f
    /// 0: return = ok
    /// 1: MPI_Irecv(source=0, count=2, request=7) = ok {request=7} //~ recv-checksum
    /// 1: MPI_Wait(request=7)                                      //~ recv-checksum
    /// 1: checksums received all:8:2e
    /// 1: return = ok {status=0/0/8}
    /// ```
    ///
    /// # How to fix
    /// Do not write into the buffer before MPI_Wait or a successful MPI_Test. If nothing in the program does, suspect the MPI
    /// library or the network.
    RECV_CHECKSUM = "MV403" "recv-checksum" Error Analyzer: "the data that were received are not those that were sent"
        about Input(BUFFERS)
}
