check! {
    /// # What it finds
    /// An access to a window whose displacement, count and datatype name bytes that the target does not expose: below the
    /// beginning of its memory or behind its end. The size and the unit of displacement are those that the target itself gave
    /// when the window was made. In a window of MPI_Win_create_dynamic: memory that the target has not attached, or that it has
    /// detached before the access.
    ///
    /// The process prints the finding when it makes the call, if it knows the memory of the target: that is its own,
    /// `same_size` and `same_disp_unit` are `true` in the info object of the window, or it has asked MPI_Win_shared_query about the
    /// target; and so it does if the displacement is negative in a window that is not a dynamic one. All others are in the
    /// report.
    ///
    /// # Why it is wrong
    /// The target buffer must fit in the target window (MPI 4.1, 12.3). The access reads or overwrites other memory of the
    /// target process, or ends the program.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Win_allocate(size=8, disp_unit=4) = ok {win=w1}
    /// 1: MPI_Win_allocate(size=8, disp_unit=4) = ok {win=w1}
    /// 0: MPI_Win_lock(lock_type=1, rank=1, win=w1) = ok
    /// 0: MPI_Put(target_rank=1, target_disp=2, win=w1) = ok   //~ rma-range
    /// 0: MPI_Win_unlock(rank=1, win=w1) = ok
    /// ```
    ///
    /// # How to fix
    /// Compare the displacement (in units of `disp_unit` of the target, not of the origin) and the extent of the target
    /// datatype with the size that the target gave to MPI_Win_create or MPI_Win_allocate.
    RMA_RANGE = "MV704" "rma-range" Error Dynamic: "an access beyond the memory that the target exposes"
        about Input(&[Kind::Aint])
}
