check! {
    /// # What it finds
    /// One collective operation that some ranks call in its blocking form, others in its nonblocking or persistent form, at the
    /// same place of the communicator's order. Collective access to files is not looked at.
    ///
    /// # Why it is wrong
    /// Blocking, nonblocking and persistent collective operations do not match each other (MPI 4.1, 6.12 and 6.13), unlike
    /// sends and receives. Libraries use other algorithms and other messages for each: some hang, some mix data up, some get
    /// through by luck.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Ibarrier(request=@0x10) = ok {request=r1}       //~ collective-blocking-mix
    /// 0: MPI_Wait(request=r1@0x10)
    /// 1: MPI_Barrier()                                       //~ collective-blocking-mix
    /// ```
    ///
    /// # How to fix
    /// Use the same form on all ranks. A rank that has nothing to do meanwhile can call the nonblocking form and wait for it at
    /// once.
    COLLECTIVE_BLOCKING_MIX = "MV510" "collective-blocking-mix" Error Analyzer: "blocking and nonblocking forms of a collective operation meet"
        about Function
}
