//! Knots: places where the replay cannot continue and the run did. Each says which threads hold each other, and the
//! permissions that the library must have granted.

use super::graph::{Dependence, Graph, Waits};
use super::input::{Act, Id, Place};
use super::waiting::Waiting;
use super::{DeadlockReplay, Op, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Sends and receives that are still to be posted.
type Unposted = FxHashMap<Place, Vec<SameArguments>>;

/// Operations of one thread with the same arguments, in their order: the first stands for all.
struct SameArguments {
    thread: u32,
    ids: VecDeque<Id>,
}

/// Place, thread, whether it is a send, source and tag.
type Arguments = (Place, u32, bool, Option<u32>, Option<i32>);

/// The event that a thread of a knot waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// `thread` posts the receive (or the send) that matches this operation.
    Partner { op: Id, thread: u32 },
    /// Nobody ever posts its partner.
    Nobody { op: Id },
    /// These threads call the collective operation.
    Calls { op: Id, threads: Vec<u32> },
}

/// A permission of the library that the run needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// This many bytes of a standard send were buffered.
    Buffer { op: Id, bytes: u64 },
    /// The collective operation returned before all had called it.
    Early { op: Id },
}

/// A thread that cannot continue, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub thread: u32,
    /// The call that waits.
    pub call: Id,
    /// It returned in the run.
    pub returned: bool,
    pub needs: Vec<Need>,
}

/// Threads that cannot continue without a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knot {
    /// Blocks that hold each other, or the one that waits for something that never comes.
    pub blocks: Vec<Block>,
    /// The smallest permissions that let them continue, and whether there are certainly no smaller ones.
    pub permissions: Vec<Permission>,
    pub least: bool,
}

impl DeadlockReplay {
    /// Finds the knots and grants their permissions, so that each is reported once. `over`: the run has ended, no
    /// more steps will follow.
    pub fn knots(&mut self, over: bool) -> Vec<Knot> {
        let mut knots = Vec::new();
        let mut hopeless: FxHashSet<u32> = FxHashSet::default();
        let mut unposted = self.unposted();
        loop {
            self.leave_vain_probes(over);
            let graph = self.graph(over, &mut unposted);
            let dead = graph.dead(&FxHashSet::default());
            let mut causes = graph.causes(&dead);
            causes.iter_mut().for_each(|part| part.sort_unstable_by_key(|l| self.threads[*l as usize].order));
            causes.sort_by_key(|part| part.first().map(|l| self.threads[*l as usize].order));
            let Some(part) = causes.into_iter().find(|part| !part.iter().any(|l| hopeless.contains(l))) else {
                if over && self.go_on_as_in_the_run(&dead) {
                    continue;
                }
                return knots;
            };
            let returned = |thread: &u32| matches!(self.front(*thread), Some(call) if call.returned);
            let (ids, least) = if part.iter().any(returned) { self.least(&graph, &part) } else { (Vec::new(), true) };
            if ids.is_empty() {
                // It happened in the run too, or its matching is not possible: no permission helps.
                hopeless.extend(part);
                continue;
            }
            let blocks = part.iter().filter_map(|thread| self.block(&graph, *thread)).collect();
            let permissions = ids.iter().filter_map(|id| self.permission(*id)).collect();
            knots.push(Knot { blocks, permissions, least });
            self.grant(&ids);
        }
    }

    fn graph(&self, over: bool, unposted: &mut Unposted) -> Graph {
        let waits = (0..self.threads.len() as u32).map(|thread| {
            let call = self.front(thread)?;
            if !call.patient {
                return None;
            }
            if let Some(probe) = &call.probe {
                let ops = vec![(Id::MAX, self.arrival(thread, probe, over)?)];
                return Some(Waits { any: false, ops });
            }
            let open: Vec<&Id> = call.ops.iter().filter(|id| self.op(**id).is_some_and(|op| !op.complete)).collect();
            if call.any.is_some() && open.len() < call.ops.len() {
                // It would return with another operation than in the run, and nobody knows what follows.
                return None;
            }
            let ops = open.into_iter().map(|id| (*id, self.dependence(*id, over, unposted))).collect();
            Some(Waits { any: call.any.is_some(), ops })
        });
        Graph { waits: waits.collect() }
    }

