//! Post-start-complete-wait in the replay (MPI 4.1, 12.5.2): each pair of an origin and a target in an epoch meets twice, like
//! two processes in a collective operation.

use rustc_hash::FxHashMap;
use schedules::Id;
use smallvec::SmallVec;

/// A meeting of an origin and a target of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Meeting {
    /// Number of the window, never given to another.
    pub(crate) window: u32,
    pub(crate) origin: i32,
    pub(crate) target: i32,
    /// Which epoch of the two it is.
    pub(crate) epoch: u64,
    /// At its end.
    pub(crate) end: bool,
}

/// Meetings to which one of the two has come.
#[derive(Default)]
pub(crate) struct Meetings {
    pub(crate) half: FxHashMap<Meeting, (u32, Id)>,
    /// The meetings that calls under way wait for, by rank and thread.
    pub(crate) waiting: FxHashMap<(i32, u16), SmallVec<[Id; 8]>>,
    /// The epochs of some window are not known any more: since when in the run nobody can tell.
    pub(crate) unclear: bool,
}

impl Meetings {
    pub(crate) fn kept(&self) -> usize {
        self.half.len() + self.waiting.len()
    }
}
