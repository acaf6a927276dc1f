//! One-sided synchronisation that not all processes of a window make together: post-start-complete-wait (MPI 4.1,
//! 12.5.2) and locks (12.5.3). Who waits for whom in it.

use super::Model;
use super::comms::CommIx;
use super::deadlock_replay::Meeting;
use super::facts::Origin;
use super::wait::{Cond, Why, all, any};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Kind, RmaSync};
use trace_format::ranks::Ranks;
use trace_reader::args::Arg;

/// The epochs of one window. Processes are world ranks.
#[derive(Default)]
pub(crate) struct Epochs {
    /// By origin and target.
    pairs: FxHashMap<(i32, i32), Pair>,
    /// Targets of the access epoch that a process began last with MPI_Win_start.
    access: FxHashMap<i32, Ranks>,
    /// Origins of the exposure epoch that a process has open.
    exposure: FxHashMap<i32, Ranks>,
    /// By holder and target; no target: MPI_Win_lock_all.
    locks: FxHashMap<(i32, Option<i32>), Lock>,
    /// A call failed, or named what mpivet does not know: nothing is concluded.
    unclear: bool,
}

/// The k-th post of a target to an origin belongs to the k-th start of the origin to the target.
#[derive(Default, Clone, Copy)]
struct Pair {
    starts: u64,
    posts: u64,
    completes: u64,
}

struct Lock {
    exclusive: bool,
    /// MPI_MODE_NOCHECK: no lock is asked for.
    unchecked: bool,
    /// The call that asked for it has returned. Libraries may ask for the lock of another process later than that.
    returned: bool,
}

