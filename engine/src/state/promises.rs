//! Assertions of calls of synchronization (MPI 4.1, 12.5.5) that other calls may belie.

use super::accesses::{Accessed, Together};
use super::call::Origin;
use rma::Deed;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// MPI_MODE_NOPUT: nobody puts or accumulates until the next synchronization.
    NoPut,
    /// MPI_MODE_NOSTORE: the process has not written to its memory since the last synchronization.
    NoStore,
    /// MPI_MODE_NOCHECK of MPI_Win_start: all have called MPI_Win_post.
    Posted,
    /// MPI_MODE_NOCHECK of MPI_Win_start or MPI_Win_post: the other side asserts it, too.
    OnBothSides,
    /// `no_locks` of the window's info: nobody locks it.
    NoLocks,
    /// MPI_MODE_NOCHECK of a lock: nobody has or wants one that excludes it.
    Unlocked,
}

/// An assertion that is not true.
pub(crate) struct Untrue {
    pub(crate) promise: Promise,
    pub(crate) call: Rc<Origin>,
    /// The call that belies it.
    pub(crate) contrary: Rc<Origin>,
}

/// A call that begins an epoch with another process. The second field: it asserts MPI_MODE_NOCHECK.
pub(crate) type Begins = (Rc<Origin>, bool);

/// An epoch of an origin for a target: target, origin, and which of their epochs it is.
type Pair = (i32, i32, u64);

/// The assertions made on one window. Processes are places in its group.
#[derive(Default)]
pub(crate) struct Promises {
    /// Calls that assert MPI_MODE_NOPUT, by the accesses that they speak of.
    noput: FxHashMap<Together, Rc<Origin>>,
    /// By process that has synchronized: the last call since by which it has written to its own memory.
    written: FxHashMap<i32, Option<Rc<Origin>>>,
    /// Calls that made the window, to which `no_locks` was given, by process.
    no_locks: FxHashMap<i32, Rc<Origin>>,
    starts: FxHashMap<Pair, Begins>,
    posts: FxHashMap<Pair, Begins>,
    /// Epochs that are over, by their two calls, one of which asserts something: MPI_Win_start and MPI_Win_post.
    pub(crate) met: Vec<[Begins; 2]>,
}

impl Promises {
    /// Nobody puts anything there.
    pub(crate) fn promise_no_put(&mut self, accesses: Together, call: &Rc<Origin>) {
        if let Together::Fences { target, phase } = accesses {
            let is_old = |key: &Together| matches!(key, Together::Fences { target: t, phase: p } if *t == target && p + 1 < phase);
            self.noput.retain(|key, _| !is_old(key));
        }
        self.noput.insert(accesses, call.clone());
    }

    /// The first access against such a promise.
    pub(crate) fn put_against(&mut self, together: Together, accesses: &[Accessed], no_op: u32) -> Option<Untrue> {
        let call = self.noput.remove(&together)?;
        let is_put = |access: &&Accessed| match access.deed {
            Deed::Write => !access.is_own(),
            Deed::Accumulate { op, .. } => op != no_op,
            Deed::Read | Deed::AnyAccumulate => false,
        };
        let contrary = accesses.iter().find(is_put)?.call.clone();
        Some(Untrue { promise: Promise::NoPut, call, contrary })
    }

    pub(crate) fn promise_no_locks(&mut self, place: i32, call: &Rc<Origin>) {
        self.no_locks.insert(place, call.clone());
    }

    /// A process has locked the window: the call by which it had said that it would not.
    pub(crate) fn lock_against(&mut self, place: i32) -> Option<Rc<Origin>> {
        self.no_locks.remove(&place)
    }

    /// A process has written to its own memory.
    pub(crate) fn write(&mut self, place: i32, call: &Rc<Origin>) {
        self.written.get_mut(&place).into_iter().for_each(|written| *written = Some(call.clone()));
    }

    /// A process has synchronized: the call by which it has written to its memory since it did so before.
    pub(crate) fn synchronize(&mut self, place: i32) -> Option<Rc<Origin>> {
        self.written.insert(place, None).flatten()
    }

    pub(crate) fn start(&mut self, epoch: Pair, call: Begins) {
        self.starts.insert(epoch, call);
    }

    pub(crate) fn post(&mut self, epoch: Pair, call: Begins) {
        self.posts.insert(epoch, call);
    }

    /// An epoch is over.
    pub(crate) fn end(&mut self, epoch: Pair) {
        let both = self.starts.remove(&epoch).zip(self.posts.remove(&epoch));
        self.met.extend(both.filter(|(start, post)| start.1 || post.1).map(|(start, post)| [start, post]));
    }

    /// Calls that are kept.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let begins = self.starts.values().chain(self.posts.values()).chain(self.met.iter().flatten());
        let written = self.written.values().flatten();
        self.noput.values().chain(self.no_locks.values()).chain(written).chain(begins.map(|(call, _)| call))
    }
}
