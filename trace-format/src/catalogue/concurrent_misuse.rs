check! {
    /// # What it finds
    /// Two threads of a rank that are at the same time in calls which complete the same request (MPI_Wait, MPI_Test and their
    /// kin), or in collective operations on the same communicator, window or file.
    ///
    /// # Why it is wrong
    /// A request can be completed only once; two threads that wait for the same one are erroneous (MPI 4.1, 11.6.2). Collective
    /// operations on one object belong together by the order of their calls: if two threads call at once there is none, and
    /// other processes may see the other order (MPI 4.1, 6.13 and 11.6.2). It may go well often and hang or mix up data once.
    /// Further findings about collective operations on that communicator are not reported.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Init_thread(required=3) = ok {provided=3}
    /// 0: MPI_Irecv(source=1, request=@0x10) = ok {request=r1}
    /// 0: MPI_Wait(request=r1@0x10)                      //~ concurrent-misuse
    /// 0.1: MPI_Wait(request=r1@0x10) = ok               //~ concurrent-misuse
    /// 0: return = ok
    /// 1: MPI_Send(dest=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Let one thread complete a request and tell the others. Give each thread a communicator of its own (MPI_Comm_dup), or let
    /// one thread make the collective calls.
    CONCURRENT_MISUSE = "MV008" "concurrent-misuse" Error Analyzer: "two threads complete one request, or use one communicator for collectives, at once"
        about Function
}
