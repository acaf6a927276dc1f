//! Permissions that the library must have granted so that the replay can continue.

use super::graph::Graph;
use super::{Act, DeadlockReplay, Id, Op, OpenCall};
use crate::program::Mode;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

impl DeadlockReplay {
    pub(super) fn grant(&mut self, ids: &[Id]) {
        for id in ids {
            if let Some(op) = self.op_mut(*id) {
                op.granted = true;
            }
            self.complete(*id);
            self.retire(*id);
        }
        self.go_on();
    }

    /// Where a thread would return with other operations than in the run, get another message from a probe, or poll
    /// in vain, nobody knows what it does then. But the library may also do what it did in the run: for that thread,
    /// or for the threads that it waits for. `dead`: threads that wait for none of that.
    pub(super) fn go_on_as_in_the_run(&mut self, dead: &FxHashSet<u32>) -> bool {
        let mut threads: Vec<u32> = (0..self.threads.len() as u32).filter(|l| !dead.contains(l)).collect();
        // Operations that the library could complete at once may complete by themselves when the other threads have
        // continued: these threads come last.
        let waits = |l: u32| self.front(l).is_some_and(|c| c.any.is_none()) && self.missing(l, false).is_some();
        threads.sort_unstable_by_key(|l| (waits(*l), self.threads[*l as usize].order));
        // Messages that nobody received come last: a thread may have to wait for them for ever.
        [true, false].into_iter().any(|received| {
            let missing = self.to_be_helped(&threads, received);
            missing.map(|ids| self.grant(&ids)).is_some()
        })
    }

    /// Operations that the library may complete and that one of these threads waits for, directly or through other
    /// threads.
    fn to_be_helped(&self, threads: &[u32], received: bool) -> Option<Vec<Id>> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for start in threads {
            let mut work = VecDeque::from([*start]);
            while let Some(thread) = work.pop_front() {
                let Some(call) = self.front(thread).filter(|call| call.returned && seen.insert(thread)) else {
                    continue;
                };
                if let Some(missing) = self.missing(thread, received) {
                    return Some(missing);
                }
                work.extend(call.probe.and_then(|probe| self.sender(&probe)));
                work.extend(self.open_in_the_run(call).into_iter().flat_map(|id| self.others(id)));
            }
        }
        None
    }

    /// The incomplete operations that the call must wait for to return as in the run.
    fn open_in_the_run(&self, call: &OpenCall) -> Vec<Id> {
        call.wanted().iter().copied().filter(|id| self.op(*id).is_some_and(|o| !o.complete)).collect()
    }

    /// The incomplete operations of the call that a thread is in, if the library can complete all of them.
    fn missing(&self, thread: u32, received: bool) -> Option<Vec<Id>> {
        let call = self.front(thread)?;
        let missing = self.open_in_the_run(call);
        // If other operations are complete, it waits for nothing.
        let received = received && call.any.is_none();
        (!missing.is_empty() && missing.iter().all(|id| self.may_be_helped(*id, received))).then_some(missing)
    }

    /// Could the library complete it although it need not? `received`: only messages that somebody received.
    fn may_be_helped(&self, id: Id, received: bool) -> bool {
        let Some(op) = self.op(id) else { return false };
        match &op.act {
            _ if !op.posted => false,
            Act::Send { mode: Mode::Standard, .. } => !received || op.partner.is_some(),
            Act::Part { .. } => self.may_be_early(id),
            _ => false,
        }
    }

    /// The threads that have not yet done what the operation waits for.
    fn others(&self, id: Id) -> Vec<u32> {
        let Some(op) = self.op(id) else { return Vec::new() };
        let parts = match op.act {
            Act::Part { collective, position } => {
                let known = self.collectives.get(collective as usize).and_then(Option::as_ref);
                known.map(|c| c.missing(position))
            }
            _ => None,
        };
        let others = parts.into_iter().flatten().flatten().chain(op.partner);
        others.filter_map(|id| self.op(id)).filter(|op| !op.posted).map(|op| op.thread).collect()
    }

    /// The cheapest operations that, if complete, let these threads continue; and whether there is certainly nothing
    /// cheaper.
    pub(super) fn least(&self, graph: &Graph, part: &[u32]) -> (Vec<Id>, bool) {
        let mut early = Vec::new();
        let mut buffers = Vec::new();
        for thread in part {
            let Some(waits) = &graph.waits[*thread as usize] else { continue };
            if !self.front(*thread).is_some_and(|c| c.returned) {
                continue;
            }
            for (id, _) in &waits.ops {
                match self.op(*id).map(|op| &op.act) {
                    Some(Act::Part { .. }) if self.may_be_early(*id) => early.push(*id),
                    Some(Act::Send { mode: Mode::Standard, bytes, .. }) => buffers.push((*bytes, *id)),
                    _ => {}
                }
            }
        }
        // The cheapest come first; among equals, the first in the order of threads and calls.
        buffers.sort_by_key(|b| b.0);
        let mut seen = FxHashSet::default();
        buffers.retain(|b| seen.insert(b.1));
        let dead_with = |ids: &[Id]| graph.dead(&ids.iter().copied().collect());
        let frees = |dead: &FxHashSet<u32>| !part.iter().all(|l| dead.contains(l));
        let frees_all = |ids: &[Id]| {
            let dead = dead_with(ids);
            frees(&dead) && !graph.causes(&dead).iter().any(|c| c.iter().any(|l| part.contains(l)))
        };
        let (ids, least) = cheapest(&early, &buffers, frees_all);
        if !ids.is_empty() {
            return (ids, least);
        }
        // Some call on the way may make more possible, such as leaving a broadcast once the root has come; that is
        // seen then.
        (cheapest(&early, &buffers, |ids| frees(&dead_with(ids))).0, false)
    }

    /// Have all positions arrived whose data the part needs?
    fn may_be_early(&self, id: Id) -> bool {
        let Some(Op { act: Act::Part { collective, position }, .. }) = self.op(id) else { return false };
        let Some(Some(c)) = self.collectives.get(*collective as usize) else { return false };
        let own = c.others.iter().find(|(of, _)| of == position).map(|(_, needed)| needed.clone());
        let needed = own.unwrap_or_else(|| c.needs.of(*position, c.parts.len() as u32));
        needed.iter().all(|p| c.posted.get(*p as usize) == Some(&true))
    }
}

