//! The epochs of one process on one window (MPI 4.1, 12.5), as its own calls tell them. Ranks are those of the window's group.
//!
//! Between two fences that complete no access, epochs of locks may lie. By the letter of 12.5.1 the first of the fences begins an
//! epoch where accesses of any kind and another fence follow; programs use fences between such epochs all the same, and
//! no library refuses it.

use rustc_hash::FxHashMap;

/// Assertions of a call of synchronization (MPI 4.1, 12.5.5) that bear on the epochs of the process that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Assertions {
    /// MPI_MODE_NOPRECEDE: the fence completes no access of this process.
    pub noprecede: bool,
    /// MPI_MODE_NOSUCCEED: no access of this process follows the fence.
    pub nosucceed: bool,
}

/// A call of synchronization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sync {
    /// MPI_Win_fence.
    Fence(Assertions),
    /// MPI_Win_start; `None`: which ranks the group has is not known.
    Start(Option<Vec<i32>>),
    /// MPI_Win_complete.
    Complete,
    /// MPI_Win_post.
    Post,
    /// MPI_Win_wait, and MPI_Win_test.
    Wait,
    /// MPI_Win_lock of this rank.
    Lock(i32),
    /// MPI_Win_lock_all.
    LockAll,
    /// MPI_Win_unlock of this rank.
    Unlock(i32),
    /// MPI_Win_unlock_all.
    UnlockAll,
    /// MPI_Win_flush and MPI_Win_flush_local of this rank.
    Flush(i32),
    /// MPI_Win_flush_all and MPI_Win_flush_local_all.
    FlushAll,
    /// MPI_Win_free.
    Free,
}

/// A rule that a call breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// An access without any epoch.
    NoEpoch,
    /// An access behind a fence that asserts that there is none.
    BehindTheLastFence,
    /// An access to a rank that is not locked, while others are.
    NotLocked,
    /// An access to a rank that is not in the group of MPI_Win_start.
    NotStarted,
    /// An access with a request where the target is not locked.
    RequestOutsideOfLock,
    /// The epoch that a call begins would overlap one of MPI_Win_lock, ...
    WithinLock,
    /// ... of MPI_Win_lock_all, ...
    WithinLockAll,
    /// ... of MPI_Win_start, ...
    WithinStart,
    /// ... of fences, ...
    WithinFences,
    /// ... or the memory would be exposed and locked at once.
    WithinPost,
    /// MPI_Win_post while the memory is exposed already.
    PostedAlready,
    /// A fence asserts that it completes no access, and there is one.
    AccessPrecedes,
    /// MPI_Win_complete without MPI_Win_start.
    CompleteWithoutStart,
    /// MPI_Win_wait without MPI_Win_post.
    WaitWithoutPost,
    /// MPI_Win_unlock of a rank that is not locked.
    UnlockWithoutLock,
    /// MPI_Win_unlock under MPI_Win_lock_all.
    UnlockOfLockAll,
    /// MPI_Win_unlock_all without MPI_Win_lock_all.
    UnlockAllWithoutLockAll,
    /// A flush where the target is not locked.
    FlushWithoutLock,
    /// The window is freed, or MPI ends, with an epoch of MPI_Win_lock, ...
    OpenLock,
    /// ... of MPI_Win_lock_all, ...
    OpenLockAll,
    /// ... of MPI_Win_start, ...
    OpenStart,
    /// ... of MPI_Win_post, ...
    OpenPost,
    /// ... or with accesses behind the last fence.
    OpenFence,
}

/// A call that breaks a rule. `P`: how the caller knows calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault<P> {
    pub rule: Rule,
    /// An earlier call that has to do with it.
    pub earlier: Option<P>,
}

/// The epochs that a process has open on a window.
#[derive(Debug, Clone)]
pub struct Epochs<P> {
    /// The rank of the process in the window's group.
    own: i32,
    fence: Option<Fence<P>>,
    started: Option<Started<P>>,
    posted: Option<P>,
    locks: FxHashMap<i32, P>,
    lock_all: Option<P>,
}

/// The last fence, and what was done since.
#[derive(Debug, Clone, Copy)]
struct Fence<P> {
    call: P,
    nosucceed: bool,
    /// The first access that belongs to its epoch.
    access: Option<P>,
}

