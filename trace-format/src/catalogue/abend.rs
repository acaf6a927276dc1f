check! {
    /// # What it finds
    /// A rank that died of a signal that its own code brought about: a division by zero (SIGFPE), an access to memory
    /// that is not there (SIGSEGV, SIGBUS), an illegal instruction (SIGILL), abort() or a failed assertion (SIGABRT).
    /// The report shows the instruction and the MPI call that the rank was in, if any. Ranks that the launcher ended
    /// afterwards are named in a note: they are the consequence. If the signal was raised in a function of the system
    /// that the program called (memcpy with an invalid address, abort, a failed assertion) or by a jump to an invalid
    /// address, the line of that call is shown, unless the signal was raised deep inside of a library, where the line
    /// is not certain. `mpivet run` names the line on standard error within a moment; without it the process itself
    /// prints the instruction's address, since a signal handler can do no more safely.
    ///
    /// # Why it is wrong
    /// A process that dies leaves the others waiting, and MPI gives no promise about what they do then (MPI 4.1, 2.8): most
    /// launchers kill them.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv(source=1)
    /// 1: MPI_Barrier()                  //~ abend
    /// 1: signal 8
    /// ```
    ///
    /// # How to fix
    /// Go to the source line of the finding: it is a mistake of the program, not of its communication. Where the signal was
    /// raised inside of an MPI call, look at the buffer, count and datatype of that call.
    ABEND = "MV001" "abend" Error Dynamic: "a rank died of a fatal signal of its own"
        about Function, Fatal
}
