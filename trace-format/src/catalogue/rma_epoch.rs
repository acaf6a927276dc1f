check! {
    /// # What it finds
    /// A call of one-sided communication that is not allowed where it stands, by the calls that the process itself has made
    /// on the window:
    ///
    /// - an access in no epoch, to a rank that is not locked or not in the group of MPI_Win_start, or behind a fence with
    ///   MPI_MODE_NOSUCCEED;
    /// - MPI_Rput and the other accesses with a request where no lock is held;
    /// - epochs that overlap: a lock of a rank that is locked already, MPI_Win_start or a lock behind an access that only
    ///   another fence can complete, a fence while a lock is held or an epoch of MPI_Win_start or MPI_Win_post is open;
    /// - a process that locks its own memory while MPI_Win_post exposes it;
    /// - ends without a beginning: MPI_Win_unlock, MPI_Win_unlock_all, MPI_Win_complete, MPI_Win_wait, MPI_Win_flush;
    /// - MPI_Win_free or MPI_Finalize with an epoch open, or with an access that no fence has completed;
    /// - assertions that are not true: MPI_MODE_NOPRECEDE on a fence that completes accesses; MPI_MODE_NOPUT where another
    ///   process puts or accumulates until the next synchronization; MPI_MODE_NOSTORE where an MPI call of the process has
    ///   written to the memory since the last one (its plain stores are not seen); MPI_MODE_NOCHECK of MPI_Win_start where
    ///   nothing ensures that MPI_Win_post came before, or where one of the two does not assert it, and of a lock where
    ///   another process has or wants one that excludes it; `no_locks` in the info object of a window that is locked;
    /// - a window whose memory is gone: MPI_Free_mem of memory that MPI_Win_create was given, a local variable of a function that
    ///   has returned, pages that were unmapped, memory from malloc that was freed. All but the first are noticed at the next
    ///   synchronization or at MPI_Win_free, as long as nothing else has come to the place; freed memory where the lists of
    ///   the GNU C library's malloc prove it;
    /// - memory that is freed while it is attached to a dynamic window, noticed at MPI_Win_detach and MPI_Win_free;
    /// - MPI_Win_attach of memory that is attached already, MPI_Win_detach of what is not the beginning of attached memory.
    ///
    /// The process prints the finding when it makes the call; assertions that calls of other processes belie are in the report.
    /// Ranks are those of the window's group. Accesses to
    /// MPI_PROC_NULL are not looked at.
    ///
    /// # Why it is wrong
    /// Accesses to a window belong to an epoch (MPI 4.1, 12.5). Epochs of one process on one window in which it accesses
    /// others are disjoint, except that locks of different ranks may be held at once (12.5.3). Accesses with a request are
    /// allowed under a lock only (12.3.5), as are flushes (12.5.4). A window that is locked is not to be exposed at the same
    /// time (12.5.3). Outside of an epoch nobody says when an access happens or is complete: libraries lose the data, use
    /// memory that is gone, hang, or end the program.
    ///
    /// Assertions let the library leave work out (12.5.5); where they are not true, data are lost or old.
    ///
    /// Memory given to MPI_Win_create may be freed when MPI_Win_free has returned (12.2.5). Memory is attached to a dynamic
    /// window once at a time, detached by the address that attached it, and detached before it is freed (12.2.4).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Put(target_rank=1) = ok        //~ rma-epoch
    /// 0: found MV701 "MPI_Put accesses rank 1 of the window, and no epoch is open on it"
    /// 1: MPI_Get_processor_name() = ok
    /// ```
    ///
    /// # How to fix
    /// Put the access between the two calls of one kind of synchronization: two fences, MPI_Win_start and MPI_Win_complete,
    /// MPI_Win_lock and MPI_Win_unlock, or MPI_Win_lock_all and MPI_Win_unlock_all. End each epoch before the next one of
    /// another kind begins, and before MPI_Win_free; where fences and locks take turns, give the last fence MPI_MODE_NOSUCCEED.
    /// Free memory after its window.
    RMA_EPOCH = "MV701" "rma-epoch" Error Dynamic: "a one-sided call where no epoch, or another one, is open"
        about Function; Operations
}