impl Model {
    /// A call of one-sided synchronisation starts: the window.
    pub(super) fn enter_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync) -> Option<CommIx> {
        let params = &origin.func.row().params;
        let int = |kind: Kind, nth: usize| {
            let mut places = params.iter().enumerate().filter(|(_, p)| p.kind == kind);
            places.nth(nth).and_then(|(i, _)| if let Arg::Int(v) = origin.ins.get(i) { Some(v) } else { None })
        };
        let member = self.resolve(origin, Kind::Win, int(Kind::Win, 0)? as Id)?;
        let me = origin.rank;
        let group = int(Kind::Group, 0).and_then(|id| self.ranks[me as usize].objects.groups.get(&(id as Id))).cloned();
        let target = int(Kind::Rank, 0).and_then(|t| self.comms.list[member.ix].peers(member.position).get(t as i32));
        let constant = |name: &str| self.constants.get(name).copied();
        let (exclusive, shared) = (constant("MPI_LOCK_EXCLUSIVE"), constant("MPI_LOCK_SHARED"));
        // The lock type comes first.
        let assertion = int(Kind::Const, usize::from(sync == RmaSync::Lock));
        let unchecked = constant("MPI_MODE_NOCHECK").zip(assertion).is_none_or(|(bit, given)| given & bit != 0);
        let threads = self.has_threads(me);
        let known = |r: i32| r >= 0 && (r as usize) < self.ranks.len();
        let group = group.filter(|g| g.len() <= self.ranks.len() && g.iter().all(known));
        let e = &mut self.comms.list[member.ix].epochs;
        // Which of two threads was first in an epoch is not always known.
        e.unclear |= threads;
        match (sync, group, target) {
            (RmaSync::RmaPost, Some(group), _) => {
                group.iter().for_each(|o| e.pairs.entry((o, me)).or_default().posts += 1);
                e.exposure.insert(me, group);
            }
            (RmaSync::RmaStart, Some(group), _) => {
                group.iter().for_each(|t| e.pairs.entry((me, t)).or_default().starts += 1);
                e.access.insert(me, group);
            }
            (RmaSync::RmaComplete, ..) => match e.access.get(&me) {
                Some(group) => {
                    group.iter().for_each(|t| e.pairs.entry((me, t)).or_default().completes += 1);
                }
                None => e.unclear = true,
            },
            (RmaSync::Lock, _, Some(target)) => {
                let kind = int(Kind::Const, 0);
                if kind.is_none() || kind != exclusive && kind != shared {
                    e.unclear = true;
                }
                let lock = Lock { exclusive: kind == exclusive, unchecked, returned: false };
                e.locks.insert((me, Some(target)), lock);
            }
            (RmaSync::LockAll, ..) => {
                e.locks.insert((me, None), Lock { exclusive: false, unchecked, returned: false });
            }
            (RmaSync::RmaPost | RmaSync::RmaStart | RmaSync::Lock, ..) => e.unclear = true,
            _ => {}
        }
        self.tell_epoch(origin, sync, member.ix);
        Some(member.ix)
    }

    /// Tells the replay of [`super::deadlock_replay`] whom the process meets in the call.
    fn tell_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync, win: CommIx) {
        let comm = &self.comms.list[win];
        let (e, me, window) = (&comm.epochs, origin.rank, comm.serial);
        if e.unclear {
            return self.forget_meetings(win);
        }
        let pair = |origin: i32, target: i32| e.pairs.get(&(origin, target)).copied().unwrap_or_default();
        let as_origin = |end: bool| {
            let targets = e.access.get(&me).into_iter().flat_map(Ranks::iter);
            let of = |target| Meeting { window, origin: me, target, epoch: pair(me, target).starts, end };
            targets.map(of).collect::<Vec<_>>()
        };
        let as_target = |end: bool| {
            let origins = e.exposure.get(&me).into_iter().flat_map(Ranks::iter);
            let of = |origin| Meeting { window, origin, target: me, epoch: pair(origin, me).posts, end };
            origins.map(of).collect::<Vec<_>>()
        };
        let (meetings, waits) = match sync {
            RmaSync::RmaPost => (as_target(false), false),
            RmaSync::RmaStart => (as_origin(false), true),
            RmaSync::RmaComplete => (as_origin(true), false),
            RmaSync::RmaWait => (as_target(true), true),
            _ => return,
        };
        self.tell_meetings(origin, win, waits, meetings.into_iter());
    }

    /// The call returns. `over`: MPI_Win_test has found the epoch over.
    pub(super) fn leave_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync, win: CommIx, failed: bool, over: bool) {
        let me = origin.rank;
        if sync == RmaSync::RmaTest && over {
            self.tell_epoch(origin, RmaSync::RmaWait, win);
        }
        self.tell_met(origin, sync, failed);
        let target = self.target_of(origin, win);
        let e = &mut self.comms.list[win].epochs;
        e.unclear |= failed;
        match sync {
            RmaSync::RmaComplete => _ = e.access.remove(&me),
            RmaSync::RmaWait => _ = e.exposure.remove(&me),
            RmaSync::RmaTest if over => _ = e.exposure.remove(&me),
            RmaSync::Unlock => _ = e.locks.remove(&(me, target)),
            RmaSync::UnlockAll => _ = e.locks.remove(&(me, None)),
            RmaSync::Lock if target.is_some() => {
                e.locks.get_mut(&(me, target)).into_iter().for_each(|l| l.returned = true);
            }
            RmaSync::LockAll => e.locks.get_mut(&(me, None)).into_iter().for_each(|l| l.returned = true),
            _ => {}
        }
    }

    /// World rank of the process that a call of `win` names.
    fn target_of(&self, origin: &Origin, win: CommIx) -> Option<i32> {
        let place = origin.func.row().params.iter().position(|p| p.kind == Kind::Rank)?;
        let Arg::Int(target) = origin.ins.get(place) else { return None };
        let comm = &self.comms.list[win];
        comm.peers(comm.position(origin.rank)?).get(target as i32)
    }

    /// When a call of one-sided synchronisation can return, or MPI_Win_test find the epoch over.
    pub(crate) fn in_epoch(&self, origin: &Origin, sync: RmaSync, win: CommIx) -> Cond {
        let comm = &self.comms.list[win];
        let (e, me) = (&comm.epochs, origin.rank);
        if e.unclear || comm.is_foreign() || comm.made_wrongly || comm.members().any(|r| self.is_dim(r)) {
            return Cond::Free;
        }
        let pair = |origin: i32, target: i32| e.pairs.get(&(origin, target)).copied().unwrap_or_default();
        let posted = |group: Option<&Ranks>| {
            let late = group.into_iter().flat_map(|g| g.iter()).filter(|t| pair(me, *t).posts < pair(me, *t).starts);
            // A library may hold back what is to be done until the target is ready.
            all(late.map(|rank| Cond::On { rank, certain: false, why: Why::Post }).collect())
        };
        match sync {
            RmaSync::RmaStart | RmaSync::RmaComplete => posted(e.access.get(&me)),
            RmaSync::RmaWait | RmaSync::RmaTest => {
                let origins = e.exposure.get(&me).into_iter().flat_map(|g| g.iter());
                let late = origins.filter(|o| pair(*o, me).completes < pair(*o, me).posts);
                all(late.map(|rank| Cond::On { rank, certain: true, why: Why::Complete }).collect())
            }
            RmaSync::Lock | RmaSync::Unlock | RmaSync::Flush | RmaSync::FlushLocal => {
                self.target_of(origin, win).map_or(Cond::Free, |t| self.locked_out(win, me, t))
            }
            RmaSync::LockAll | RmaSync::UnlockAll | RmaSync::FlushAll | RmaSync::FlushLocalAll => {
                all(comm.members().map(|t| self.locked_out(win, me, t)).collect())
            }
            RmaSync::RmaPost | RmaSync::Sync => Cond::Free,
        }
    }

    /// What keeps `me` from the memory of `target`: other locks of it.
    fn locked_out(&self, win: CommIx, me: i32, target: i32) -> Cond {
        let e = &self.comms.list[win].epochs;
        let Some(mine) = e.locks.get(&(me, Some(target))).or(e.locks.get(&(me, None))) else { return Cond::Free };
        if mine.unchecked {
            return Cond::Free;
        }
        let holds = |(holder, of): (i32, Option<i32>), lock: &Lock| {
            let concerns = holder != me && of.is_none_or(|t| t == target) && lock.returned && !lock.unchecked;
            // The lock of its own memory is certainly held when the call has returned; that of another process perhaps
            // only when something is done with it: of two that wait for it now, nobody knows who will get it.
            let sure = holder == target || !self.is_synchronizing(holder, win);
            concerns && (mine.exclusive || lock.exclusive) && sure
        };
        let mut holders: Vec<i32> =
            e.locks.iter().filter(|(key, lock)| holds(**key, lock)).map(|(key, _)| key.0).collect();
        holders.sort_unstable();
        holders.dedup();
        if holders.is_empty() {
            return Cond::Free;
        }
        let progresses = me == target || holders.contains(&target);
        let released =
            all(holders.into_iter().map(|rank| Cond::On { rank, certain: false, why: Why::Unlock }).collect());
        if progresses {
            return released;
        }
        // As long as the target does not call MPI, its library may not have been asked yet.
        any(vec![Cond::On { rank: target, certain: true, why: Why::Progress }, released])
    }

    /// Is the rank in a call of one-sided synchronisation on the window?
    fn is_synchronizing(&self, rank: i32, win: CommIx) -> bool {
        self.ranks[rank as usize].open_calls().any(|open| open.entered.window == Some(win))
    }
}
