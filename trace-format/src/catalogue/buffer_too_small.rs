check! {
    /// # What it finds
    /// A buffer that reaches, by count and datatype, beyond the variable that it begins in: an array of 10 elements from which 20
    /// are sent, a column of a matrix that is one row too long.
    ///
    /// The bounds of variables outside of functions, and of those that keep their value, are in the program's table of symbols
    /// (all programs that are not stripped); those of local variables in its debug information (`-g`), of the function that calls
    /// MPI and of those that have called it. A whole variable counts: a member of a structure may reach into the next one. Where
    /// it is not certain which variable it is, as in a function that is called with stacks of different depths, mpivet is
    /// silent.
    ///
    /// **Memory that the program allocates** is known with `mpivet run --heap`: each block of malloc and its kin (also of C++
    /// `new`, Fortran `allocate` and MPI_Alloc_mem) with as many bytes as were asked for. It is told at once, before the MPI
    /// library reads or writes there, with the line that allocated the block if there is debug information. A pointer into the
    /// middle of a block is as good as one to its beginning. Also found is a buffer in a block that was freed, if nobody else
    /// has the memory by then, and memory that is given to a window (MPI_Win_create) or attached for buffered sends. Where a
    /// datatype with displacements of its own leads to several blocks, each of its parts counts.
    ///
    /// mpivet is silent about memory that is mapped (mmap, shared windows), about parts of a block that a pool of the program
    /// or of Python gives out, about room that malloc_usable_size has told the program of, and about blocks of an allocator that
    /// is linked into the executable or has entry points of its own.
    ///
    /// A receive whose count is greater than the variable or the block is a warning, as long as the message that comes fits: the
    /// count is only the most that may come (MPI 4.1, 3.2.4).
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
    BUFFER_TOO_SMALL = "MV230" "buffer-too-small" Error Analyzer: "a buffer that reaches beyond the variable or the block that holds it"
        about Named
}