    /// The threads that an incomplete operation waits for.
    fn dependence(&self, id: Id, over: bool, unposted: &mut Unposted) -> Dependence {
        let Some(op) = self.op(id) else { return Dependence::Unknown };
        if !op.posted {
            return Dependence::Threads(vec![op.thread]);
        }
        match &op.act {
            Act::Part { collective, position } => {
                let Some(Some(c)) = self.collectives.get(*collective as usize) else { return Dependence::Unknown };
                let mut threads = Vec::new();
                for part in c.missing(*position) {
                    match part.and_then(|p| self.op(p)) {
                        Some(part) => threads.push(part.thread),
                        None if over => return Dependence::Never,
                        None => return Dependence::Unknown,
                    }
                }
                Dependence::Threads(threads)
            }
            // Before the run is over nobody knows which messages others may still send.
            Act::Recv { source, tag, .. } if !over && (source.is_none() || tag.is_none()) => Dependence::Unknown,
            Act::Send { .. } | Act::Recv { .. } if self.has_a_choice(id) => Dependence::Unknown,
            Act::Send { .. } | Act::Recv { .. } => {
                let partner = op.partner.and_then(|p| self.op(p));
                if partner.is_some_and(|p| p.posted) || partner.is_none() && !over {
                    return Dependence::Unknown;
                }
                let partner = partner.map(|p| p.thread);
                let mut threads: Vec<u32> = partner.into_iter().chain(self.rivals(op, unposted)).collect();
                threads.sort_unstable();
                threads.dedup();
                match threads.len() {
                    0 => Dependence::Never,
                    1 => Dependence::Threads(threads),
                    _ => Dependence::Any(threads),
                }
            }
        }
    }

    /// Threads that are still to start an operation that could match this one instead.
    fn rivals(&self, op: &Op, unposted: &mut Unposted) -> Vec<u32> {
        let mut threads = Vec::new();
        for alike in op.act.place().and_then(|place| unposted.get_mut(&place)).into_iter().flatten() {
            while alike.ids.front().is_some_and(|id| self.op(*id).is_none_or(|op| op.posted)) {
                alike.ids.pop_front();
            }
            let first = alike.ids.front().and_then(|id| self.op(*id));
            if first.is_some_and(|first| first.could_be_of(op)) {
                threads.push(alike.thread);
            }
        }
        threads
    }

    /// Operations that are still to be posted; empty if no receive is a wildcard.
    fn unposted(&self) -> Unposted {
        let mut unposted = Unposted::default();
        if !self.ops.iter().flatten().any(|op| op.act.is_open()) {
            return unposted;
        }
        let mut known: FxHashMap<Arguments, usize> = FxHashMap::default();
        for step in self.threads.iter().flat_map(|thread| &thread.steps) {
            let Step::Start(id) = step else { continue };
            let Some((op, place)) = self.op(*id).and_then(|op| Some((op, op.act.place()?))) else { continue };
            let (is_send, source, tag) = match op.act {
                Act::Send { from, tag, .. } => (true, Some(from), Some(tag)),
                Act::Recv { source, tag, .. } => (false, source, tag),
                Act::Part { .. } => continue,
            };
            let all = unposted.entry(place).or_default();
            let at = *known.entry((place, op.thread, is_send, source, tag)).or_insert_with(|| {
                all.push(SameArguments { thread: op.thread, ids: VecDeque::new() });
                all.len() - 1
            });
            all[at].ids.push_back(*id);
        }
        unposted
    }

    /// Could it match another operation than in the run that is posted now?
    fn has_a_choice(&self, id: Id) -> bool {
        let Some(op) = self.op(id) else { return false };
        let Some(place) = op.act.place() else { return false };
        let waiting = self.waiting.get(place).filter(|waiting| op.act.is_open() || waiting.has_open());
        let mut others = waiting.into_iter().flat_map(Waiting::all).filter_map(|id| self.op(id));
        others.any(|other| other.could_be_of(op))
    }

    fn block(&self, graph: &Graph, thread: u32) -> Option<Block> {
        let call = self.front(thread)?;
        let waits = graph.waits[thread as usize].as_ref()?;
        let mut needs = Vec::new();
        if let Some(probe) = &call.probe {
            needs.push(Need::Partner { op: call.name, thread: self.sender(probe)? });
        }
        for (id, dependence) in &waits.ops {
            let Some(op) = self.op(*id) else { continue };
            needs.push(match (dependence, &op.act) {
                (Dependence::Threads(threads), Act::Part { .. }) => Need::Calls { op: *id, threads: threads.clone() },
                (Dependence::Threads(threads) | Dependence::Any(threads), _) => {
                    let partner = op.partner.and_then(|p| self.op(p)).map(|partner| partner.thread);
                    Need::Partner { op: *id, thread: partner.or_else(|| threads.first().copied())? }
                }
                (Dependence::Never, _) => Need::Nobody { op: *id },
                (Dependence::Unknown, _) => continue,
            });
        }
        Some(Block { thread, call: call.name, returned: call.returned, needs })
    }

    fn permission(&self, id: Id) -> Option<Permission> {
        let op = self.op(id)?;
        Some(match op.act {
            Act::Send { bytes, .. } => Permission::Buffer { op: id, bytes },
            _ => Permission::Early { op: id },
        })
    }
}
