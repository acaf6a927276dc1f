check! {
    /// # What it finds
    /// A communicator that is the null handle, where a communicator is needed. An intercommunicator where only an
    /// intracommunicator may stand (a scan, a topology, a window), and the other way round.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 7.2.4). Libraries end the
    /// program or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Barrier(comm=MPI_COMM_NULL)    //~ invalid-comm
    /// 0: found MV207 "comm of MPI_Barrier is MPI_COMM_NULL; it must be a communicator"
    /// 0: mpi-error MPI_ERR_COMM fatal "..."
    /// ```
    ///
    /// # How to fix
    /// MPI_Comm_split with MPI_UNDEFINED, MPI_Comm_create and topologies give MPI_COMM_NULL to the ranks that have no part
    /// in the new communicator: these ranks must leave out the calls on it.
    INVALID_COMM = "MV207" "invalid-comm" Error Dynamic: "a communicator that is null or none"
        about Input(&[Kind::Comm]); Arguments
}
