check! {
    /// # What it finds
    /// MPI_Cancel of a send or receive. The process prints the finding when it makes the call. Cancelling what cannot be
    /// cancelled at all is `request-misuse`. A send that is cancelled is a warning. To cancel a receive is allowed (MPI 4.1,
    /// 3.8.4), and a note.
    ///
    /// # Why it is wrong
    /// Cancelling sends is deprecated (MPI 4.1, 3.8.4): many libraries cannot do it, others wait for the receiver. A receive
    /// that was cancelled may have got its message before, which is easily forgotten; the request must be completed all the
    /// same.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Irecv(source=1, request=7) = ok {request=7}         //~ note:request-cancel
    /// 0: MPI_Cancel(request=7) = ok                              //~ note:request-cancel
    /// 0: found MV110 "MPI_Cancel is called for the request of MPI_Irecv" {0 MPI_Irecv "started it"}
    /// 0: MPI_Wait(request=7) = ok {status=ANY/ANY/0/cancelled}
    /// ```
    ///
    /// # How to fix
    /// Let the sender say that nothing more will come, with a message of its own, so that every receive gets one. If a
    /// receive must be cancelled, complete it with MPI_Wait and ask MPI_Test_cancelled.
    REQUEST_CANCEL = "MV110" "request-cancel" Warning Dynamic: "a send or receive is cancelled"
        about Input(&[Kind::Request]); Operations
}
