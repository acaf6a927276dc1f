check! {
    /// # What it finds
    /// A rank that is not one of its communicator, window or group: a destination, a source, a target, a rank in a list.
    /// The message says the value and the range. MPI_PROC_NULL and, in receives, MPI_ANY_SOURCE are allowed. On an
    /// intercommunicator ranks are those of the remote group. A rank that stands twice in a list where it may stand once is
    /// told, too. The process prints the finding before it makes the call.
    ///
    /// Not looked at: more than the first 4096 ranks of a list, and thread communicators.
    ///
    /// # Why it is wrong
    /// Ranks go from 0 to the size of the group minus 1 (MPI 4.1, 3.2.3, 7.2.1). Libraries end the program; some crash or
    /// send into nowhere.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=4)    //~ invalid-rank
    /// 0: found MV201 "dest of MPI_Send is 4; it must be a rank of MPI_COMM_WORLD, 0 to 3 or MPI_PROC_NULL"
    /// 0: mpi-error MPI_ERR_RANK fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at how the rank is computed. At the border of a domain use MPI_PROC_NULL for the neighbour that is not there. A
    /// rank of MPI_COMM_WORLD is not the rank in another communicator.
    INVALID_RANK = "MV201" "invalid-rank" Error Dynamic: "a rank that its communicator, window or group does not have"
        about Input(&[Kind::Rank]); Arguments
}
