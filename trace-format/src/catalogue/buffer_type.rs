check! {
    /// # What it finds
    /// A buffer whose variable is declared with another type than the datatype of the call says: `double x` with MPI_FLOAT,
    /// `long` with MPI_INT, `real(8)` with MPI_REAL, a structure with a datatype whose displacements are not those of its
    /// members.
    ///
    /// The program must have been compiled with `-g`, and its source must be there and as it was. mpivet reads the argument
    /// in the source line of the call (`x`, `&x[3]`, `p->values + n`, `v.data()`, `cell%mass(1)`), and looks its variable up
    /// in the debug information of the program (DWARF 4 or 5, also compressed, split, in a separate file or shared by several):
    /// the optimizer does not matter. It is silent about MPI_BYTE, MPI_PACKED and character types, about `void *`, `char *` and
    /// other bytes, unions and enumerations; where the argument is a cast, a call or a macro, or an array without a
    /// descriptor that a procedure of Fortran was called with; where a variable says the datatype and the size is right;
    /// where the count says `sizeof` or a multiple that makes up for the size; and about signs, logical values as integers of
    /// their size, complex numbers as two real ones, and a whole structure described as elements of one predefined type.
    ///
    /// In Python, the datatype is held against the `dtype` of the array of NumPy, or the typecode of the `array.array`, that a
    /// method of mpi4py was given: `comm.Send([reals, MPI.INT])`. The array of the first call from each line counts, with CPython
    /// 3.11 to 3.13. The source must be there. mpivet is silent about arrays of bytes, structures, objects, texts, dates and half
    /// precision, about other objects with a buffer, where a statement says `view`, `nbytes` or `itemsize`, or counts a multiple
    /// that makes up for the size, and as above.
    ///
    /// # Why it is wrong
    /// The type of the variable must match the datatype (MPI 4.1, 3.3.1). The library moves as many bytes as the datatype has: too
    /// few, so that a part of the data never arrives, or too many, over what lies behind. A reduction computes with bit patterns
    /// that mean something else.
    ///
    /// # Example
    /// ```trace
    /// //! declared 0 buf values double
    /// 1: MPI_Recv(buf=0x1000, count=10, datatype=MPI_FLOAT, source=0) = ok
    /// 0: MPI_Send(buf=0x1000, count=10, datatype=MPI_FLOAT, dest=1) = ok    //~ buffer-type
    /// ```
    ///
    /// # How to fix
    /// Name the datatype of the declaration: MPI_DOUBLE for `double`, MPI_LONG for `long`, MPI_DOUBLE_PRECISION for
    /// `double precision`, MPI_REAL8 for `real(8)`. In Python, leave the datatype out: mpi4py takes it from the array. Make
    /// datatypes of structures with `offsetof` or MPI_Get_address, and with the extent of the structure
    /// (MPI_Type_create_resized). Where bytes are meant, say MPI_BYTE.
    BUFFER_TYPE = "MV229" "buffer-type" Error Analyzer: "a datatype that is not the declared type of the buffer's variable"
        about Named
}