/// The cheapest of these collective operations and sends (with their bytes, ascending) that help; none if all of them
/// together do not. Also whether there is certainly nothing cheaper.
fn cheapest(early: &[Id], buffers: &[(u64, Id)], helps: impl Fn(&[Id]) -> bool) -> (Vec<Id>, bool) {
    // A collective operation that returns early costs nothing.
    for id in early {
        if helps(&[*id]) {
            return (vec![*id], true);
        }
    }
    if helps(early) {
        return (early.to_vec(), true);
    }
    const MANY: usize = 12;
    if buffers.len() <= MANY {
        let cost = |set: u32| -> (u64, u32) {
            let chosen = (0..buffers.len()).filter(|i| set & (1 << i) != 0);
            (chosen.map(|i| buffers[i].0).sum(), set.count_ones())
        };
        let mut sets: Vec<u32> = (1..1u32 << buffers.len()).collect();
        sets.sort_by_key(|s| (cost(*s), *s));
        for set in sets {
            let chosen: Vec<Id> = (0..buffers.len()).filter(|i| set & (1 << i) != 0).map(|i| buffers[i].1).collect();
            if helps(&chosen) {
                return (chosen, true);
            }
        }
    }
    // The most expensive ones that are not needed are left out one by one.
    let mut chosen: Vec<Id> = early.iter().copied().chain(buffers.iter().map(|b| b.1)).collect();
    if !helps(&chosen) {
        return (Vec::new(), true);
    }
    for i in (0..chosen.len()).rev() {
        let without: Vec<Id> = chosen.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, id)| *id).collect();
        if helps(&without) {
            chosen = without;
        }
    }
    let least = chosen.len() == 1;
    (chosen, least)
}
