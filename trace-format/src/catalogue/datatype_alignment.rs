check! {
    /// # What it finds
    /// A datatype of the program that names a byte twice and is used for receiving or unpacking, or of which so many elements are
    /// that two of them overlap, or in which some basic element can never
    /// be aligned as its C type wants it, wherever the buffer begins: an array of a packed structure, a displacement or an
    /// extent that is not a multiple of the alignment. The process prints the finding when the datatype is first used in that
    /// way. For sending, overlapping entries are allowed.
    ///
    /// Types with more than 65536 separate parts are not searched for overlap.
    ///
    /// # Why it is wrong
    /// A datatype whose entries overlap must not be used for receiving (MPI 4.1, 5.1.11):
    /// which value stays is undefined. Misaligned elements are often a wrong displacement or extent, such as one that was
    /// counted by hand; processors access them more slowly, and some not at all.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv(source=1) = ok                                 //~ datatype-alignment
    /// 0: found MV228 "MPI_Recv receives into buf with a datatype that names some of its bytes twice"
    /// 1: MPI_Send(dest=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Take displacements from MPI_Get_address or offsetof and extents from sizeof, with MPI_Type_create_resized. If a
    /// structure is packed on purpose, send it as MPI_BYTE.
    DATATYPE_ALIGNMENT = "MV228" "datatype-alignment" Warning Dynamic: "a datatype whose parts overlap or are misaligned"
        about Input(BUFFERS); Datatypes
}
