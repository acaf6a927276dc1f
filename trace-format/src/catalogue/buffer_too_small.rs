check! {
    /// # What it finds
    /// A buffer that reaches, by count and datatype, beyond the variable that it begins in: an array of 10 elements from which 20
    /// are sent, a column of a matrix that is one row too long.
    ///
    /// The bounds of variables outside of functions, and of those that keep their value, are in the program's table of symbols
    /// (all programs that are not stripped); those of local variables in its debug information (`-g`), of the function that calls
    /// MPI and of those that have called it. A whole variable counts: a member of a structure may reach into the next one. Where
    /// it is not certain which variable it is, as in a function that is called with stacks of different depths, mpivet is
    /// silent, and so it is about memory that the program allocates.
    ///
    /// A receive whose count is greater than the variable is a warning, as long as the message that comes fits: the count is
    /// only the most that may come (MPI 4.1, 3.2.4).
    ///
    /// # Why it is wrong
    /// The program must own all bytes of the buffer (MPI 4.1, 3.2.2). The library sends what lies behind the variable, or
    /// overwrites it: other variables change, or the function returns to nowhere.
    ///
    /// # Example
    /// ```trace
    /// //! variable 0x1000 40 values
    /// 0: MPI_Send(buf=0x1000, count=20, datatype=MPI_INT, dest=1) = ok    //~ buffer-too-small
    /// 1: MPI_Recv(count=20, datatype=MPI_INT, source=0) = ok
    /// ```
    ///
    /// # How to fix
    /// Compare the count, in elements of the datatype, with the declaration. Of a derived datatype, the last element of the last
    /// block counts, not its size.
    BUFFER_TOO_SMALL = "MV230" "buffer-too-small" Error Analyzer: "a buffer that reaches beyond the variable that holds it"
        about Named
}
