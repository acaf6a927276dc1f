check! {
    /// # What it finds
    /// A datatype that the program has made and not committed, used in communication, in one-sided access or to read or
    /// write a file. Datatypes that are only the parts of others need no commit, nor do predefined ones and duplicates of
    /// committed ones. Packing is not looked at.
    ///
    /// # Why it is wrong
    /// A datatype must be committed before it is used in communication (MPI 4.1, 5.1.9). Some libraries work all the same,
    /// others end the program.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Type_contiguous(count=4) = ok
    /// 0: MPI_Send(dest=1)               //~ uncommitted-datatype
    /// 0: found MV222 "datatype of MPI_Send is a datatype that was not committed" {0 MPI_Type_contiguous "made the datatype"}
    /// 0: mpi-error MPI_ERR_TYPE fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Type_commit once, after the datatype is complete.
    UNCOMMITTED_DATATYPE = "MV222" "uncommitted-datatype" Error Dynamic: "communication with a datatype that was not committed"
        about Input(&[Kind::Datatype]); Arguments
}
