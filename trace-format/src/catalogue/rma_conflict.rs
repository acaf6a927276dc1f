check! {
    /// # What it finds
    /// Two accesses to the same bytes of a window that must not happen at the same time, and that nothing orders, of the same
    /// or of different processes: MPI_Put with MPI_Put or MPI_Get, either of them with an accumulate function, accumulate
    /// functions with different operations or on elements of different types. What counts is which bytes the datatypes
    /// name. It does not matter whether the run went well.
    ///
    /// Nothing orders accesses that belong to one epoch of fences, to one exposure epoch of MPI_Win_post, or that one
    /// process makes under a lock without MPI_Win_flush or MPI_Win_flush_all between them. Accesses of different processes
    /// under shared locks (MPI_LOCK_SHARED, MPI_Win_lock_all) are in conflict, whichever came first, unless one of them is over (by
    /// a flush or the end of the lock) and its process has told that of the other before that one's access: by a message, a
    /// collective operation or an epoch, directly or by way of others. MPI_Win_flush_local ends an access at its origin alone.
    /// Where a process may have learned of it in another way (it has read from a window, from a file, has probed), nothing is
    /// said.
    ///
    /// MPI calls whose buffer lies in the memory that their process exposes access it, too: messages, collective operations,
    /// reads and writes of files, and its own one-sided calls. A nonblocking or persistent operation does so until it is complete.
    /// They meet accesses under exclusive locks unless the process holds a lock of its own memory meanwhile.
    ///
    /// A process that has the address of another one's memory by MPI_Win_shared_query accesses that with such a buffer. As
    /// loads and stores may order accesses to windows of MPI_Win_allocate_shared, those under locks and those of buffers are
    /// in conflict there only if both are certain to be under way at once: one has begun before the other is over, by messages
    /// or barriers, and the other way round.
    ///
    /// Not compared are accesses of one of which that cannot be said, loads and stores of the process whose memory it is (see
    /// `rma-local-race`), and buffers of partitioned and neighbourhood operations. Accumulate functions of one process are in
    /// order (MPI 4.1, 12.7.2), unless `accumulate_ordering` of the window's info is `none`; where `accumulate_ops` is `same_op`,
    /// MPI_NO_OP goes with no other operation. Nothing is said where two threads of a process use a window at the same time,
    /// or after a call on it that failed.
    ///
    /// # Why it is wrong
    /// The outcome of accesses in conflict is undefined (MPI 4.1, 12.7); only accumulate functions with the same operation,
    /// or with MPI_NO_OP, on elements of the same predefined datatype may meet. Which value stays depends on timing, and the
    /// two may mix.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_allocate(size=8, disp_unit=1) = ok {win=w1}
    /// 1: MPI_Win_allocate(size=8, disp_unit=1) = ok {win=w1}
    /// 0: MPI_Win_fence(win=w1) = ok
    /// 1: MPI_Win_fence(win=w1) = ok
    /// 0: MPI_Put(target_rank=1, target_disp=0, target_count=4, target_datatype=MPI_BYTE, win=w1) = ok   //~ rma-conflict
    /// 1: MPI_Put(target_rank=1, target_disp=3, target_count=4, target_datatype=MPI_BYTE, win=w1) = ok   //~ rma-conflict
    /// 0: MPI_Win_fence(win=w1) = ok
    /// 1: MPI_Win_fence(win=w1) = ok
    /// ```
    ///
    /// # How to fix
    /// Give each process bytes of its own, put the accesses into different epochs, take exclusive locks, or use
    /// MPI_Accumulate with MPI_REPLACE or MPI_SUM for both.
    RMA_CONFLICT = "MV702" "rma-conflict" Error Analyzer: "accesses to the same bytes of a window that nothing orders"
        about Function
}
