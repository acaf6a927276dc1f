check! {
    /// # What it finds
    /// MPI_Sendrecv or MPI_Isendrecv with a receive buffer that has bytes in common with the send buffer, by their datatypes.
    /// The process prints the finding when it makes the call. Where one of the partners is MPI_PROC_NULL nothing is wrong.
    ///
    /// # Why it is wrong
    /// The two buffers must be disjoint (MPI 4.1, 3.10): the data that come in may overwrite those that are still to be sent.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Sendrecv(dest=1, source=1) = ok                     //~ overlapping-sendrecv
    /// 0: found MV105 "MPI_Sendrecv receives 4 x MPI_INT into memory that it sends: byte 0 of recvbuf is byte 4 of sendbuf"
    /// 1: MPI_Sendrecv(dest=0, source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Use MPI_Sendrecv_replace if the data shall change places, otherwise a second buffer.
    OVERLAPPING_SENDRECV = "MV105" "overlapping-sendrecv" Error Dynamic: "send and receive buffer of MPI_Sendrecv overlap"
        about Input(BUFFERS); Operations
}
