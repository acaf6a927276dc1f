//! When a call of one-sided synchronisation can return.

use super::conditions::{all, any};
use super::{Cond, Why};
use crate::model::Model;
use crate::state::{CommIx, Lock, Origin};
use trace_format::mpi::RmaSync;
use trace_format::ranks::Ranks;

impl Model {
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

    /// The locks that keep `me` from the memory of `target`.
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
