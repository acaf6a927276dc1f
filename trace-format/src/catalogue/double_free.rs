check! {
    /// # What it finds
    /// A handle that is freed twice: the program has kept a copy of it, since the first call has set its own variable to the
    /// null handle. Also the attempt to free a predefined object, such as MPI_COMM_WORLD or MPI_INT. The process prints the
    /// finding before it makes the call, with the place that has freed the object first.
    ///
    /// An object of which the library has handed out the handle several times (a group, a datatype) may be freed as often.
    /// If the library has given the handle to another object meanwhile, the second call frees that one, and nobody sees it.
    ///
    /// # Why it is wrong
    /// A handle that was freed is invalid, and only objects that the program has made may be freed (MPI 4.1, 2.5.1). Libraries
    /// crash, report an error, or free an object that is in use elsewhere.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Type_commit() = ok
    /// 0: MPI_Type_free() = ok
    /// 0: MPI_Type_free() = ok                                    //~ double-free
    /// 0: found MV224 "MPI_Type_free is called for a datatype that was already freed by MPI_Type_free" {1 MPI_Type_free "freed it first"}
    /// ```
    ///
    /// # How to fix
    /// Let one place own the object and free it there. Keep the handle in one variable and hand on its address: MPI sets it
    /// to the null handle, for which it can be tested.
    DOUBLE_FREE = "MV224" "double-free" Error Dynamic: "an object freed twice, or a predefined object freed"
        about Freed
}
