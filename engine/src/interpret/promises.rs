//! Assertions of calls of synchronization (MPI 4.1, 12.5.5): what is told of them.

use crate::model::Model;
use crate::state::{CommIx, Origin, Promise, Together, Untrue, row_int};
use std::rc::Rc;
use trace_format::mpi::RmaSync;

impl Model {
    /// Does a call assert this?
    pub(super) fn asserts(&self, origin: &Origin, name: &str) -> bool {
        let given = row_int(origin, "assert").unwrap_or(0);
        given != 0 && self.constants.get(name).is_some_and(|bit| given & bit != 0)
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
        let Some(window) = &mut self.comms.list[ix].window else { return };
        match (sync, group) {
            (RmaSync::RmaStart, Some(targets)) => window.promise_at_start(place, targets, (origin, is_unchecked)),
            (RmaSync::RmaPost, Some(origins)) => {
                window.promise_at_post(place, origins, (origin, is_unchecked));
                if let Some(first) = window.first_posted(place).filter(|_| is_no_put) {
                    window.promises.promise_no_put(first, origin);
                }
            }
            (RmaSync::Lock | RmaSync::LockAll, _) => {
                if let Some(call) = window.promises.lock_against(place) {
                    let untrue = Untrue { promise: Promise::NoLocks, call, contrary: origin.clone() };
                    self.rules.untrue(self, &untrue);
                }
                self.take_lock(origin, (ix, rank), is_unchecked);
            }
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
}
