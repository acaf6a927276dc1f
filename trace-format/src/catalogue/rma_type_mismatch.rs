check! {
    /// # What it finds
    /// An access to a window for which count and datatype at the origin and count and datatype at the target do not say the
    /// same sequence of basic types: another type at some place, or more elements on one side. Untyped data (MPI_BYTE) are
    /// compared by their size. Types that only look the same in memory, such as MPI_LONG and MPI_LONG_LONG, are a warning.
    ///
    /// # Why it is wrong
    /// The type signatures at the origin and at the target must match, and both buffers have the same number of elements
    /// (MPI 4.1, 12.3): the data are moved as by a send at the one side and a receive at the other. Otherwise elements are
    /// cut, or bytes are taken for numbers of another type.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_allocate(size=64, disp_unit=4) = ok {win=w1}
    /// 1: MPI_Win_allocate(size=64, disp_unit=4) = ok {win=w1}
    /// 0: MPI_Win_lock(lock_type=1, rank=1, win=w1) = ok
    /// 0: MPI_Put(target_rank=1, target_datatype=MPI_FLOAT, win=w1) = ok   //~ rma-type-mismatch
    /// 0: MPI_Win_unlock(rank=1, win=w1) = ok
    /// ```
    ///
    /// # How to fix
    /// Give the same datatype and count on both sides, or derived datatypes of the same basic elements.
    RMA_TYPE_MISMATCH = "MV709" "rma-type-mismatch" Error Analyzer: "the data of an access differ in type at origin and target"
        about Input(&[Kind::Datatype])
}
