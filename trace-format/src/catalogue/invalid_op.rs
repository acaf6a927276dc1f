check! {
    /// # What it finds
    /// A reduction operation that is the null handle or no operation; one that is not defined for the datatype: MPI_BAND
    /// for floating-point numbers, MPI_MAX for complex ones, MPI_MAXLOC for anything but pairs, any predefined operation
    /// for a datatype that the program has put together; MPI_REPLACE or MPI_NO_OP in a reduction; an operation of the
    /// program's in a one-sided call.
    ///
    /// Characters (MPI_CHAR and the like) are left out: libraries reduce them, although the standard does not say so. For
    /// one-sided calls the datatype is not looked at.
    ///
    /// # Why it is wrong
    /// MPI 4.1, 6.9.2 says which predefined operations are defined for which predefined datatypes; others are not (6.9.2,
    /// 6.9.5, 12.3.4). Libraries report an error or compute nonsense.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Allreduce(datatype=MPI_DOUBLE, op=MPI_BAND)    //~ invalid-op
    /// 0: found MV205 "op of MPI_Allreduce is MPI_BAND, which is not defined for MPI_DOUBLE"
    /// 0: mpi-error MPI_ERR_OP fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Take another operation or datatype. For datatypes of the program make an operation with MPI_Op_create.
    INVALID_OP = "MV205" "invalid-op" Error Dynamic: "a reduction operation that does not exist, or not for this datatype"
        about Input(&[Kind::Op]); Arguments
}
