check! {
    /// # What it finds
    /// Two ranks that have opened a file together access the same bytes of it, at least one of them writes, and between the two
    /// accesses neither MPI_File_sync nor another call that all ranks make on the file (MPI_File_set_view, MPI_File_set_size,
    /// MPI_File_close and their like) separates them. Which bytes an access means follows from its view, its offset or the
    /// individual pointer, and its count and datatype. Nothing is said of accesses in atomic mode (MPI_File_set_atomicity), by
    /// shared pointers, in other data representations than "native", behind reads by the individual pointer, which end with
    /// the file, and where calls of two threads of a process on the file have overlapped.
    ///
    /// A single MPI_File_sync between the two is a warning, where one rank goes on to its access with no other call in between
    /// but calls of its own on the file: none of them waits for the other rank. Behind a barrier, a message or a collective call,
    /// the single MPI_File_sync is not told of.
    ///
    /// # Why it is wrong
    /// Outside of atomic mode, conflicting accesses are defined only if a sync, an order of the two processes and another sync
    /// are between them (MPI 4.1, 14.6.1): a barrier alone is not enough, since data may be held back in each process. What is
    /// read, or what is in the file in the end, is a mixture that differs from run to run and from file system to file system.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_File_open(amode=34) = ok {fh=f1}
    /// 1: MPI_File_open(amode=34) = ok {fh=f1}
    /// 0: MPI_File_write_at(fh=f1, offset=0, count=8, datatype=MPI_BYTE) = ok     //~ file-conflict
    /// 1: MPI_File_write_at(fh=f1, offset=4, count=8, datatype=MPI_BYTE) = ok     //~ file-conflict
    /// 0: MPI_File_close(fh=f1) = ok
    /// 1: MPI_File_close(fh=f1) = ok
    /// ```
    ///
    /// # How to fix
    /// Look at offsets and views: most often they are wrong. If ranks are to read what others wrote, call MPI_File_sync,
    /// MPI_Barrier and MPI_File_sync between the accesses, on all ranks, or MPI_File_set_atomicity after opening the file.
    FILE_CONFLICT = "MV706" "file-conflict" Error Analyzer: "ranks access the same bytes of a file, one writes, and nothing separates them"
        about Function
}
