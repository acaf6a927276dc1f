//! Accesses to windows, and the synchronization that ends them.

use crate::arg_places::{ArgPlaces, NONE, Side};
use crate::model::Model;
use crate::state::{
    AccessConflict, Accessed, Begun, Between, CommIx, Exposed, Exposes, Member, News, Origin, OutOfRange, Over,
    Together, UnlikeSides, Window, each_pair, int, row_int,
};
use rma::{Access, Assertions, Deed, InOrder, Sync, Unordered};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::LazyLock;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::predefined::OPS;
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, Coll, Kind, RmaSync};
use trace_reader::args::Args;

/// More pieces of one access are not looked at.
pub(super) const MAX_RUNS: usize = 1 << 12;

/// The number of MPI_NO_OP among the operations.
pub(super) static NO_OP: LazyLock<u32> =
    LazyLock::new(|| OPS.iter().position(|op| *op == "MPI_NO_OP").map_or(0, |i| i as u32 + 1));

impl Model {
    /// The process has made a window, and exposes memory by it.
    pub(super) fn note_window(&mut self, origin: &Rc<Origin>, coll: Coll, m: Member, outs: &Args) {
        let exposed = match coll {
            Coll::WinCreateDynamic => Some(Exposed { size: None, unit: 1 }),
            _ => {
                let (size, unit) = (row_int(origin, "size"), row_int(origin, "disp_unit"));
                size.zip(unit).map(|(size, unit)| Exposed { size: Some(size), unit })
            }
        };
        if !self.windows.contains(&m.ix) {
            self.windows.push(m.ix);
        }
        let base = row_int(origin, "base").or_else(|| outs.int(origin.func.row().param("baseptr")?));
        if let (Some(base), Some(size)) = (base.filter(|base| *base > 0), exposed.and_then(|exposed| exposed.size)) {
            self.expose_memory(origin.rank, Exposes { window: m.ix, place: m.position as i32, base, size });
        }
        let hints = self.hints(origin);
        let (members, learned) = (self.comms.list[m.ix].size(), self.ranks[origin.rank as usize].learned);
        let window = self.comms.list[m.ix].window.get_or_insert_default();
        window.is_shared |= coll == Coll::WinAllocateShared;
        let Some(exposed) = exposed else { return window.unclear = true };
        let member = window.member(m.position as i32);
        (member.learned, member.begun, member.hints) = (learned, origin.index, hints);
        if hints.no_locks {
            window.promises.promise_no_locks(m.position as i32, origin);
        }
        if window.expose(m.position as i32, exposed, members) {
            let (unchecked, late) = (std::mem::take(&mut window.unchecked), std::mem::take(&mut window.late));
            unchecked.into_iter().for_each(|(target, access)| self.check_range(m.ix, target, access));
            self.judge_accesses(m.ix, late);
        }
    }

    /// The window that a call names, if what is done with it is known for certain.
    fn accessed_window(&mut self, origin: &Origin, s: &ArgPlaces) -> Option<Member> {
        let m = self.resolve(origin, Kind::Win, int(&origin.ins, s.win)? as Id)?;
        self.is_clear(m, origin).then_some(m)
    }

    /// Is known for certain what is done with a window, also by this call? Not if two threads of a process are at it at once.
    fn is_clear(&mut self, m: Member, origin: &Origin) -> bool {
        let is_dim = self.is_dim(origin.rank);
        let comm = &mut self.comms.list[m.ix];
        let is_doubtful = is_dim || comm.is_foreign() || comm.made_wrongly || comm.spoiled;
        let Some(window) = &mut comm.window else { return false };
        window.unclear |= window.member(m.position as i32).last_use.is_overlapped(origin) || is_doubtful;
        !window.unclear
    }

