//! Windows, and accesses to them.

use crate::arg_places::{ArgPlaces, NONE, Side};
use crate::model::Model;
use crate::state::{Accessed, CommIx, Exposed, Exposes, Lasts, Member, Origin, OutOfRange, Runs, UnlikeSides, row_int};
use rma::Deed;
use std::rc::Rc;
use std::sync::LazyLock;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::predefined::{OPS, op_id};
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, Coll, Kind};
use trace_reader::args::Args;

/// More pieces of one access are not looked at.
pub(super) const MAX_RUNS: usize = 1 << 12;

/// The number of MPI_NO_OP among the operations.
pub(super) static NO_OP: LazyLock<u32> = LazyLock::new(|| op_id("MPI_NO_OP").unwrap_or(0));

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
            let place = m.position as i32;
            self.expose_memory(origin.rank, Exposes { window: m.ix, place, owner: place, base, size });
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
            unchecked.into_iter().for_each(|(target, access)| self.check_range(m.ix, target, &access));
            self.judge_accesses(m.ix, late);
        }
    }

    /// A local call about a window has returned: it may say where the process has the memory of another one.
    pub(super) fn note_shared(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) {
        let out = |name: &str| outs.int(origin.func.row().param(name)?).filter(|value| *value > 0);
        let (Some(base), Some(size)) = (out("baseptr"), out("size")) else { return };
        let Some(m) = origin.int(s.win).and_then(|id| self.resolve(origin, Kind::Win, id as Id)) else { return };
        let comm = &self.comms.list[m.ix];
        let (place, owner) = (m.position as i32, target(origin, s));
        let owner = owner.filter(|owner| *owner != place && comm.a.get(*owner).is_some());
        let is_shared = comm.window.as_ref().is_some_and(|window| window.is_shared);
        if let Some(owner) = owner.filter(|_| is_shared) {
            let exposes = Exposes { window: m.ix, place, owner, base, size };
            if !self.ranks[origin.rank as usize].exposes.contains(&exposes) {
                self.expose_memory(origin.rank, exposes);
            }
        }
    }

    /// The window that a call names, if what is done with it is known for certain.
    pub(super) fn accessed_window(&mut self, origin: &Origin, s: &ArgPlaces) -> Option<Member> {
        let m = self.resolve(origin, Kind::Win, origin.int(s.win)? as Id)?;
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
        let id = origin.int(s.win).map(|id| id as Id);
        let Some(m) = id.and_then(|id| self.resolve(origin, Kind::Win, id)) else { return false };
        let begun = target(origin, s).zip(self.accessed(origin, s, m.position as i32));
        begun.iter().for_each(|(target, accessed)| self.check_range(m.ix, *target, accessed));
        self.begun_access = begun;
        self.begun_access.is_some()
    }

    /// An access to a window has returned. `is_range_known`: see [`Model::begin_access`].
    pub(super) fn access(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, failed: bool, is_range_known: bool) {
        let id = origin.int(s.win).map(|id| id as Id);
        let Some(m) = id.and_then(|id| self.resolve(origin, Kind::Win, id)) else { return };
        let is_clear = self.is_clear(m, origin);
        let learned = self.ranks[origin.rank as usize].learned;
        let is_guarded = self.locks.holds_exclusive(origin.rank);
        let place = m.position as i32;
        let target = target(origin, s);
        // It returns at once as a rule.
        let begun = self.begun_access.take().filter(|(_, begun)| Rc::ptr_eq(&begun.call, origin));
        let accessed = begun.or_else(|| target.zip(self.accessed(origin, s, place)));
        if target.is_some() {
            self.compare_sides(origin, s);
        }
        if let Some((target, accessed)) = accessed.as_ref().filter(|_| !is_range_known) {
            self.check_range(m.ix, *target, accessed);
        }
        let Some(window) = &mut self.comms.list[m.ix].window else { return };
        window.unclear |= failed;
        if let Some((target, accessed)) = accessed.filter(|_| is_clear && !failed) {
            window.access(target, accessed, (learned, is_guarded));
        }
    }

    /// Are all bytes of an access within the memory of its target? Looked at as soon as that is known.
    fn check_range(&mut self, ix: CommIx, target: i32, access: &Accessed) {
        let comm = &mut self.comms.list[ix];
        let (size, rank, Some(window)) = (comm.size(), comm.a.get(target), &mut comm.window) else { return };
        if !window.are_all_known(size) {
            return window.unchecked.push((target, access.clone()));
        }
        let exposed = window.members.get(&target).and_then(|member| member.exposed);
        let Some((rank, exposed)) = rank.zip(exposed) else { return };
        if exposed.size.is_none() {
            return window.wait_for_memory(target, access.clone());
        }
        let target = rank;
        if let Some(bytes) = access.out_of_range(exposed) {
            self.rules.out_of_range(self, &OutOfRange { call: access.call.clone(), target, bytes, exposed });
        }
    }

    /// The data of an access at its origin and at its target have one type signature (MPI 4.1, 12.3).
    fn compare_sides(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) {
        if s.target.count == NONE {
            return;
        }
        let at_target = self.data(origin, s.target).amount;
        let is_used = |side: &Side| side.buf != NONE && side.count != NONE;
        let reads_nothing = origin.int(s.op) == Some(i64::from(*NO_OP));
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
        let displacement = origin.int(s.target_disp)?;
        let (count, datatype) = target_data(origin, s)?;
        let map = self.typemap(origin.rank, datatype)?;
        let mut runs = map.runs(count).filter_map(|(at, len)| Some((at, at.checked_add_unsigned(len)?)));
        let (first, second) = (runs.next()?, runs.next());
        let found = match second {
            None => Runs::One([first]),
            Some(second) => {
                let more = runs.by_ref().take(MAX_RUNS - 2);
                Runs::Several([first, second].into_iter().chain(more).collect())
            }
        };
        if runs.next().is_some() {
            return None;
        }
        let deed = self.deed(origin, s, datatype);
        let (call, lasts) = (origin.clone(), Lasts::UntilSynchronized);
        Some(Accessed { call, origin: place, displacement, deed, runs: found, lasts })
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
        match origin.int(s.op).and_then(|op| u32::try_from(op).ok()).zip(basic) {
            Some((op, basic)) if op > 0 && (op as usize) <= OPS.len() => Deed::Accumulate { op, basic },
            _ => Deed::AnyAccumulate,
        }
    }
}

/// The target of an access, if there is one.
fn target(origin: &Origin, s: &ArgPlaces) -> Option<i32> {
    origin.int(s.peer).and_then(|target| i32::try_from(target).ok()).filter(|target| *target != PROC_NULL)
}

/// Count and datatype of an access at its target: of MPI_Fetch_and_op and MPI_Compare_and_swap one element.
fn target_data(origin: &Origin, s: &ArgPlaces) -> Option<(u64, Id)> {
    let count = if s.target.count == NONE { 1 } else { origin.int(s.target.count)? };
    Some((u64::try_from(count).ok()?, origin.int(s.target.datatype)? as Id))
}
