check! {
    /// # What it finds
    /// A probe with MPI_ANY_SOURCE or MPI_ANY_TAG, followed by a receive that leaves the source or the tag open as
    /// well. The receive need not get the message that the probe reported: another one, which was sent concurrently,
    /// is too long for the buffer or of another type. Where the other message fits, nothing is said unless it is
    /// asked for with `--check probe-receive-race`: the probe may only have been asked whether there is something at
    /// all.
    ///
    /// # Why it is wrong
    /// A receive gets the message that a probe has found only if it names the source and the tag that the probe returned
    /// (MPI 4.1, 3.8.1, and the example there). With a buffer that was made for one message and filled by another, data
    /// are lost or misread. Where several threads receive, even that is not enough: use MPI_Mprobe (3.8.2).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Probe(source=ANY) = ok {status=1/0/16}           //~ probe-receive-race
    /// 0: MPI_Recv(source=ANY, count=4) = ok {status=1/0/16}   //~ probe-receive-race
    /// 0: MPI_Recv(source=2, count=8) = ok
    /// 1: MPI_Send(dest=0, count=4) = ok                       //~ probe-receive-race
    /// 2: MPI_Send(dest=0, count=8) = ok                       //~ probe-receive-race
    /// ```
    ///
    /// # How to fix
    /// Receive with `status.MPI_SOURCE` and `status.MPI_TAG` of the probe, or use MPI_Mprobe and MPI_Mrecv.
    PROBE_RECEIVE_RACE = "MV408" "probe-receive-race" Warning Analyzer: "a receive need not get the message that the probe before it found"
        about Input(&[Kind::Rank, Kind::Tag]), Potential
}
