//! The fate of the messages of a mailbox when nothing more is sent or received.

mod choice;
mod matching;

use crate::collections::{Queue, Slab};
use crate::state::{Lane, Mailbox, Op, OpId, Pending};
pub(crate) use choice::{Chance, Choice, Wanted};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use trace_format::mpi::special::ANY_SOURCE;

/// The fate of the messages of a mailbox when nothing more is sent or received: the earliest posted receive
/// takes the earliest message that it can take (MPI 4.1 section 3.5).
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// Operations that have a partner.
    pub(crate) served: FxHashSet<OpId>,
    /// Receives that may have one.
    pub(crate) doubtful: FxHashSet<OpId>,
    /// Certainties although a wildcard had a choice.
    choice: Option<Choice>,
    /// Messages that are left, by source and tag.
    pub(crate) left: FxHashMap<(i32, i32), Queue<OpId>>,
    /// Lanes of which nobody can say what is left, since a wildcard had a choice.
    unsure: FxHashSet<(i32, i32)>,
    /// Messages of a lane that went to receives that are still to be looked at: no wildcard took them.
    owed: FxHashMap<(i32, i32), usize>,
    /// Lanes of which a receive from anybody takes a message, unless that of another rank comes before it.
    fickle: FxHashSet<(i32, i32)>,
}

impl Outlook {
    fn new(mailbox: &Mailbox, ops: &Slab<Op>) -> Outlook {
        let mut o = Outlook::default();
        let doubtful = mailbox.tangled || mailbox.lanes.values().any(Lane::is_doubtful);
        let mut posted: Vec<(Pending, bool)> = mailbox.pending.iter().map(|p| (*p, false)).collect();
        for (key, lane) in mailbox.lanes.iter() {
            if !lane.sends.is_empty() {
                o.left.insert(*key, lane.sends.clone());
            }
            o.served.extend(lane.recvs.iter().map(|r| r.1));
            if !lane.recvs.is_empty() {
                o.owed.insert(*key, lane.recvs.len());
            }
            let settled = |r: &(u64, OpId)| (Pending { order: r.0, source: key.0, tag: key.1, op: r.1 }, true);
            posted.extend(lane.recvs.iter().map(settled));
        }
        posted.sort_unstable_by_key(|p| p.0.order);
        for p in &posted {
            o.post(p.0, p.1, |lanes| if doubtful { None } else { earliest(lanes, ops) });
        }
        if !doubtful && !o.unsure.is_empty() {
            o.choice = Choice::new(mailbox, &posted, ops);
        }
        let tangled = mailbox.lanes.iter().filter(|(_, l)| l.unsure).map(|(k, _)| *k);
        o.unsure.extend(tangled);
        o
    }

    /// A receive that is posted now. `is_settled`: it certainly got its message; `first`: of several lanes, with their next
    /// messages, the one whose message comes first, if that is certain.
    fn post(&mut self, p: Pending, is_settled: bool, first: impl Fn(&[((i32, i32), OpId)]) -> Option<(i32, i32)>) {
        if let Some(owed) = self.owed.get_mut(&(p.source, p.tag)).filter(|_| is_settled) {
            *owed -= 1;
        }
        let spare = |k: &(i32, i32), l: &Queue<OpId>| l.len() > self.owed.get(k).copied().unwrap_or(0);
        let takes = self.left.iter().filter(|(k, l)| p.takes(k.0, k.1) && (is_settled || spare(k, l)));
        let lanes: SmallVec<[_; 4]> = takes.filter_map(|(k, l)| Some((*k, *l.front()?))).collect();
        let lane = match lanes[..] {
            [] => return,
            [(only, _)] => Some(only),
            _ if lanes.iter().any(|l| self.unsure.contains(&l.0)) => None,
            _ => first(&lanes),
        };
        match lane {
            None => self.unsure.extend(lanes.iter().map(|l| l.0)),
            Some(lane) if self.unsure.contains(&lane) => {
                self.doubtful.insert(p.op);
                return;
            }
            Some(lane) => {
                self.served.extend(self.left.get_mut(&lane).and_then(Queue::pop_front));
                if p.source == ANY_SOURCE && !is_settled {
                    self.fickle.insert(lane);
                }
            }
        }
        self.served.insert(p.op);
    }

    /// May a message with these properties be left?
    pub(crate) fn has(&self, source: i32, tag: i32) -> bool {
        let wanted = Pending { order: 0, source, tag, op: 0 };
        self.left.iter().any(|(k, l)| wanted.takes(k.0, k.1) && !l.is_empty())
    }

    /// Has the operation a partner, or may it have one?
    pub(crate) fn may_be_served(&self, op: &OpId) -> bool {
        self.served.contains(op) || self.doubtful.contains(op)
    }

    /// Would a message like this be left if another rank still sent one to somebody who receives from anybody?
    pub(crate) fn may_be_left(&self, source: i32, tag: i32) -> bool {
        let wanted = Pending { order: 0, source, tag, op: 0 };
        self.fickle.iter().any(|lane| wanted.takes(lane.0, lane.1))
    }

    /// May a message with these properties be left, or none, depending on what a wildcard took?
    pub(crate) fn may_be_there(&self, source: i32, tag: i32) -> bool {
        let wanted = Pending { order: 0, source, tag, op: 0 };
        let fits = |k: &(i32, i32), l: &Queue<OpId>| wanted.takes(k.0, k.1) && !l.is_empty();
        let mut all = self.left.iter().filter(|(k, l)| fits(k, l)).peekable();
        all.peek().is_some() && all.all(|(k, _)| self.unsure.contains(k))
    }

    /// Where a wildcard had a choice, and messages can be counted against receives.
    pub(crate) fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    pub(crate) fn is_unsure(&self, lane: (i32, i32)) -> bool {
        self.unsure.contains(&lane)
    }
}

/// The first of messages in several lanes, if all are of one thread: these come in their order.
fn earliest(lanes: &[((i32, i32), OpId)], ops: &Slab<Op>) -> Option<(i32, i32)> {
    let at = |op: OpId| ops.get(op).map(|o| (o.rank, o.shown().thread, o.shown().index));
    let mut all = lanes.iter().map(|(lane, op)| Some((at(*op)?, *lane)));
    let mut first = all.next()??;
    for next in all {
        let next = next?;
        if (next.0.0, next.0.1) != (first.0.0, first.0.1) {
            return None;
        }
        first = first.min(next);
    }
    Some(first.1)
}

impl Mailbox {
    pub(crate) fn outlook(&self, ops: &Slab<Op>) -> Outlook {
        Outlook::new(self, ops)
    }
}
