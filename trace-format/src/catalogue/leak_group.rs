check! {
    /// # What it finds
    /// Groups that the program was given by MPI_Comm_group, MPI_Group_incl, MPI_Win_get_group, ... and has not freed with
    /// MPI_Group_free. The process looks when the library's MPI_Finalize (or the last MPI_Session_finalize) has returned, so
    /// that what callbacks of the program free during it counts as freed. A finding is one place of the program and says how
    /// many it has leaked.
    ///
    /// Libraries may hand out one handle for equal groups; each call that hands it out is to be paired with an
    /// MPI_Group_free. If not all are, the place that got it last is taken to have freed it first. MPI_GROUP_EMPTY need not
    /// be freed.
    ///
    /// # Why it is wrong
    /// A group takes memory that grows with the number of processes, and it keeps what it was made from alive (MPI 4.1,
    /// 7.3.3).
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Comm_group(comm=MPI_COMM_SELF) = ok    //~ leak-group
    /// 0: found MV303 "a group made by MPI_Comm_group is never freed"
    /// ```
    ///
    /// # How to fix
    /// Call MPI_Group_free as soon as the communicator or window operation that needs the group has returned.
    LEAK_GROUP = "MV303" "leak-group" Warning Dynamic: "a group that is never freed"
        about Output(&[Kind::Group]), Consequence
}
