check! {
    /// # What it finds
    /// A collective operation that moved data, after which a process does not have the data that another one sent:
    /// broadcasts, gathers, scatters, all-to-all and neighbourhood operations in all their forms. Something wrote into the
    /// receive buffer before the operation was complete, or the data were damaged on their way. Only with `--checksums all`,
    /// as for `recv-checksum`.
    ///
    /// The results of reductions over integers are recomputed: by one number a buffer, the same operation over all of its
    /// elements, so that a wrong result may go unseen with MPI_MIN, MPI_MAX, MPI_BAND and MPI_BOR. Other reductions depend on
    /// the order, or on the program.
    ///
    /// Not compared are reductions between two groups, data in place (MPI_IN_PLACE) of nonblocking and persistent
    /// operations, several edges between the same two processes of a Cartesian topology, and amounts that are not
    /// equal. An operation is compared when all its processes have completed it, and only if no other check found it
    /// wrong.
    ///
    /// # Why it is wrong
    /// Between the start of a nonblocking collective operation and its completion the program must not access its
    /// receive buffer (MPI 4.1, 6.12). The library may even pass the contents of this buffer on to other processes.
    ///
    /// # Example
    /// ```trace
    /// 0: checksums
    /// 1: checksums
    /// 0: MPI_Bcast(count=2)                               //~ collective-recv-checksum
    /// 0: checksums sent all:8:1f
    /// 0: return = ok
    /// 1: MPI_Bcast(count=2)                               //~ collective-recv-checksum
    /// 1: checksums received all:8:2e
    /// 1: return = ok
    /// ```
    ///
    /// # How to fix
    /// Complete the operation with MPI_Wait before its buffer is used.
    COLLECTIVE_RECV_CHECKSUM = "MV505" "collective-recv-checksum" Error Analyzer: "a collective operation whose data arrived changed"
        about Input(BUFFERS)
}
