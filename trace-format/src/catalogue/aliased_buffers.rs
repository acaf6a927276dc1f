check! {
    /// # What it finds
    /// One array as both the send and the receive buffer of a collective, or as two buffers of another call, although MPI
    /// writes one of them: the first bytes of data are the same. Empty buffers are not looked at, nor are those that MPI
    /// ignores at this rank. Buffers that overlap otherwise, and those of MPI_Sendrecv, are other checks.
    ///
    /// # Why it is wrong
    /// The buffers of a call must not overlap where one of them is written (MPI 4.1, 2.3, 6.2.3). Some libraries report an
    /// error; others read what they have just overwritten, and which ranks get wrong results depends on the algorithm.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Allreduce()    //~ aliased-buffers
    /// 0: found MV226 "sendbuf and recvbuf of MPI_Allreduce are the same memory, at 0x7ffc1230, which is not allowed; MPI_IN_PLACE says that they are to be the same"
    /// 0: mpi-error MPI_ERR_BUFFER fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Give MPI_IN_PLACE as the send buffer (at the root only, in operations with a root), or use two arrays.
    ALIASED_BUFFERS = "MV226" "aliased-buffers" Error Dynamic: "two buffers of one call that are the same memory"
        about Input(BUFFERS); Arguments
}
