check! {
    /// # What it finds
    /// A reduction (MPI_Reduce, MPI_Allreduce, MPI_Scan, ...) in which ranks name different operations, such as MPI_SUM and
    /// MPI_MAX. Operations that the program made are held to be the same one.
    ///
    /// # Why it is wrong
    /// All processes must give the same operation (MPI 4.1, 6.9.1). Every library combines the values in some way: the result
    /// depends on who combined what, which changes with the number of ranks and the version of the library.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Allreduce(op=MPI_SUM) = ok       //~ diff-reductions
    /// 1: MPI_Allreduce(op=MPI_MAX) = ok       //~ diff-reductions
    /// ```
    ///
    /// # How to fix
    /// Name the same operation on all ranks. If two different results are wanted, make two reductions.
    DIFF_REDUCTIONS = "MV507" "diff-reductions" Error Analyzer: "the ranks of a reduction name different operations"
        about Input(&[Kind::Op])
}
