//! Calls of synchronization on windows, and the accesses that they end.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{CommIx, News, Origin, Over, Window, row_int};
use rma::{Assertions, Sync};
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, RmaSync};

impl Model {
    /// A call of synchronization on a window has returned.
    pub(super) fn synchronize(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, failed: bool, flag: Option<i64>) {
        if failed {
            if let Some(m) = self.accessed_window(origin, s)
                && let Some(window) = &mut self.comms.list[m.ix].window
            {
                window.unclear = true;
            }
            return;
        }
        let Class::RmaSync(sync) = s.class else { return };
        if sync == RmaSync::RmaTest && flag == Some(0) {
            return;
        }
        let Some(m) = self.accessed_window(origin, s) else {
            return self.hear_news(origin.rank, News::Anything);
        };
        let group = self.group_places(origin, s, m.ix);
        self.order_epochs(origin, (m.ix, m.position as i32), sync, group.as_deref());
        let comm = &mut self.comms.list[m.ix];
        let (place, Some(window)) = (m.position as i32, &mut comm.window) else { return };
        let rank = row_int(origin, "rank").and_then(|rank| i32::try_from(rank).ok());
        if let (RmaSync::Lock, Some(target)) = (sync, rank) {
            let is_shared = self.constants.get("MPI_LOCK_SHARED").copied() == row_int(origin, "lock_type");
            let member = window.member(place);
            _ = if is_shared { member.exclusive.remove(&target) } else { member.exclusive.insert(target) };
        } else if sync == RmaSync::LockAll {
            window.member(place).exclusive.clear();
        }
        let (ends, ends_at_origin) = (
            matches!(sync, RmaSync::Unlock | RmaSync::UnlockAll | RmaSync::Flush | RmaSync::FlushAll),
            matches!(sync, RmaSync::FlushLocal | RmaSync::FlushLocalAll),
        );
        if ends || ends_at_origin {
            window.end_passively(place, rank, origin.index, ends_at_origin);
        }
        let over = window.synchronized(place, sync, (group.clone(), rank));
        self.promise(origin, (m.ix, place), sync, (group.as_deref(), rank));
        self.judge_accesses(m.ix, over);
        self.judge_promises(m.ix);
    }

    /// The places in a window's group of the group that a call names.
    fn group_places(&self, origin: &Origin, s: &ArgPlaces, window: CommIx) -> Option<Vec<i32>> {
        let id = origin.int(s.group)? as Id;
        let group = self.ranks[origin.rank as usize].objects.groups.get(&id)?;
        let comm = &self.comms.list[window];
        group.iter().map(|rank| comm.position(rank).map(|p| p as i32)).collect()
    }

    /// A fence has returned.
    pub(super) fn fence(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, failed: bool) {
        let Some(m) = self.accessed_window(origin, s) else { return };
        let [noprecede, nosucceed] =
            ["MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED"].map(|name| self.asserts(origin, name));
        let assertions = Assertions { noprecede, nosucceed };
        let comm = &mut self.comms.list[m.ix];
        let (size, place, Some(window)) = (comm.size(), m.position as i32, &mut comm.window) else { return };
        if failed {
            window.unclear = true;
            return;
        }
        window.member(place).epochs.synchronize(Sync::Fence(assertions), ());
        let over = window.fenced(place, size);
        self.promise_by_fence(origin, (m.ix, place));
        self.judge_accesses(m.ix, over);
    }
}

impl Window {
    /// A process has made a call of synchronization: the accesses that are over. `group` and `rank`: those that it names.
    fn synchronized(&mut self, place: i32, sync: RmaSync, (group, rank): (Option<Vec<i32>>, Option<i32>)) -> Over {
        let (epochs, none) = (&mut self.member(place).epochs, Vec::new());
        match (sync, group, rank) {
            (RmaSync::RmaStart, Some(group), _) => {
                epochs.synchronize(Sync::Start(Some(group.clone())), ());
                self.started(place, &group);
                none
            }
            (RmaSync::RmaPost, Some(group), _) => {
                epochs.synchronize(Sync::Post, ());
                self.posted(place, &group);
                none
            }
            (RmaSync::RmaComplete, ..) => {
                let group = epochs.started().map(<[i32]>::to_vec).unwrap_or_default();
                epochs.synchronize(Sync::Complete, ());
                self.completed(place, &group)
            }
            (RmaSync::RmaWait | RmaSync::RmaTest, ..) => {
                epochs.synchronize(Sync::Wait, ());
                self.waited(place)
            }
            (RmaSync::Lock, _, Some(rank)) => {
                epochs.synchronize(Sync::Lock(rank), ());
                none
            }
            (RmaSync::LockAll, ..) => {
                epochs.synchronize(Sync::LockAll, ());
                none
            }
            (RmaSync::Unlock, _, Some(rank)) => {
                epochs.synchronize(Sync::Unlock(rank), ());
                self.open.take_locked(place, Some(rank))
            }
            (RmaSync::UnlockAll, ..) => {
                epochs.synchronize(Sync::UnlockAll, ());
                self.open.take_locked(place, rank)
            }
            (RmaSync::Flush | RmaSync::FlushAll, ..) => self.open.take_locked(place, rank),
            (RmaSync::FlushLocal | RmaSync::FlushLocalAll, ..) => {
                self.open.flush_locally(place, rank);
                none
            }
            (RmaSync::Sync, ..) => none,
            (RmaSync::RmaStart | RmaSync::RmaPost | RmaSync::Lock | RmaSync::Unlock, ..) => {
                self.unclear = true;
                none
            }
        }
    }
}
