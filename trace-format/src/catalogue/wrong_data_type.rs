check! {
    /// # What it finds
    /// A message whose type signature, element by element, differs from that of its receive. How the types were made does not
    /// matter: a vector of three doubles matches three doubles. Types of different names that look the same in memory on this
    /// machine (MPI_INT and MPI_INT32_T, MPI_LONG and MPI_INT64_T, C and Fortran twins) give a warning, all others an error.
    /// MPI_PACKED matches everything. Where one side is all MPI_BYTE and the other is not, mpivet keeps silent although the
    /// letter of the standard forbids it: the practice is widespread and works wherever the ranks' machines are alike.
    ///
    /// # Why it is wrong
    /// The types of the send and the receive must match (MPI 4.1, 3.3.1). MPI converts nothing between different types: the
    /// receiver gets bit patterns that mean something else, and no library reports it as long as the length fits.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(count=4, datatype=MPI_FLOAT, dest=1) = ok    //~ wrong-data-type
    /// 1: MPI_Recv(count=4, datatype=MPI_INT, source=0) = ok    //~ wrong-data-type
    /// ```
    ///
    /// # How to fix
    /// Name the type that the data have, the same on both sides. For structures, make one datatype in one function and use it
    /// on both sides. In C++, derive the MPI type from the C++ type in one place.
    WRONG_DATA_TYPE = "MV406" "wrong-data-type" Error Analyzer: "the types of a message and of its receive do not match"
        about Input(&[Kind::Datatype])
}
