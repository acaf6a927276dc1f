check! {
    /// # What it finds
    /// A message with more elements than its receive has room for, whether the library noticed (MPI_ERR_TRUNCATE) or not. A
    /// shorter message is allowed and not reported. Where the one side is MPI_BYTE or MPI_PACKED and the other is not, sizes
    /// in bytes are compared.
    ///
    /// # Why it is wrong
    /// The length of the received message must not exceed the length of the receive buffer (MPI 4.1, 3.2.4). What the library
    /// does is up to it: most end the job, and some overwrite what is behind the buffer.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(count=12, dest=1) = ok      //~ wrong-send-size
    /// 1: MPI_Recv(count=10, source=0) = ok    //~ wrong-send-size
    /// ```
    ///
    /// # How to fix
    /// Use the same expression for both counts. If the receiver cannot know the length, ask for it: MPI_Probe (or better
    /// MPI_Mprobe), MPI_Get_count, then the receive.
    WRONG_SEND_SIZE = "MV405" "wrong-send-size" Error Analyzer: "a message that is longer than the buffer of its receive"
        about Input(COUNTS)
}
