check! {
    /// # What it finds
    /// A buffer that begins at NULL, or so little behind it that it is the member of a structure at NULL, though bytes are
    /// to be sent from there or received there. With a count of zero, or a datatype without data, any address is allowed,
    /// and so is MPI_BOTTOM with a datatype of absolute addresses. Buffers that MPI ignores (at other ranks than the root,
    /// with MPI_PROC_NULL as partner) are not looked at, nor are those of neighbourhood collectives with an array of
    /// counts.
    ///
    /// # Why it is wrong
    /// The buffer must be memory of the program (MPI 4.1, 3.2.2). Libraries crash or report an error, some only for long
    /// messages.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(buf=0, count=10, dest=1)    //~ null-buffer
    /// 0: found MV220 "buf of MPI_Send is NULL, but 40 bytes are to be read there"
    /// 0: mpi-error MPI_ERR_BUFFER fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at where the pointer comes from: memory that was not allocated, on this rank at least, or an allocation that
    /// failed.
    NULL_BUFFER = "MV220" "null-buffer" Error Dynamic: "NULL where data are to be"
        about Input(BUFFERS); Arguments
}
