//! Locks of windows that processes hold (MPI 4.1, 12.5.3), and wait with: what is told of them.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{Before, CommIx, Locked, News, Origin, Promise, Untrue, row_int};
use std::rc::Rc;

impl Model {
    /// A process has got a lock of a window, of one place in the group or of all.
    pub(super) fn take_lock(
        &mut self,
        origin: &Rc<Origin>,
        (window, target): (CommIx, Option<i32>),
        is_unchecked: bool,
    ) {
        let is_of_type = |name: &str| self.constants.get(name).copied() == row_int(origin, "lock_type");
        let is_exclusive = target.is_some() && is_of_type("MPI_LOCK_EXCLUSIVE");
        // A lock of all has no type, and MPI_PROC_NULL nothing to be locked.
        let is_lock = is_exclusive || target.is_none() || is_of_type("MPI_LOCK_SHARED");
        if is_lock && target.is_none_or(|target| target >= 0) {
            self.locks.take(origin, Locked { window, target, is_exclusive, is_unchecked });
        }
    }

    /// A process has waited for others.
    pub(super) fn wait_with_locks(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, all: &[News]) {
        if self.locks.is_empty() {
            return;
        }
        for news in all {
            let is_wait = match news {
                News::Message(_) => true,
                News::Collective(..) => super::news::is_meeting(origin, s),
                News::Epoch(_) | News::Anything => false,
            };
            if is_wait {
                self.locks.wait(origin, *news);
            }
        }
    }

    /// All processes of a window have passed a collective operation, at these calls of the places in its group, or the window is
    /// over (`None`): judges what locks have to do with each other.
    pub(super) fn judge_locks(&mut self, ix: CommIx, left: Option<&[(i32, u64)]>) {
        if self.locks.is_empty() {
            return;
        }
        let unclear: Vec<CommIx> = self.windows.iter().copied().filter(|ix| self.is_unclear(*ix)).collect();
        unclear.into_iter().for_each(|ix| self.locks.forget_window(ix));
        if self.locks.are_any_exclusive() {
            let begun = self.begun(ix);
            let before = Before { order: &self.order, begun: &begun };
            let (knots, unchecked) = (self.locks.knots(before), self.locks.unchecked(before));
            knots.iter().for_each(|knot| self.rules.lock_knot(self, knot));
            for [call, contrary] in unchecked {
                self.rules.untrue(self, &Untrue { promise: Promise::Unlocked, call, contrary });
            }
        }
        match left {
            None => self.locks.forget_window(ix),
            Some(left) => {
                let group = &self.comms.list[ix].a;
                let ranks = left.iter().filter_map(|(place, call)| Some((group.get(*place)?, *call)));
                ranks.for_each(|(rank, call)| self.locks.forget(rank, call));
            }
        }
    }

    fn is_unclear(&self, ix: CommIx) -> bool {
        let window = self.comms.list[ix].window.as_ref();
        self.are_calls_missing(ix) || window.is_none_or(|window| window.unclear)
    }
}
