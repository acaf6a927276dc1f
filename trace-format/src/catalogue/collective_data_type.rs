check! {
    /// # What it finds
    /// A collective operation in which one rank sends data of another type signature than the receiving rank expects,
    /// or in which the contributions to a reduction have different types. As for messages, types that look the same
    /// in memory give a warning, and MPI_BYTE on one side alone is tolerated. In a
    /// neighbourhood collective it is `neighbour-mismatch`.
    ///
    /// # Why it is wrong
    /// The type signatures must match between each pair of processes (MPI 4.1, 6.1). Nothing is converted: bit patterns of one
    /// type are read as another.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Bcast(datatype=MPI_FLOAT, root=0) = ok       //~ collective-data-type
    /// 1: MPI_Bcast(datatype=MPI_INT, root=0) = ok         //~ collective-data-type
    /// ```
    ///
    /// # How to fix
    /// Name the same type on all ranks: the type of the data.
    COLLECTIVE_DATA_TYPE = "MV506" "collective-data-type" Error Analyzer: "the types in a collective operation do not match"
        about Input(&[Kind::Datatype])
}
