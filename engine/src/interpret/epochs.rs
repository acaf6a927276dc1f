//! Calls of one-sided synchronisation.

use crate::deadlock_replay::Meeting;
use crate::model::Model;
use crate::state::{CommIx, Lock, Origin};
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Kind, RmaSync};
use trace_format::ranks::Ranks;
use trace_reader::args::Arg;

impl Model {
    /// A call of one-sided synchronisation starts: the window.
    pub(crate) fn enter_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync) -> Option<CommIx> {
        let params = &origin.func.row().params;
        let int = |kind: Kind, nth: usize| {
            let mut places = params.iter().enumerate().filter(|(_, p)| p.kind == kind);
            places.nth(nth).and_then(|(i, _)| if let Arg::Int(v) = origin.arg(i) { Some(v) } else { None })
        };
        let member = self.resolve(origin, Kind::Win, int(Kind::Win, 0)? as Id)?;
        let me = origin.rank;
        if is_flush(sync) {
            self.comms.list[member.ix].epochs.unclear |= self.has_threads(me);
            self.notify_epoch(origin, sync, member.ix);
            return Some(member.ix);
        }
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
        self.notify_epoch(origin, sync, member.ix);
        Some(member.ix)
    }

    /// Tells the deadlock replay whom the process meets in the call.
    fn notify_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync, win: CommIx) {
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
        self.notify_meetings(origin, win, waits, meetings.into_iter());
    }

    /// The call returns. `over`: MPI_Win_test has found the epoch over.
    pub(crate) fn leave_epoch(&mut self, origin: &Rc<Origin>, sync: RmaSync, win: CommIx, failed: bool, over: bool) {
        let me = origin.rank;
        if sync == RmaSync::RmaTest && over {
            self.notify_epoch(origin, RmaSync::RmaWait, win);
        }
        self.notify_met(origin, sync, failed);
        if is_flush(sync) {
            return self.comms.list[win].epochs.unclear |= failed;
        }
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
}

/// Does a call neither begin nor end an epoch?
fn is_flush(sync: RmaSync) -> bool {
    use RmaSync::{Flush, FlushAll, FlushLocal, FlushLocalAll};
    matches!(sync, Flush | FlushAll | FlushLocal | FlushLocalAll)
}
