check! {
    /// # What it finds
    /// A call that the MPI library itself refused or could not carry out, with the library's class and text. An error is
    /// reported where the program's error handler ends the job (MPI_ERRORS_ARE_FATAL, the default), a note where the program
    /// handles errors itself (MPI_ERRORS_RETURN, a handler of its own). This holds for communicators, windows, files and
    /// sessions, for MPI_ERRORS_ABORT, for MPI_Comm_call_errhandler and its like, and for error classes that the program has
    /// made. If the program's own handler ends the job, by MPI_Abort or exit, the call that failed is the finding. Of
    /// MPI_ERR_IN_STATUS the requests that failed are named. What is not found: an error in a call that starts MPI
    /// (MPI_Init, the first MPI_Session_init); what a handler made by MPI_Comm_create_errhandler in Fortran under Open MPI does
    /// before its call returns. An error that is the consequence of another finding, such as a message that
    /// was too long, is not reported a second time.
    ///
    /// # Why it is wrong
    /// After an error the state of MPI is undefined unless the standard says otherwise (MPI 4.1, 9.3); the default handler
    /// ends all ranks.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=7)               //~ mpi-error
    /// 0: mpi-error MPI_ERR_RANK fatal "invalid rank 7"
    /// 1: MPI_Recv(source=0)
    /// ```
    ///
    /// # How to fix
    /// Read the class and the text: they name the argument. The arguments of the call are in the finding. Errors that come
    /// from the machine (no memory, no space on a disk) need another remedy.
    MPI_ERROR = "MV004" "mpi-error" Error Dynamic: "the MPI library reported an error"
        about Function, Fatal
}
