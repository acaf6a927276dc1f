check! {
    /// # What it finds
    /// A generalized request (MPI_Grequest_start) that does not follow its rules:
    ///
    /// - it is never completed, or completed and then neither waited for nor freed, when MPI ends;
    /// - MPI_Grequest_complete is called for it twice, or for a request that is no generalized one;
    /// - its `query_fn` leaves the number of elements in a status unset that the program asked for, or does not say whether a
    ///   request was cancelled for which MPI_Cancel was called in time;
    /// - its `query_fn` says that it was cancelled though it was complete when MPI_Cancel was called;
    /// - a thread waits for it that no other thread can help: every other thread of the process waits, too, or there
    ///   is none (in the report, not at once);
    /// - the library calls its `free_fn` twice or never, which is a fault of the library.
    ///
    /// A status that the program ignores need not be set; of those of Fortran programs that is not known under Open MPI.
    /// MPIX_Grequest_start, whose requests the library polls, is left alone.
    ///
    /// # Why it is wrong
    /// Only MPI_Grequest_complete, called by the program, makes a generalized request complete, once, and a call that waits
    /// for it returns no sooner (MPI 4.1, 13.2). `query_fn` computes the status that the program gets, with the number of
    /// elements and whether it was cancelled; what it leaves out is undefined. `free_fn` releases what belongs to the request
    /// and is called when it is both complete and waited for or freed. An operation that is complete cannot be
    /// cancelled any more (3.8.4).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Grequest_start(request=@0x10) = ok {request=r1}     //~ grequest-misuse
    /// 0: MPI_Wait(request=r1@0x10)                                //~ grequest-misuse
    /// ```
    ///
    /// # How to fix
    /// Have another thread do the work and call MPI_Grequest_complete when it is done (with MPI_THREAD_MULTIPLE), or call it
    /// before waiting. In `query_fn` call MPI_Status_set_elements and MPI_Status_set_cancelled, and set MPI_SOURCE and MPI_TAG.
    /// When both a worker and `cancel_fn` may complete the request, let only the first of them do it.
    GREQUEST_MISUSE = "MV113" "grequest-misuse" Error Dynamic: "a generalized request used against its rules"
        about Function; Operations
}
