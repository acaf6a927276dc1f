check! {
    /// # What it finds
    /// MPI_IN_PLACE where it means nothing: as the buffer of a message, of a broadcast or of a one-sided call, as the
    /// receive buffer of a collective other than a scatter, at another rank than the root of a gather, scatter or
    /// reduction, on an intercommunicator, in a neighbourhood collective. Also, seen when the traces of the ranks are
    /// compared: MPI_IN_PLACE on some ranks only, in an operation without a root, where all ranks must give it or none.
    ///
    /// # Why it is wrong
    /// MPI_IN_PLACE is no address: each function says where it may stand (MPI 4.1, 6.2.3 and the functions' own
    /// text). Elsewhere libraries take it for an address and crash, or send other data.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Reduce(sendbuf=-1, root=1)    //~ in-place-misuse
    /// 0: found MV225 "sendbuf of MPI_Reduce is MPI_IN_PLACE, which is allowed at the root alone: the root is rank 1, and this is rank 0"
    /// 0: mpi-error MPI_ERR_BUFFER fatal "..."
    /// ```
    ///
    /// # How to fix
    /// In operations with a root, give MPI_IN_PLACE at the root and the buffer elsewhere: `rank == root ? MPI_IN_PLACE :
    /// data`. In operations without a root, all ranks give it.
    IN_PLACE_MISUSE = "MV225" "in-place-misuse" Error Dynamic: "MPI_IN_PLACE where it is not allowed, or on some ranks only"
        about Named; Arguments
}
