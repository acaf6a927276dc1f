check! {
    /// # What it finds
    /// A number of elements, bytes, blocks or requests that is negative. In arrays of counts the first one is named.
    /// Arguments that MPI ignores (at other ranks than the root, or beside MPI_IN_PLACE) are not looked at.
    ///
    /// # Why it is wrong
    /// Counts are non-negative (MPI 4.1, 3.2.2). Where a count is computed in `int`, a negative one is often an overflow:
    /// 2^31 bytes are a count of -2^31.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(count=-1, dest=1)    //~ invalid-count
    /// 0: found MV203 "count of MPI_Send is -1; it must not be negative"
    /// 0: mpi-error MPI_ERR_COUNT fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Look at how the count is computed. For more than 2^31-1 elements use a datatype of several elements, or the
    /// functions with `_c` of MPI 4.
    INVALID_COUNT = "MV203" "invalid-count" Error Dynamic: "a count that is negative"
        about Input(COUNTS); Arguments
}
