check! {
    /// # What it finds
    /// With `mpivet run --precise`: a store of the program to memory that its own process exposes by a window, or a load from it,
    /// and an access of another process to the same bytes (MPI_Put, MPI_Get, an accumulate function) that must not happen at
    /// the same time, and that nothing orders. The finding names the source line of the very instruction with its callers, beside
    /// the call of the other process. What orders the two is what orders accesses of different processes for
    /// `rma-conflict`: fences, epochs of MPI_Win_post, locks, messages and collective operations behind a flush.
    ///
    /// A store is in conflict with each of these accesses, a load with those that update. Loads are looked at between fences and
    /// between MPI_Win_post and MPI_Win_wait, and are a warning: which value they get depends on timing. Behind neither, a
    /// process may poll its memory for what others put there under locks, and loads are left alone.
    ///
    /// It looks at windows of MPI_Win_allocate whose memory the processes of a node share, and at those of MPI_Win_create in
    /// programs with one thread, in which MPI gets a second view of the memory; one thread calls MPI (MPI_THREAD_SINGLE,
    /// MPI_THREAD_FUNNELED). On a page that such memory shares with other data stores alone are seen, unless the processor has
    /// protection keys. A page is left alone after 64 accesses, until the process synchronizes the window again; of a window
    /// that costs much a part is watched at a time, and nothing of it for a while; all is left alone when the program would
    /// take three times as long. `--precise=stores` leaves out loads. From silence nothing follows.
    ///
    /// # Why it is wrong
    /// Loads and stores of the process are accesses to its window as those by calls are (MPI 4.1, 12.7): the outcome of a store
    /// that meets an access of another process is undefined, and so is what a load gets while another process updates the memory.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_allocate(size=8, disp_unit=1) = ok {baseptr=0x1000, win=w1}
    /// 1: MPI_Win_allocate(size=8, disp_unit=1) = ok {baseptr=0x2000, win=w1}
    /// 0: MPI_Win_fence(win=w1) = ok
    /// 1: MPI_Win_fence(win=w1) = ok
    /// 0: MPI_Put(target_rank=1, target_disp=0, target_count=4, target_datatype=MPI_BYTE, win=w1) = ok   //~ rma-local-race
    /// 1: stores 0x2000+4                                                                                //~ rma-local-race
    /// 0: MPI_Win_fence(win=w1) = ok
    /// 1: MPI_Win_fence(win=w1) = ok
    /// ```
    ///
    /// # How to fix
    /// Let the process use its memory in another epoch than the others do: a fence, or MPI_Win_wait, between the two. Under locks,
    /// let it lock its own rank, or let the other process tell it by a message that a flush has completed the access.
    RMA_LOCAL_RACE = "MV710" "rma-local-race" Error Analyzer: "a load or store of a process meets an access of another one to its window"
        about Function
}
