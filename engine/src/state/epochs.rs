//! One-sided synchronisation that not all processes of a window make together: post-start-complete-wait (MPI 4.1,
//! 12.5.2) and locks (12.5.3).

use rustc_hash::FxHashMap;
use trace_format::ranks::Ranks;

/// The epochs of one window. Processes are world ranks.
#[derive(Default)]
pub(crate) struct Epochs {
    /// By origin and target.
    pub(crate) pairs: FxHashMap<(i32, i32), Pair>,
    /// Targets of the access epoch that a process began last with MPI_Win_start.
    pub(crate) access: FxHashMap<i32, Ranks>,
    /// Origins of the exposure epoch that a process has open.
    pub(crate) exposure: FxHashMap<i32, Ranks>,
    /// By holder and target; no target: MPI_Win_lock_all.
    pub(crate) locks: FxHashMap<(i32, Option<i32>), Lock>,
    /// A call failed, or named what mpivet does not know: nothing is concluded.
    pub(crate) unclear: bool,
}

/// The k-th post of a target to an origin belongs to the k-th start of the origin to the target.
#[derive(Default, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) starts: u64,
    pub(crate) posts: u64,
    pub(crate) completes: u64,
}

pub(crate) struct Lock {
    pub(crate) exclusive: bool,
    /// MPI_MODE_NOCHECK: no lock is asked for.
    pub(crate) unchecked: bool,
    /// The call that asked for it has returned. Libraries may ask for the lock of another process later than that.
    pub(crate) returned: bool,
}
