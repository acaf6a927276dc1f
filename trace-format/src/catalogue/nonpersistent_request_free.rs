check! {
    /// # What it finds
    /// MPI_Request_free of an active request of a send or receive. The process prints the finding when it makes the call. An
    /// active persistent request of a receive is `wrong-request-free`, one of a collective operation `request-misuse`. A
    /// receive is a warning, a send a note.
    ///
    /// # Why it is wrong
    /// It is allowed, but after it the program cannot ask whether the operation is complete (MPI 4.1, 3.7.3): it must know
    /// from elsewhere when the buffer may be used again, such as from an answer to the message. For a receive there is hardly
    /// a way to know, and errors of the operation are not reported.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Isend(dest=1, request=7) = ok {request=7}           //~ note:nonpersistent-request-free
    /// 0: MPI_Request_free(request=7) = ok                        //~ note:nonpersistent-request-free
    /// 0: found MV108 "MPI_Request_free is called for the active request of MPI_Isend" {0 MPI_Isend "started it"}
    /// 1: MPI_Recv(source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Keep the request and complete it with MPI_Wait or MPI_Test; many of them go into one MPI_Waitall.
    NONPERSISTENT_REQUEST_FREE = "MV108" "nonpersistent-request-free" Warning Dynamic: "an active request is freed instead of completed"
        about Input(&[Kind::Request]); Operations
}
