check! {
    /// # What it finds
    /// A call that the MPI library itself refused or could not carry out, with the library's class and text. An error is
    /// reported where the program's error handler ends the job (MPI_ERRORS_ARE_FATAL, the default), a note where the program
    /// handles errors itself (MPI_ERRORS_RETURN). An error that is the consequence of another finding, such as a message that
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
}