#[derive(Debug, Clone)]
struct Started<P> {
    call: P,
    group: Option<Vec<i32>>,
}

/// The epoch that an access belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// MPI_Win_lock or MPI_Win_lock_all.
    Lock,
    /// MPI_Win_start.
    Start,
    /// MPI_Win_fence.
    Fence,
}

fn fault<P>(rule: Rule, earlier: Option<P>) -> Option<Fault<P>> {
    Some(Fault { rule, earlier })
}

impl<P: Copy> Epochs<P> {
    /// No epoch is open on the window, in whose group the process has the rank `own`.
    pub fn new(own: i32) -> Epochs<P> {
        Epochs { own, fence: None, started: None, posted: None, locks: FxHashMap::default(), lock_all: None }
    }

    /// The epoch that an access to `target` belongs to, or the rule that it breaks.
    pub fn home(&self, target: i32) -> Result<Home, Fault<P>> {
        let wrong = |rule, earlier| Err(Fault { rule, earlier });
        if self.lock_all.is_some() || self.locks.contains_key(&target) {
            return Ok(Home::Lock);
        }
        match (&self.started, &self.fence) {
            (Some(Started { group: Some(group), call }), _) if !group.contains(&target) => {
                wrong(Rule::NotStarted, Some(*call))
            }
            (Some(_), _) => Ok(Home::Start),
            (None, Some(fence)) if !fence.nosucceed => Ok(Home::Fence),
            (None, _) if !self.locks.is_empty() => wrong(Rule::NotLocked, self.locks.values().next().copied()),
            (None, Some(fence)) => wrong(Rule::BehindTheLastFence, Some(fence.call)),
            (None, None) => wrong(Rule::NoEpoch, None),
        }
    }

    /// An access to `target` is about to be made: the rule that it breaks. `has_request`: it is one of MPI_Rput and the like.
    pub fn check_access(&self, target: i32, has_request: bool) -> Option<Fault<P>> {
        match self.home(target) {
            Err(fault) => Some(fault),
            Ok(Home::Start) if has_request => {
                fault(Rule::RequestOutsideOfLock, self.started.as_ref().map(|started| started.call))
            }
            Ok(Home::Fence) if has_request => fault(Rule::RequestOutsideOfLock, self.fence.map(|fence| fence.call)),
            Ok(_) => None,
        }
    }

    /// May others access the memory of the process in an epoch that it has begun: behind a fence, or behind MPI_Win_post?
    pub fn is_exposed(&self) -> bool {
        self.posted.is_some() || self.fence.is_some_and(|fence| !fence.nosucceed)
    }

    /// The ranks of the group of MPI_Win_start, if its epoch is open and they are known.
    pub fn started(&self) -> Option<&[i32]> {
        self.started.as_ref()?.group.as_deref()
    }

    /// An access to `target` was made.
    pub fn access(&mut self, target: i32, call: P) {
        let home = self.home(target);
        if let (Ok(Home::Fence), Some(fence)) = (home, &mut self.fence) {
            fence.access.get_or_insert(call);
        }
    }

    /// An access epoch is about to be begun: another one that it would overlap (MPI 4.1, 12.5: they are disjoint).
    fn check_access_epoch(&self, is_lock_of: Option<i32>) -> Option<Fault<P>> {
        let locked = match is_lock_of {
            Some(target) => self.locks.get(&target),
            None => self.locks.values().next(),
        };
        if let Some(call) = locked {
            return fault(Rule::WithinLock, Some(*call));
        }
        if let Some(call) = self.lock_all {
            return fault(Rule::WithinLockAll, Some(call));
        }
        match (&self.started, self.accessed_since_fence()) {
            (Some(started), _) => fault(Rule::WithinStart, Some(started.call)),
            (None, Some(call)) => fault(Rule::WithinFences, Some(call)),
            (None, None) => None,
        }
    }

    /// An access behind the last fence, whose epoch is open for certain: only another fence can complete it.
    fn accessed_since_fence(&self) -> Option<P> {
        self.fence.as_ref().and_then(|fence| fence.access)
    }

