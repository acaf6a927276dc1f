check! {
    /// # What it finds
    /// A call on a file that failed while the program went on as if it had succeeded: MPI_File_open failed and the program
    /// used the handle that it was not given, or a read or write failed and the program went on to another one in the same
    /// direction, from another line and with another buffer. It is reported only where the program has chosen no error
    /// handler for files, never asks MPI_Error_string or MPI_Error_class about an error afterwards, and ends with
    /// MPI_Finalize and exit status 0. A null handle that is used is invalid-file, where that check is on. A second try,
    /// another file that is opened instead, and a file that is merely closed are no findings. A failure with a finding of its
    /// own (file-misuse, invalid-argument) is not reported a second time.
    ///
    /// # Why it is wrong
    /// The default error handler of files is MPI_ERRORS_RETURN, unlike that of communicators (MPI 4.1, 14.7): a call that
    /// fails ends nothing, and a program that does not look at what it returns works with data that were never read or
    /// believes that it has written data which are in no file.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_File_open() = MPI_ERR_NO_SUCH_FILE               //~ ignored-io-error
    /// 0: mpi-error MPI_ERR_NO_SUCH_FILE "no such file"
    /// 0: MPI_File_read(fh=MPI_FILE_NULL, count=1) = MPI_ERR_FILE    //~ ignored-io-error
    /// 0: MPI_Finalize() = ok
    /// ```
    ///
    /// # How to fix
    /// Look at what calls on files return, or set MPI_ERRORS_ARE_FATAL as the handler of MPI_FILE_NULL before the first file
    /// is opened, so that each error ends the program.
    IGNORED_IO_ERROR = "MV712" "ignored-io-error" Warning Analyzer: "a call on a file failed, and the program went on as if it had not"
        about Function
}
