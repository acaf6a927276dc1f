check! {
    /// # What it finds
    /// A buffered send without an attached buffer, or with one that is too small for this message alone: its packed size
    /// (MPI_Pack_size) and MPI_BSEND_OVERHEAD. The process prints the finding before it makes the call.
    ///
    /// Whether several messages together find room depends on when the earlier ones left, and is not judged. Nor are programs
    /// that attach buffers to sessions, and messages of 2 GiB elements and more.
    ///
    /// # Why it is wrong
    /// The buffer must have room for every message that is in it, with MPI_BSEND_OVERHEAD for each (MPI 4.1, 3.6.1);
    /// otherwise the call is erroneous. That a library gets by with less is luck.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bsend(dest=1) = MPI_ERR_BUFFER                      //~ buffered-send-space
    /// 0: found MV112 "MPI_Bsend is called and no buffer is attached"
    /// 1: MPI_Comm_rank() = ok
    /// ```
    ///
    /// # How to fix
    /// Attach a buffer with MPI_Buffer_attach, with the sum of MPI_Pack_size and MPI_BSEND_OVERHEAD of all messages that may
    /// be in it at once.
    BUFFERED_SEND_SPACE = "MV112" "buffered-send-space" Error Dynamic: "a buffered send without room in the attached buffer"
        about Function
}
