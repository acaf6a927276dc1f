//! Assertions of calls of synchronization, and locks that processes hold while they wait: what is told of them.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{Before, CommIx, Locked, News, Origin, Promise, Together, Untrue, row_int};
use std::rc::Rc;
use trace_format::mpi::RmaSync;

impl Model {
    /// Does a call assert this?
    pub(super) fn asserts(&self, origin: &Origin, name: &str) -> bool {
        let given = row_int(origin, "assert").unwrap_or(0);
        self.constants.get(name).is_some_and(|bit| given & bit != 0)
    }

    /// A process has passed a fence on a window, at its place there.
    pub(super) fn promise_by_fence(&mut self, origin: &Rc<Origin>, (ix, place): (CommIx, i32)) {
        self.promise_no_store(origin, (ix, place));
        let is_no_put = self.asserts(origin, "MPI_MODE_NOPUT");
        let Some(window) = &mut self.comms.list[ix].window else { return };
        let phase = window.member(place).fences;
        if is_no_put {
            window.promises.promise_no_put(Together::Fences { target: place, phase }, origin);
        }
    }

    /// A process has made another call of synchronization.
    pub(super) fn promise(
        &mut self,
        origin: &Rc<Origin>,
        (ix, place): (CommIx, i32),
        sync: RmaSync,
        (group, rank): (Option<&[i32]>, Option<i32>),
    ) {
        self.promise_no_store(origin, (ix, place));
        let [is_no_put, is_unchecked] = ["MPI_MODE_NOPUT", "MPI_MODE_NOCHECK"].map(|name| self.asserts(origin, name));
        let lock_type = row_int(origin, "lock_type");
        let is_of_type = |name: &str| self.constants.get(name).copied() == lock_type;
        let (is_exclusive, is_shared) = (is_of_type("MPI_LOCK_EXCLUSIVE"), is_of_type("MPI_LOCK_SHARED"));
        let lock = |target, is_exclusive| Locked { window: ix, target, is_exclusive, is_unchecked };
        let Some(window) = &mut self.comms.list[ix].window else { return };
        if let RmaSync::Lock | RmaSync::LockAll = sync
            && let Some(call) = window.promises.lock_against(place)
        {
            let untrue = Untrue { promise: Promise::NoLocks, call, contrary: origin.clone() };
            self.rules.untrue(self, &untrue);
        }
        let Some(window) = &mut self.comms.list[ix].window else { return };
        match (sync, group) {
            (RmaSync::RmaStart, Some(targets)) => window.promise_at_start(place, targets, (origin, is_unchecked)),
            (RmaSync::RmaPost, Some(origins)) => {
                window.promise_at_post(place, origins, (origin, is_unchecked));
                if let Some(first) = window.first_posted(place).filter(|_| is_no_put) {
                    window.promises.promise_no_put(first, origin);
                }
            }
            (RmaSync::Lock, _) if is_exclusive || is_shared => self.locks.take(origin, lock(rank, is_exclusive)),
            (RmaSync::LockAll, _) => self.locks.take(origin, lock(None, false)),
            (RmaSync::Unlock | RmaSync::UnlockAll, _) => self.locks.give(origin, ix, rank),
            _ => {}
        }
    }

    fn promise_no_store(&mut self, origin: &Rc<Origin>, (ix, place): (CommIx, i32)) {
        let is_asserted = self.asserts(origin, "MPI_MODE_NOSTORE");
        let Some(window) = &mut self.comms.list[ix].window else { return };
        if let Some(contrary) = window.promises.synchronize(place).filter(|_| is_asserted) {
            let untrue = Untrue { promise: Promise::NoStore, call: origin.clone(), contrary };
            self.rules.untrue(self, &untrue);
        }
    }

    /// Epochs of MPI_Win_start and MPI_Win_post are over on both sides.
    pub(super) fn judge_promises(&mut self, ix: CommIx) {
        let Some(window) = &mut self.comms.list[ix].window else { return };
        let met = std::mem::take(&mut window.promises.met);
        if met.is_empty() {
            return;
        }
        let begun = self.begun(ix);
        for [(start, is_start), (post, is_post)] in met {
            let untrue = match (is_start, is_post) {
                (true, false) => Untrue { promise: Promise::OnBothSides, call: start, contrary: post },
                (false, true) => Untrue { promise: Promise::OnBothSides, call: post, contrary: start },
                _ => {
                    let [first, then] = [&post, &start].map(|call| (call.rank, call.index));
                    if first.0 == then.0 || self.order.may_be_before(first, then, &begun) {
                        continue;
                    }
                    Untrue { promise: Promise::Posted, call: start, contrary: post }
                }
            };
            self.rules.untrue(self, &untrue);
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
        let begun = self.begun(ix);
        let before = Before { order: &self.order, begun: &begun };
        let (knots, unchecked) = (self.locks.knots(before), self.locks.unchecked(before));
        knots.iter().for_each(|knot| self.rules.lock_knot(self, knot));
        for [call, contrary] in unchecked {
            self.rules.untrue(self, &Untrue { promise: Promise::Unlocked, call, contrary });
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
        let comm = &self.comms.list[ix];
        let is_whole = comm.a.iter().all(|rank| self.ranks.get(rank as usize).is_some_and(|r| !r.holed && !r.lost));
        !is_whole || comm.window.as_ref().is_none_or(|window| window.unclear)
    }
}
