check! {
    /// # What it finds
    /// A call on a file that the way in which the file was opened, or what was begun on it, forbids: a write to a file opened
    /// with MPI_MODE_RDONLY, a read of one opened with MPI_MODE_WRONLY; offsets, individual pointers, MPI_File_seek,
    /// MPI_File_get_position and sizes of a file opened with MPI_MODE_SEQUENTIAL; a displacement of MPI_File_set_view that
    /// MPI_MODE_SEQUENTIAL needs to be MPI_DISPLACEMENT_CURRENT, or a negative one without it; a filetype that is not made of
    /// its etype, has negative or decreasing displacements, or overlaps itself in a file that may be written; a split
    /// collective that begins while another one is open, or that ends without having begun, by the wrong function or with
    /// another buffer; another collective access while one is open; MPI_File_close, MPI_File_set_view, MPI_File_set_size,
    /// MPI_File_preallocate and MPI_File_sync while a request or a split collective on the file is not complete. Access modes
    /// that exclude each other are invalid-argument, and arguments that all ranks must pass alike are
    /// collective-argument-mismatch. What depends on the order of calls is not looked at where calls of
    /// two threads on the file overlap.
    ///
    /// # Why it is wrong
    /// MPI 4.1, 14.2.1 (access modes), 14.2.2 (closing), 14.3 (views), 14.4.2 to 14.4.4 (sequential files), 14.4.5 (split
    /// collectives), 14.6.1 (MPI_File_sync). The library may return an error, which many programs do not look at, or move
    /// other data than the program expects.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_File_open(amode=16) = ok {fh=f1}       // MPI_MODE_RDONLY
    /// 0: MPI_File_write(fh=f1, count=1) = ok        //~ file-misuse
    /// 0: MPI_File_close(fh=f1) = ok
    /// ```
    ///
    /// # How to fix
    /// Open the file in the mode that its accesses need, and complete what was begun on it before you close or change it.
    FILE_MISUSE = "MV705" "file-misuse" Error Analyzer: "a call on a file that its access mode, or what was begun on it, forbids"
        about Function
}
