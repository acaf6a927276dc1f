//! Accesses that nothing orders are over: which of them meet.

use super::accesses::NO_OP;
use crate::model::Model;
use crate::state::{AccessConflict, Accessed, Between, CommIx, Exposed, Over, Turn, each_pair};
use rma::{Access, Deed, InOrder, Unordered, go_together};
use rustc_hash::FxHashSet;

impl Model {
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
            let open = w.open.take_all();
            self.judge_accesses(window, open);
            self.judge_passive(window, None);
        }
    }

    /// Accesses that nothing orders are over, each list to one target.
    pub(super) fn judge_accesses(&mut self, ix: CommIx, over: Over) {
        if over.is_empty() {
            return;
        }
        let is_whole = !self.are_calls_missing(ix);
        let comm = &mut self.comms.list[ix];
        let (size, Some(window)) = (comm.size(), &mut comm.window) else { return };
        if window.unclear || !is_whole {
            return;
        }
        if !window.are_all_known(size) {
            return window.late.extend(over);
        }
        let rules = self.rules_of_accumulates(ix);
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
            let is_shared = comm.window.as_ref().is_some_and(|window| window.is_shared);
            let may_conflict = !go_together(accesses.iter().map(|access| access.deed), rules.0);
            if let Some((rank, exposed)) = rank.zip(exposed).filter(|_| may_conflict) {
                self.judge_target(ix, rules, (rank, exposed, is_shared), together.between(), &accesses);
            }
            accesses.into_iter().for_each(|access| self.recycle(access.call));
        }
    }

    /// Are calls of a process of a window missing?
    pub(super) fn are_calls_missing(&self, window: CommIx) -> bool {
        let is_missing = |rank: i32| self.ranks.get(rank as usize).is_none_or(|r| r.holed || r.lost);
        let comm = &self.comms.list[window];
        (self.has_gaps || comm.is_foreign()) && comm.a.iter().any(is_missing)
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
        ix: CommIx,
        (no_op, in_order): (u32, InOrder),
        (target, exposed, is_shared): (i32, Exposed, bool),
        between: Between,
        accesses: &[Accessed],
    ) {
        let mut all: Unordered<u32> = Unordered::default();
        let of_others = |access: &Accessed| !access.is_own() && access.out_of_range(exposed).is_none();
        for (number, access) in accesses.iter().enumerate().filter(|(_, access)| of_others(access)) {
            for (start, end) in access.bytes(exposed) {
                all.add(Access { start, end, origin: access.origin, deed: access.deed, call: number as u32 });
            }
        }
        let mut found = Vec::new();
        all.conflicts(no_op, in_order, |a, b, byte| found.push((a.call as usize, b.call as usize, byte)));
        let is_certain = is_shared.then(|| !self.have_threads(accesses));
        if accesses.iter().any(Accessed::is_own) && !accesses.iter().all(Accessed::is_own) && is_certain != Some(false)
        {
            let begun = &self.begun(ix);
            let is_unordered = |a: usize, b: usize| {
                let (own, other) = match accesses[a].is_own() {
                    true => (&accesses[a], &accesses[b]),
                    false => (&accesses[b], &accesses[a]),
                };
                let (first, then) = ((own.call.rank, own.over_behind()), (other.call.rank, other.call.index));
                let are_of_two = own.is_own() && !other.is_own() && own.origin != other.origin;
                let is_read = own.is_operation() && own.deed == Deed::Read;
                let is_told = || is_read && self.order.may_be_told((own.call.rank, own.call.index), then, begun);
                if is_certain.is_some() {
                    // Loads and stores may order the two, but for one that the other began behind and that the epoch alone ends.
                    let end = (own.call.rank, own.call.index + 1);
                    return are_of_two && own.data().is_none() && self.order.must_be_before(then, end);
                }
                are_of_two && !self.order.may_be_before(first, then, begun) && !is_told()
            };
            found.extend(each_pair(accesses.iter(), exposed, no_op, is_unordered));
        }
        self.tell_conflicts((target, between), accesses, &found);
    }

    /// Has a process several threads that makes one of these accesses?
    fn have_threads(&self, accesses: &[Accessed]) -> bool {
        let mut ranks = accesses.iter().map(|access| access.call.rank as usize);
        ranks.any(|rank| self.ranks.get(rank).is_some_and(|rank| rank.threads.len() > 1))
    }

    /// Two accesses that meet in several places are in conflict once.
    pub(super) fn tell_conflicts(
        &mut self,
        (target, between): (i32, Between),
        accesses: &[Accessed],
        found: &[(usize, usize, i64)],
    ) {
        let stored = stores(accesses, found);
        let is_told = |a: usize, b: usize, byte: i64| {
            let other = own_and_other(accesses, a, b).filter(|(own, _)| accesses[*own].deed == Deed::Read);
            other.is_some_and(|(_, other)| stored.contains(&(other, byte)))
        };
        let mut seen = FxHashSet::default();
        for (a, b, byte) in found.iter().copied().filter(|(a, b, _)| seen.insert((*a.min(b), *a.max(b)))) {
            if is_told(a, b, byte) {
                continue;
            }
            let [first, second] = [a.min(b), a.max(b)].map(|n| &accesses[n]);
            let has_operation = first.is_operation() || second.is_operation();
            let instruction = match (first.is_instruction(), second.is_instruction()) {
                (true, _) => Some(Turn::First),
                (_, true) => Some(Turn::Second),
                _ => None,
            };
            let [first, second] = [first, second].map(|access| (access.call.clone(), access.deed));
            let conflict = AccessConflict { between, target, first, second, instruction, has_operation, byte };
            self.rules.access_conflict(self, &conflict);
        }
    }
}

/// A load or store of the program among two accesses, and the other one.
fn own_and_other(accesses: &[Accessed], a: usize, b: usize) -> Option<(usize, usize)> {
    match (accesses[a].is_instruction(), accesses[b].is_instruction()) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}

/// Accesses that meet a store of the program, with the first byte. A statement that changes a value loads it, too: that is no
/// mistake of its own.
fn stores(accesses: &[Accessed], found: &[(usize, usize, i64)]) -> FxHashSet<(usize, i64)> {
    let store = |(a, b, byte): &(usize, usize, i64)| {
        let (own, other) = own_and_other(accesses, *a, *b)?;
        (accesses[own].deed == Deed::Write).then_some((other, *byte))
    };
    found.iter().filter_map(store).collect()
}
