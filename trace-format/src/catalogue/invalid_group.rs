check! {
    /// # What it finds
    /// A group that is the null handle, where a group is needed. MPI_GROUP_EMPTY is a group. A group given to
    /// MPI_Comm_create with a process that is not in the group of the communicator.
    ///
    /// Also reported: a handle of another kind, and a value that no library of the family has as a handle. A handle
    /// that mpivet has not seen made may be valid; nothing is said of it unless its bits, or the memory that it
    /// points to, prove it wrong. A handle that was freed is `use-after-free`.
    ///
    /// # Why it is wrong
    /// An argument that is a handle must be that of an object of its kind (MPI 4.1, 2.5.1, 7.2.1). Libraries end the
    /// program or crash.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Group_size(group=MPI_GROUP_NULL)    //~ invalid-group
    /// 0: found MV208 "group of MPI_Group_size is MPI_GROUP_NULL; it must be a group"
    /// 0: mpi-error MPI_ERR_GROUP fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at where the variable gets its value: it may be uninitialized, or set to the null handle by the call that freed
    /// the object.
    INVALID_GROUP = "MV208" "invalid-group" Error Dynamic: "a group that is null or none"
        about Input(&[Kind::Group]); Arguments
}
