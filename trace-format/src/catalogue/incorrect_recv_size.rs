check! {
    /// # What it finds
    /// An operation with an amount for each pair of ranks (MPI_Gatherv, MPI_Scatterv, MPI_Alltoallv, MPI_Alltoallw)
    /// in which a rank expects more from another than that one sends. Where more is sent than there
    /// is room for, and in all operations in which the data of one rank pass through others on their way, the finding is
    /// `wrong-recv-size`.
    ///
    /// # Why it is wrong
    /// In a collective operation the amounts must be equal, rank by rank (MPI 4.1, 6.1). The libraries of today put what comes
    /// into its place and leave the rest of the room as it was: the receiver works on with old data at the end.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Gatherv(sendcount=5, recvcounts=[5,6], root=0) = ok       //~ incorrect-recv-size
    /// 1: MPI_Gatherv(sendcount=5, root=0) = ok                         //~ incorrect-recv-size
    /// ```
    ///
    /// # How to fix
    /// Let one function compute how much belongs to a rank, and take both the send and the receive counts from it.
    INCORRECT_RECV_SIZE = "MV503" "incorrect-recv-size" Warning Analyzer: "a rank sends less in a collective operation than is expected of it"
        about Input(COUNTS)
}
