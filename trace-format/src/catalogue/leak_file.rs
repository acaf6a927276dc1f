check! {
    /// # What it finds
    /// Files that the program has opened with MPI_File_open and not closed with MPI_File_close. The process looks when the
    /// library's MPI_Finalize (or the last MPI_Session_finalize) has returned, so that what callbacks of the program free
    /// during it counts as freed. A finding is one place of the program and says how many it has leaked.
    ///
    /// # Why it is wrong
    /// The program must close all files that it has opened before MPI_Finalize (MPI 4.1, 14.2.1). Data of a file that is not
    /// closed may never reach the disk.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_File_open(comm=MPI_COMM_SELF, filename="f") = ok    //~ leak-file
    /// 0: found MV306 "a file opened by MPI_File_open is never closed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_File_close on all processes that opened the file.
    LEAK_FILE = "MV306" "leak-file" Warning Dynamic: "a file that is never closed"
        about Output(&[Kind::File]), Consequence
}
