check! {
    /// # What it finds
    /// A rank that did nothing in MPI any more but poll (MPI_Test and its kin, MPI_Request_get_status, MPI_Iprobe, MPI_Improbe,
    /// MPI_Parrived, MPI_Win_test), until the run was ended from outside, for something that could not come: all the ranks that
    /// could have given it had finished, or waited for this rank, or polled as well.
    ///
    /// A rank that polls can do something else at any time, so that this is no proof of a deadlock: mpivet does not stop a
    /// job for it. It says on standard error while the job runs which ranks poll in vain, and makes the finding when
    /// the job is ended. Ranks with several threads are not judged.
    ///
    /// # Why it is wrong
    /// A poll does not make anything happen that no rank does: a loop around it is as endless as a call that waits, and
    /// uses a processor.
    ///
    /// # Example
    /// ```trace
    /// //! killed 0
    /// 0: MPI_Irecv(source=1, request=@0x10) = ok {request=r1}
    /// 0: MPI_Test(request=r1@0x10) = ok {flag=0} x5000      //~ no-progress
    /// 1: MPI_Finalize() = ok
    /// ```
    ///
    /// # How to fix
    /// Send what is polled for, or end the loop where nothing can come any more: count the answers that are expected, or
    /// have each rank tell when it has no more work.
    NO_PROGRESS = "MV605" "no-progress" Warning Analyzer: "a rank that polls for something that can never come"
        about Function
}
