check! {
    /// # What it finds
    /// The buffer of a nonblocking or persistent send (also of a nonblocking collective operation or file write) that the
    /// program changed between the start and the completion of the operation. The process takes a checksum of the bytes that
    /// the datatype names at the start, and compares when the operation is complete; the finding names the bytes that
    /// changed, by element and by the place in the typemap. `--checksums off` turns it off; `--sample-over BYTES` looks at
    /// samples of larger buffers only.
    ///
    /// A change that is undone before the completion is not seen, nor is one of memory that the processor cannot read, nor
    /// one of several pending requests to which the library has given one handle, as MPICH does for short messages. The
    /// buffers of partitioned sends are not looked at.
    ///
    /// # Why it is wrong
    /// A send buffer must not be changed until the operation is complete (MPI 4.1, 3.7.2). The receiver gets the old data,
    /// the new ones, or a mixture, depending on the size of the message and on timing.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Isend(dest=1, request=7) = ok {request=7}           //~ send-checksum
    /// 0: MPI_Wait(request=7) = ok                                //~ send-checksum
    /// 0: found MV106 "the buffer of MPI_Isend was changed before MPI_Wait completed the operation: byte 0 of the data" {0 MPI_Isend "starts it"}
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Wait before the buffer is filled again, or use two buffers in turn.
    SEND_CHECKSUM = "MV106" "send-checksum" Error Dynamic: "a send buffer that was changed before the send was complete"
        about Input(BUFFERS); Operations
}
