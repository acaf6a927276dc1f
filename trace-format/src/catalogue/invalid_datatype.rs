check! {
    /// # What it finds
    /// A datatype that is the null handle, where a datatype is needed. In arrays of datatypes those with count zero are
    /// left out.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 3.2.2). Libraries end the
    /// program or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(datatype=MPI_DATATYPE_NULL, dest=1)    //~ invalid-datatype
    /// 0: found MV206 "datatype of MPI_Send is MPI_DATATYPE_NULL; it must be a datatype"
    /// 0: mpi-error MPI_ERR_TYPE fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at where the variable gets its value: it may be uninitialized, or set to the null handle by the call that freed
    /// the object.
    INVALID_DATATYPE = "MV206" "invalid-datatype" Error Dynamic: "a datatype that is null or none"
        about Input(&[Kind::Datatype]); Arguments
}
