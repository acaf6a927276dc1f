check! {
    /// # What it finds
    /// With `mpivet run --precise`: a store of the program into the buffer of a pending send, or a load from or a store into
    /// the buffer of a pending receive; also of persistent operations and partitions, the buffers of one-sided operations at
    /// their origin (a put sends, a get receives), and a store into any buffer of a nonblocking collective operation (from
    /// where the library may pass data on, so that loads are not looked at). The finding names the source line of the very
    /// instruction with its callers, beside the call that started the operation and, if it is known by then, the one that
    /// completed it. A system call by which the program has the kernel access the buffer (read, write, recv, fread and the
    /// like) and a free() of the buffer are found, too. `--precise=stores` leaves out loads.
    ///
    /// Buffers in static memory and on the heap are watched: while the program has several threads, pages of 4096 bytes alone
    /// that hold nothing else. So are words of buffers on stacks, where watchpoints of the processor are left. Shared memory,
    /// buffers of files, and memory that a window exposes to the system (MPI_Win_attach) are not, nor is what callbacks of the
    /// program do inside of MPI. After 64 accesses a page is left alone until the operation is over, and all is when the
    /// program would take three times as long. Each access that is reported has happened; from silence nothing follows.
    ///
    /// # Why it is wrong
    /// The buffer of a nonblocking operation belongs to MPI until the operation is complete: it must not be changed, and that
    /// of a receive not even be read (MPI 4.1, 3.7.2); so does the buffer of a one-sided operation at its origin, until a call
    /// of synchronization completes it there (12.3). What is sent, or read, depends on timing.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Irecv(source=1, request=7) = ok {request=7}         //~ access-in-flight
    /// 0: MPI_Wait(request=7) = ok
    /// 0: found MV120 "the program reads byte 0 of buf, which MPI_Irecv is about to write" {0 MPI_Irecv "starts the operation"}
    /// 1: MPI_Send(dest=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Complete the operation before the line that is named, or let that line use other memory.
    ACCESS_IN_FLIGHT = "MV120" "access-in-flight" Error Dynamic: "an access of the program to memory that a pending operation owns"
        about Input(BUFFERS); Operations
}
