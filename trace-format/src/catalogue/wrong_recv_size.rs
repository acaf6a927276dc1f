check! {
    /// # What it finds
    /// A collective operation in which a rank sends another amount of data than the receiving rank expects from it,
    /// pair by pair: the counts of MPI_Gatherv and MPI_Alltoallv, of the root of MPI_Bcast and the others. If the
    /// types differ as well, the finding is `collective-data-type`. Counts of a reduction that differ are
    /// `collective-argument-mismatch`. Where each rank sends directly to the other, and sends less than that one has
    /// room for, it is `incorrect-recv-size`; between neighbours it is `neighbour-mismatch`.
    ///
    /// # Why it is wrong
    /// In a collective operation the amounts must be equal, rank by rank; a shorter message than expected is no more allowed
    /// than a longer one (MPI 4.1, 6.1). Some libraries end the job, others hang, others overwrite memory, or put data in the
    /// wrong place, since ranks pass on what they think that the others send.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(count=5, root=0) = ok       //~ wrong-recv-size
    /// 1: MPI_Bcast(count=4, root=0) = ok       //~ wrong-recv-size
    /// ```
    ///
    /// # How to fix
    /// Let one function compute how much belongs to a rank, and take both the send and the receive counts from it.
    WRONG_RECV_SIZE = "MV504" "wrong-recv-size" Error Analyzer: "the amounts sent and received in a collective operation do not fit"
        about Input(COUNTS)
}
