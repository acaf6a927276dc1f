//! Locks of windows that processes hold (MPI 4.1, 12.5.3), and the calls in which they wait while they do: locks that are taken in
//! different orders, or held in a call that another process comes to only when it has had the lock, may never be got.

use super::call::Origin;
use super::comms::CommIx;
use super::order::{CallPlace, News};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More locks that one process has at once are not looked at.
const MOST_OPEN: usize = 1 << 7;
/// More that it has had are not, before the next collective operation of all.
const MOST_OVER: usize = 1 << 14;
/// With more of all processes, none is held against all others.
const MOST_COMPARED: usize = 1 << 16;
/// More calls in which a process waits with a lock are not looked at.
const MOST_WAITS: usize = 1 << 6;

/// The memory that a lock is of: that of a process of a window, by its place in the group, or of all its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Locked {
    pub(crate) window: CommIx,
    pub(crate) target: Option<i32>,
    pub(crate) is_exclusive: bool,
    /// MPI_MODE_NOCHECK: no lock is asked for.
    pub(crate) is_unchecked: bool,
}

impl Locked {
    /// Can two processes not hold the two at once?
    pub(crate) fn excludes(self, other: Locked) -> bool {
        let is_one = self.target.is_none() || other.target.is_none() || self.target == other.target;
        self.window == other.window && is_one && (self.is_exclusive || other.is_exclusive)
    }

    /// The same, of locks that are asked for.
    pub(super) fn keeps_out(self, other: Locked) -> bool {
        self.excludes(other) && !self.is_unchecked && !other.is_unchecked
    }
}

/// A lock that a process has had.
#[derive(Debug, Clone)]
pub(crate) struct Hold {
    pub(crate) lock: Locked,
    pub(crate) call: Rc<Origin>,
    /// The call that gave it back.
    pub(crate) end: Option<u64>,
    /// The locks that the process held when it asked for this one.
    pub(super) within: Vec<(Locked, Rc<Origin>)>,
    /// Calls that waited for others while it was held.
    pub(super) waits: Vec<(Rc<Origin>, News)>,
}

/// The locks that one process has, and has had.
#[derive(Debug, Default)]
struct OfRank {
    open: Vec<Hold>,
    over: Vec<Hold>,
    /// There were more, up to this call.
    cut: Option<u64>,
}

/// The locks of all processes, by world rank.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    ranks: FxHashMap<i32, OfRank>,
}

impl Locks {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// A process has got a lock.
    pub(crate) fn take(&mut self, call: &Rc<Origin>, lock: Locked) {
        let OfRank { open, cut, .. } = self.ranks.entry(call.rank).or_default();
        if open.len() >= MOST_OPEN {
            *cut = Some(u64::MAX);
        } else {
            let within = open.iter().map(|hold| (hold.lock, hold.call.clone())).collect();
            open.push(Hold { lock, call: call.clone(), end: None, within, waits: Vec::new() });
        }
    }

    /// A process has given a lock back.
    pub(crate) fn give(&mut self, call: &Origin, window: CommIx, target: Option<i32>) {
        let Some(OfRank { open, over, cut }) = self.ranks.get_mut(&call.rank) else { return };
        if over.len() >= MOST_OVER {
            *cut = (*cut).max(Some(call.index));
        }
        let place = open.iter().rposition(|hold| (hold.lock.window, hold.lock.target) == (window, target));
        let given = place.map(|place| Hold { end: Some(call.index), ..open.remove(place) });
        over.extend(given.filter(|_| over.len() < MOST_OVER));
    }

    /// Are there so many that it is not known which of them an access lies in?
    pub(super) fn are_too_many(&self) -> bool {
        self.ranks.values().any(|all| all.cut.is_some()) || self.each().nth(MOST_COMPARED).is_some()
    }

    /// Does a lock keep others out, or may one that is not known? Only such ones have to do with each other.
    pub(crate) fn are_any_exclusive(&self) -> bool {
        self.ranks.values().any(|all| all.cut.is_some()) || self.each().any(|hold| hold.lock.is_exclusive)
    }

    /// Does a process hold a lock that may keep others from what it does meanwhile, wherever that is?
    pub(crate) fn holds_exclusive(&self, rank: i32) -> bool {
        self.ranks.get(&rank).is_some_and(|all| all.open.iter().any(|hold| hold.lock.is_exclusive))
    }

    /// A process has waited for others.
    pub(crate) fn wait(&mut self, call: &Rc<Origin>, news: News) {
        let open = self.ranks.get_mut(&call.rank).into_iter().flat_map(|all| &mut all.open);
        // A lock that was not asked for keeps nobody out.
        for hold in open.filter(|hold| !hold.lock.is_unchecked && hold.waits.len() < MOST_WAITS) {
            hold.waits.push((call.clone(), news));
        }
    }

    /// Forgets the locks that a process had given back before this call of it, and the waits of the others.
    pub(crate) fn forget(&mut self, rank: i32, since: u64) {
        let Some(OfRank { open, over, cut }) = self.ranks.get_mut(&rank) else { return };
        *cut = cut.filter(|upto| *upto >= since);
        over.retain(|hold| hold.end.is_none_or(|end| end >= since));
        let kept = open.iter_mut().chain(over.iter_mut());
        kept.filter(|hold| !hold.waits.is_empty()).for_each(|hold| hold.waits.retain(|(call, _)| call.index > since));
        if open.is_empty() && over.is_empty() && cut.is_none() {
            self.ranks.remove(&rank);
        }
    }

    /// Forgets the locks of a window.
    pub(crate) fn forget_window(&mut self, window: CommIx) {
        self.ranks.retain(|_, OfRank { open, over, .. }| {
            open.retain(|hold| hold.lock.window != window);
            over.retain(|hold| hold.lock.window != window);
            !(open.is_empty() && over.is_empty())
        });
    }

    /// Calls that are kept.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.each().flat_map(|hold| {
            let within = hold.within.iter().map(|(_, call)| call);
            let waits = hold.waits.iter().map(|(call, _)| call);
            std::iter::once(&hold.call).chain(within).chain(waits)
        })
    }

    pub(super) fn of(&self, rank: i32) -> impl Iterator<Item = &Hold> {
        self.ranks.get(&rank).into_iter().flat_map(|all| all.open.iter().chain(&all.over))
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &Hold> {
        self.ranks.values().flat_map(|all| all.open.iter().chain(&all.over))
    }

    /// In an order that does not depend on which ranks were read first.
    pub(super) fn all(&self) -> Vec<&Hold> {
        let mut all: Vec<&Hold> = self.each().collect();
        all.sort_by_key(|hold| (hold.call.rank, hold.call.index));
        all
    }
}

impl Hold {
    pub(super) fn taken(&self) -> CallPlace {
        (self.call.rank, self.call.index)
    }

    pub(super) fn given(&self) -> Option<CallPlace> {
        self.end.map(|end| (self.call.rank, end))
    }
}
