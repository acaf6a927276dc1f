check! {
    /// # What it finds
    /// A call of MPI before MPI_Init or after MPI_Finalize, of a function that is not among the few that may be called at
    /// any time; a second MPI_Init; a second MPI_Finalize. While a session is open (MPI 4.1, 11.3) calls are allowed after
    /// MPI_Finalize, too.
    ///
    /// Most libraries end the program over a call before MPI_Init, when there is no trace yet: the finding is
    /// recorded before the library is called, and is all that the report has. Ranks are then the launcher's numbers
    /// of the processes. Calls of a program that uses only sessions are not judged.
    ///
    /// # Why it is wrong
    /// Outside of MPI_Init and MPI_Finalize only the functions of MPI 4.1, 11.4.1 may be called, and MPI can be initialized
    /// once (MPI 4.1, 11.2.1, 11.2.2). Libraries end the program, crash, or give wrong answers.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Finalize() = ok
    /// 0: MPI_Comm_rank()                 //~ call-outside-mpi
    /// 0: found MV006 "MPI_Comm_rank is called after MPI_Finalize" {0 MPI_Finalize "ended MPI"}
    /// ```
    ///
    /// # How to fix
    /// Move the call between the two. Code that runs when the program ends (destructors of global objects, functions of
    /// atexit) must ask MPI_Finalized first.
    CALL_OUTSIDE_MPI = "MV006" "call-outside-mpi" Error Dynamic: "a call before MPI_Init, after MPI_Finalize, or a second one of them"
        about Function
}
