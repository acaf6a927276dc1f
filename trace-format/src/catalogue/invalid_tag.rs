check! {
    /// # What it finds
    /// A tag that is negative or greater than the library's limit (the attribute MPI_TAG_UB); MPI_ANY_TAG in a send. Not
    /// looked at where the partner is MPI_PROC_NULL.
    ///
    /// # Why it is wrong
    /// Tags go from 0 to MPI_TAG_UB (MPI 4.1, 3.2.3). Libraries report an error, or cut the tag, and the message goes to
    /// another receive.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1, tag=-5)    //~ invalid-tag
    /// 0: found MV202 "tag of MPI_Send is -5; a tag must be 0 to 1073741823 (MPI_TAG_UB)"
    /// 0: mpi-error MPI_ERR_TAG fatal "..."
    /// ```
    ///
    /// # How to fix
    /// Number messages so that the tags stay small. Often a tag is made of an index that can be -1, or that grows with the
    /// steps of the program.
    INVALID_TAG = "MV202" "invalid-tag" Error Dynamic: "a tag that is negative or above MPI_TAG_UB"
        about Input(&[Kind::Tag]); Arguments
}
