check! {
    /// # What it finds
    /// A buffer that is not memory of the process from the first byte of data to the last one (by the bounds of the
    /// datatype), or that may only be read although MPI is to write there: a pointer that was never set, memory that was
    /// unmapped, a count that is far too great, a constant as receive buffer.
    ///
    /// A receive whose count reaches beyond the memory is a warning, as long as the message that comes fits into what there
    /// is: the count is only the most that may come (MPI 4.1, 3.2.4). So it is with the receive of MPI_Sendrecv, and with that of
    /// MPI_Sendrecv_replace where nothing is sent. If the rank fails, it is an error.
    ///
    /// A buffer that ends too early inside the heap is not noticed: the bytes behind it are memory, too. Memory of
    /// accelerators is left alone, and so is memory that the program has protected by itself.
    ///
    /// # Why it is wrong
    /// The program must own all bytes of the buffer (MPI 4.1, 3.2.2). The library crashes, or the process at the other side
    /// does.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(count=10, dest=1)    //~ inaccessible-buffer
    /// 0: found MV221 "buf of MPI_Send is to hold 40 bytes from 0x12340000 on, where the process has no memory"
    /// 0: mpi-error MPI_ERR_BUFFER fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Compare the count, in elements of the datatype, with the allocation. A receive buffer must not be a string literal
    /// or a constant.
    INACCESSIBLE_BUFFER = "MV221" "inaccessible-buffer" Error Dynamic: "a buffer that is not memory of the process"
        about Input(BUFFERS); Arguments
}