    /// A call of synchronization is about to be made: the rule that it breaks.
    pub fn check(&self, sync: &Sync) -> Option<Fault<P>> {
        match sync {
            Sync::Fence(assertions) => self.check_fence(*assertions),
            Sync::Start(_) => self.check_access_epoch(None),
            Sync::LockAll => self.check_access_epoch(None).or_else(|| self.check_exposure()),
            Sync::Lock(target) => {
                let is_own = *target == self.own;
                self.check_access_epoch(Some(*target)).or_else(|| self.check_exposure().filter(|_| is_own))
            }
            Sync::Complete if self.started.is_none() => fault(Rule::CompleteWithoutStart, None),
            Sync::Post => match (self.posted, self.lock_all, self.locks.get(&self.own)) {
                (Some(call), ..) => fault(Rule::PostedAlready, Some(call)),
                (None, Some(call), _) => fault(Rule::WithinLockAll, Some(call)),
                (None, None, Some(call)) => fault(Rule::WithinLock, Some(*call)),
                (None, None, None) => None,
            },
            Sync::Wait if self.posted.is_none() => fault(Rule::WaitWithoutPost, None),
            Sync::Unlock(target) if !self.locks.contains_key(target) => match self.lock_all {
                Some(call) => fault(Rule::UnlockOfLockAll, Some(call)),
                None => fault(Rule::UnlockWithoutLock, self.locks.values().next().copied()),
            },
            Sync::UnlockAll if self.lock_all.is_none() => {
                fault(Rule::UnlockAllWithoutLockAll, self.locks.values().next().copied())
            }
            Sync::Flush(target) if self.lock_all.is_none() && !self.locks.contains_key(target) => {
                fault(Rule::FlushWithoutLock, self.locks.values().next().copied())
            }
            Sync::FlushAll if self.lock_all.is_none() && self.locks.is_empty() => fault(Rule::FlushWithoutLock, None),
            Sync::Free => self.open(),
            _ => None,
        }
    }

    /// Memory must not be exposed and locked at once (MPI 4.1, 12.5.3).
    fn check_exposure(&self) -> Option<Fault<P>> {
        self.posted.and_then(|call| fault(Rule::WithinPost, Some(call)))
    }

    fn check_fence(&self, assertions: Assertions) -> Option<Fault<P>> {
        if let Some(call) = self.locks.values().next() {
            return fault(Rule::WithinLock, Some(*call));
        }
        if let Some(call) = self.lock_all {
            return fault(Rule::WithinLockAll, Some(call));
        }
        if let Some(started) = &self.started {
            return fault(Rule::WithinStart, Some(started.call));
        }
        if let Some(call) = self.posted {
            return fault(Rule::WithinPost, Some(call));
        }
        let access = self.accessed_since_fence().filter(|_| assertions.noprecede);
        access.and_then(|call| fault(Rule::AccessPrecedes, Some(call)))
    }

    /// The window is about to be freed, or MPI to end: an epoch that is still open.
    pub fn open(&self) -> Option<Fault<P>> {
        let started = self.started.as_ref().map(|started| (Rule::OpenStart, started.call));
        let (rule, call) = started
            .or(self.posted.map(|call| (Rule::OpenPost, call)))
            .or(self.lock_all.map(|call| (Rule::OpenLockAll, call)))
            .or(self.locks.values().next().map(|call| (Rule::OpenLock, *call)))
            .or(self.accessed_since_fence().map(|call| (Rule::OpenFence, call)))?;
        fault(rule, Some(call))
    }

    /// A call of synchronization has succeeded.
    pub fn synchronize(&mut self, sync: Sync, call: P) {
        match sync {
            Sync::Fence(Assertions { nosucceed, .. }) => {
                self.fence = Some(Fence { call, nosucceed, access: None });
            }
            Sync::Start(group) => self.started = Some(Started { call, group }),
            Sync::Complete => self.started = None,
            Sync::Post => self.posted = Some(call),
            Sync::Wait => self.posted = None,
            Sync::Lock(target) => _ = self.locks.insert(target, call),
            Sync::LockAll => self.lock_all = Some(call),
            Sync::Unlock(target) => _ = self.locks.remove(&target),
            Sync::UnlockAll => self.lock_all = None,
            Sync::Flush(_) | Sync::FlushAll => {}
            Sync::Free => *self = Epochs::new(self.own),
        }
    }
}

#[cfg(test)]
mod tests;
