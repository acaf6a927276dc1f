check! {
    /// # What it finds
    /// Messages that a matched probe (MPI_Mprobe, MPI_Improbe) has found and that were not received with MPI_Mrecv or
    /// MPI_Imrecv. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned, so that
    /// what callbacks of the program free during it counts as freed. A finding is one place of the program and says how many
    /// it has leaked.
    ///
    /// # Why it is wrong
    /// A message that was matched can be received by its handle alone; no other receive gets it, and its sender may wait for
    /// it for ever (MPI 4.1, 3.8.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Improbe(source=MPI_ANY_SOURCE, tag=0) = ok    //~ leak-message
    /// 0: found MV310 "a message found by MPI_Improbe is never received"
    /// ```
    ///
    /// # How to fix
    /// Receive every message that was matched, into a buffer that is thrown away if need be. To look only, use MPI_Probe or
    /// MPI_Iprobe.
    LEAK_MESSAGE = "MV310" "leak-message" Warning Dynamic: "a message that a matched probe found and nobody received"
        about Output(&[Kind::Message]), Consequence
}