    /// An access to a window begins. Are its bytes looked at?
    pub(super) fn begin_access(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> bool {
        let id = int(&origin.ins, s.win).map(|id| id as Id);
        let Some(m) = id.and_then(|id| self.resolve(origin, Kind::Win, id)) else { return false };
        let accessed = target(origin, s).zip(self.accessed(origin, s, m.position as i32));
        let is_known = accessed.is_some();
        accessed.into_iter().for_each(|(target, accessed)| self.check_range(m.ix, target, accessed));
        is_known
    }

    /// An access to a window has returned. `is_range_known`: see [`Model::begin_access`].
    pub(super) fn access(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, failed: bool, is_range_known: bool) {
        let id = int(&origin.ins, s.win).map(|id| id as Id);
        let Some(m) = id.and_then(|id| self.resolve(origin, Kind::Win, id)) else { return };
        let is_clear = self.is_clear(m, origin);
        let learned = self.ranks[origin.rank as usize].learned;
        let is_guarded = self.locks.holds_exclusive(origin.rank);
        let place = m.position as i32;
        let target = target(origin, s);
        let accessed = target.zip(self.accessed(origin, s, place));
        if target.is_some() {
            self.compare_sides(origin, s);
        }
        if let Some((target, accessed)) = accessed.as_ref().filter(|_| !is_range_known) {
            self.check_range(m.ix, *target, accessed.clone());
        }
        let Some(window) = &mut self.comms.list[m.ix].window else { return };
        window.unclear |= failed;
        let Some((target, accessed)) = accessed.filter(|_| is_clear && !failed) else { return };
        let together = window.together(place, target);
        window.member(place).epochs.access(target, ());
        window.access_passively(target, &accessed, (learned, is_guarded));
        if let Some(together) = together {
            window.open.entry(together).or_default().push(accessed);
        }
    }

    /// Are all bytes of an access within the memory of its target? Looked at as soon as that is known.
    fn check_range(&mut self, ix: CommIx, target: i32, access: Accessed) {
        let comm = &mut self.comms.list[ix];
        let (size, rank, Some(window)) = (comm.size(), comm.a.get(target), &mut comm.window) else { return };
        if !window.are_all_known(size) {
            return window.unchecked.push((target, access));
        }
        let exposed = window.members.get(&target).and_then(|member| member.exposed);
        let Some((rank, exposed)) = rank.zip(exposed) else { return };
        if exposed.size.is_none() {
            return window.wait_for_memory(target, access);
        }
        let target = rank;
        if let Some(bytes) = access.out_of_range(exposed) {
            self.rules.out_of_range(self, &OutOfRange { call: access.call, target, bytes, exposed });
        }
    }

    /// The data of an access at its origin and at its target have one type signature (MPI 4.1, 12.3).
    fn compare_sides(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) {
        if s.target.count == NONE {
            return;
        }
        let at_target = self.data(origin, s.target).amount;
        let is_used = |side: &Side| side.buf != NONE && side.count != NONE;
        let reads_nothing = int(&origin.ins, s.op) == Some(i64::from(*NO_OP));
        let sides = [Some(s.send).filter(|_| !reads_nothing), Some(s.recv)];
        for side in sides.into_iter().flatten().filter(is_used) {
            let at_origin = self.data(origin, side).amount;
            let is_known = at_origin.bytes.is_some() && at_target.bytes.is_some();
            if (at_origin.sig, at_origin.reps) == (at_target.sig, at_target.reps) || !is_known {
                continue;
            }
            let difference = self.signatures.difference(at_origin, at_target);
            let all = &self.signatures;
            if difference.is_some() || all.is_shorter(at_origin, at_target) || all.is_shorter(at_target, at_origin) {
                let call = origin.clone();
                return self.rules.unlike_sides(self, &UnlikeSides { call, at_origin, at_target, difference });
            }
        }
    }

    /// The bytes of its target that an access names; `None` if they are not known, or there are none.
    fn accessed(&self, origin: &Rc<Origin>, s: &ArgPlaces, place: i32) -> Option<Accessed> {
        // The wait for its request completes it at the target, too.
        if s.class == Class::RmaRequest && s.recv.buf != NONE {
            return None;
        }
        let displacement = int(&origin.ins, s.target_disp)?;
        let (count, datatype) = target_data(origin, s)?;
        let map = self.typemap(origin.rank, datatype)?;
        let mut runs = map.runs(count);
        let found: Vec<(i64, i64)> =
            runs.by_ref().take(MAX_RUNS).filter_map(|(at, len)| Some((at, at.checked_add_unsigned(len)?))).collect();
        if found.is_empty() || runs.next().is_some() {
            return None;
        }
        let deed = self.deed(origin, s, datatype);
        Some(Accessed { call: origin.clone(), origin: place, displacement, deed, runs: found.into(), is_own: false })
    }

    fn deed(&self, origin: &Origin, s: &ArgPlaces, datatype: Id) -> Deed {
        if s.op == NONE {
            return match (s.send.buf, s.recv.buf) {
                (NONE, _) => Deed::Read,
                (_, NONE) => Deed::Write,
                _ => Deed::AnyAccumulate,
            };
        }
        let basic =
            self.one(origin.rank, datatype).map(|amount| amount.sig).filter(|sig| (1..FIRST_USER_ID).contains(sig));
        match int(&origin.ins, s.op).and_then(|op| u32::try_from(op).ok()).zip(basic) {
            Some((op, basic)) if op > 0 && (op as usize) <= OPS.len() => Deed::Accumulate { op, basic },
            _ => Deed::AnyAccumulate,
        }
    }

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
        let id = int(&origin.ins, s.group)? as Id;
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

    /// A process has freed a window. When all have, nothing more comes: what is left is judged, and nobody looks at it again.
    pub(super) fn window_freed(&mut self, rank: i32, ix: Option<CommIx>) {
        let Some((ix, comm)) = ix.and_then(|ix| Some((ix, self.comms.list.get_mut(ix)?))) else { return };
        let (size, Some(window)) = (comm.size(), &mut comm.window) else { return };
        window.freed += 1;
        let is_gone = window.freed == size;
        self.withdraw_memory(rank, ix);
        if is_gone {
            self.judge_open_accesses(ix);
            self.windows.retain(|window| *window != ix);
            if self.windows.is_empty() {
                self.order.clear();
            }
        }
    }

    /// The run is over.
    pub(crate) fn judge_all_accesses(&mut self) {
        if !self.blind {
            let windows: Vec<CommIx> =
                self.comms.list.iter().filter(|(_, comm)| comm.window.is_some()).map(|(ix, _)| ix).collect();
            windows.into_iter().for_each(|ix| self.judge_open_accesses(ix));
        }
    }

    /// The run or the window is over: accesses that no synchronization has ended.
    pub(crate) fn judge_open_accesses(&mut self, window: CommIx) {
        let Some(w) = self.comms.list.get_mut(window).and_then(|comm| comm.window.as_mut()) else { return };
        if !w.unclear {
            let open = w.take(|_| true);
            self.judge_accesses(window, open);
            self.judge_passive(window, None);
        }
    }

    /// Accesses that nothing orders are over, each list to one target.
    fn judge_accesses(&mut self, ix: CommIx, over: Over) {
        if over.is_empty() {
            return;
        }
        let comm = &mut self.comms.list[ix];
        let (size, Some(window)) = (comm.size(), &mut comm.window) else { return };
        if window.unclear || comm.a.iter().any(|rank| self.ranks.get(rank as usize).is_none_or(|r| r.holed || r.lost)) {
            return;
        }
        if !window.are_all_known(size) {
            return window.late.extend(over);
        }
        let (begun, rules) = (self.begun(ix), self.rules_of_accumulates(ix));
        for (together, mut accesses) in over {
            let target = together.target();
            // The order in which ranks are read tells nothing.
            accesses.sort_by_key(|access| (access.origin, access.call.thread, access.call.index));
            let window = self.comms.list[ix].window.as_mut();
            let untrue = window.and_then(|window| window.promises.put_against(together, &accesses, *NO_OP));
            untrue.into_iter().for_each(|untrue| self.rules.untrue(self, &untrue));
            let comm = &self.comms.list[ix];
            let rank = comm.a.get(target);
            let exposed = comm.window.as_ref().and_then(|w| w.members.get(&target)).and_then(|m| m.exposed);
            if let Some((rank, exposed)) = rank.zip(exposed) {
                self.judge_target(rules, (rank, exposed), (together.between(), &begun), &accesses);
            }
            accesses.into_iter().for_each(|access| self.recycle(access.call));
        }
    }

    /// The operation that goes with all others in accumulate functions on a window, and what is in order of one origin.
    pub(super) fn rules_of_accumulates(&self, window: CommIx) -> (u32, InOrder) {
        let hints = self.comms.list[window].window.as_ref().map(|window| window.hints()).unwrap_or_default();
        let no_op = if hints.same_op { u32::MAX } else { *NO_OP };
        (no_op, if hints.is_unordered { InOrder::Nothing } else { InOrder::Accumulates })
    }

    /// Accesses to the memory of one process that nothing orders.
    fn judge_target(
        &mut self,
        (no_op, in_order): (u32, InOrder),
        (target, exposed): (i32, Exposed),
        (between, begun): (Between, &Begun),
        accesses: &[Accessed],
    ) {
        let mut all: Unordered<u32> = Unordered::default();
        let of_others = |access: &Accessed| !access.is_own && access.out_of_range(exposed).is_none();
        for (number, access) in accesses.iter().enumerate().filter(|(_, access)| of_others(access)) {
            for (start, end) in access.bytes(exposed) {
                all.add(Access { start, end, origin: access.origin, deed: access.deed, call: number as u32 });
            }
        }
        let mut found = Vec::new();
        all.conflicts(no_op, in_order, |a, b, byte| found.push((a.call as usize, b.call as usize, byte)));
        if accesses.iter().any(|access| access.is_own) && !accesses.iter().all(|access| access.is_own) {
            let is_unordered = |a: usize, b: usize| {
                let (own, other) = match accesses[a].is_own {
                    true => (&accesses[a], &accesses[b]),
                    false => (&accesses[b], &accesses[a]),
                };
                let (first, then) = ((own.call.rank, own.over_behind()), (other.call.rank, other.call.index));
                let are_of_two = own.is_own && !other.is_own && own.origin != other.origin;
                are_of_two && !self.order.may_be_before(first, then, begun)
            };
            found.extend(each_pair(accesses.iter(), exposed, no_op, is_unordered));
        }
        self.tell_conflicts((target, between), accesses, &found);
    }

    /// Two accesses that meet in several places are in conflict once.
    pub(super) fn tell_conflicts(
        &mut self,
        (target, between): (i32, Between),
        accesses: &[Accessed],
        found: &[(usize, usize, i64)],
    ) {
        let mut seen = FxHashSet::default();
        for (a, b, byte) in found.iter().copied().filter(|(a, b, _)| seen.insert((*a.min(b), *a.max(b)))) {
            let [first, second] = [a.min(b), a.max(b)].map(|n| &accesses[n]);
            let [first, second] = [first, second].map(|access| (access.call.clone(), access.deed));
            self.rules.access_conflict(self, &AccessConflict { between, target, first, second, byte });
        }
    }
}

/// The target of an access, if there is one.
fn target(origin: &Origin, s: &ArgPlaces) -> Option<i32> {
    int(&origin.ins, s.peer).and_then(|target| i32::try_from(target).ok()).filter(|target| *target != PROC_NULL)
}

/// Count and datatype of an access at its target: of MPI_Fetch_and_op and MPI_Compare_and_swap one element.
fn target_data(origin: &Origin, s: &ArgPlaces) -> Option<(u64, Id)> {
    let count = if s.target.count == NONE { 1 } else { int(&origin.ins, s.target.count)? };
    Some((u64::try_from(count).ok()?, int(&origin.ins, s.target.datatype)? as Id))
}

impl Window {
    /// A process has made a call of synchronization: the accesses that are over. `group` and `rank`: those that it names.
    fn synchronized(&mut self, place: i32, sync: RmaSync, (group, rank): (Option<Vec<i32>>, Option<i32>)) -> Over {
        let locked = |key: &Together| match key {
            Together::Locked { target, origin } => *origin == place && rank.is_none_or(|rank| rank == *target),
            _ => false,
        };
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
                self.take(locked)
            }
            (RmaSync::UnlockAll, ..) => {
                epochs.synchronize(Sync::UnlockAll, ());
                self.take(locked)
            }
            (RmaSync::Flush | RmaSync::FlushAll, ..) => self.take(locked),
            // An access that has brought a result is over at the target, too.
            (RmaSync::FlushLocal | RmaSync::FlushLocalAll, ..) => {
                for (_, accesses) in self.open.iter_mut().filter(|(key, _)| locked(key)) {
                    accesses.retain(|access| !access.call.brings_result());
                }
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
