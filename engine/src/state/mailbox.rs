//! Messages under way to one process of a communicator, by lanes.

use super::call::Origin;
use super::message::Pair;
use super::op::OpId;
use crate::collections::{Indexed, Queue};
use std::collections::{BTreeMap, VecDeque};
use thin_vec::ThinVec;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};

/// A receive whose message is not known yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub(crate) order: u64,
    pub(crate) source: i32,
    pub(crate) tag: i32,
    pub(crate) op: OpId,
}

impl Pending {
    pub(crate) fn takes(&self, source: i32, tag: i32) -> bool {
        (self.source == ANY_SOURCE || self.source == source) && (self.tag == ANY_TAG || self.tag == tag)
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.source != ANY_SOURCE && self.tag != ANY_TAG
    }
}

/// Messages of one source and tag.
#[derive(Default)]
pub(crate) struct Lane {
    pub(crate) sends: Queue<OpId>,
    /// Receives that certainly got a message of this lane, in posting order.
    pub(crate) recvs: Queue<(u64, OpId)>,
    pub(crate) last: Last,
    pub(crate) last_received: Option<u16>,
    /// Several threads send, or several receive: the order of their calls need not be that of the messages.
    pub(crate) mixed: bool,
    /// Which message met which receive is uncertain.
    pub(crate) unsure: bool,
    /// Pairs of threads whose calls overlapped.
    pub(crate) cluster: ThinVec<Pair>,
}

/// Thread and time of the last call of a kind.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Last {
    seen: bool,
    thread: u16,
    time: u64,
}

impl Last {
    /// Notes a call. Is it of another thread than the last one, and did it come later than one that it preceded?
    pub(crate) fn note(&mut self, origin: &Origin) -> (bool, bool) {
        let last = std::mem::replace(self, Last { seen: true, thread: origin.thread, time: origin.time });
        let other = last.seen && last.thread != origin.thread;
        (other, other && origin.time < last.time)
    }
}

impl Lane {
    pub(crate) fn is_tangled(&self) -> bool {
        self.unsure
    }

    /// Need the order of the calls not be that of the messages?
    pub(crate) fn is_doubtful(&self) -> bool {
        self.unsure || self.mixed
    }
}

/// Messages under way to one process of a communicator.
#[derive(Default)]
pub(crate) struct Mailbox {
    pub(crate) next_order: u64,
    pub(crate) last_posted: Last,
    /// Receives were posted in another order than their events came in.
    pub(crate) tangled: bool,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) lanes: Indexed<(i32, i32), Lane>,
}

impl Mailbox {
    /// Pairs what is left at the end: first what has one lane to choose from, in posting order, wildcards last, so that
    /// what stays alone truly has no partner. Receive, send, and whether the pair is the only possible one.
    pub(crate) fn leftovers(&self) -> Vec<(OpId, OpId, bool)> {
        let mut pairs = Vec::new();
        let mut left: BTreeMap<(i32, i32), Queue<OpId>> =
            self.lanes.iter().filter(|(_, l)| !l.sends.is_empty()).map(|(k, l)| (*k, l.sends.clone())).collect();
        if left.is_empty() {
            return pairs;
        }
        // Settled receives and exact ones have one lane each.
        let mut exact: Vec<(u64, (i32, i32), OpId)> = Vec::new();
        for (key, lane) in self.lanes.iter() {
            exact.extend(lane.recvs.iter().map(|(order, op)| (*order, *key, *op)));
        }
        exact.extend(self.pending.iter().filter(|p| p.is_exact()).map(|p| (p.order, (p.source, p.tag), p.op)));
        exact.sort_unstable();
        let mut wild: Vec<&Pending> = self.pending.iter().filter(|p| !p.is_exact()).collect();
        for (_, key, op) in exact {
            if let Some(send) = left.get_mut(&key).and_then(Queue::pop_front) {
                let sure = self.lanes.get(key).is_some_and(|lane| !lane.unsure && !lane.mixed);
                let sole = sure && !wild.iter().any(|p| p.takes(key.0, key.1));
                pairs.push((op, send, sole));
            }
        }
        wild.sort_by_key(|p| (u8::from(p.source == ANY_SOURCE) + u8::from(p.tag == ANY_TAG), p.order));
        for p in wild {
            let lane = left.iter_mut().find(|(k, l)| p.takes(k.0, k.1) && !l.is_empty());
            if let Some(send) = lane.and_then(|(_, l)| l.pop_front()) {
                pairs.push((p.op, send, false));
            }
        }
        pairs
    }

    /// Tags of messages of a source that were not received.
    pub(crate) fn candidates(&self, source: i32) -> impl Iterator<Item = i32> + '_ {
        self.lanes.iter().filter(move |(k, l)| k.0 == source && !l.sends.is_empty()).map(|(k, _)| k.1)
    }

    /// Operations without a partner.
    pub(crate) fn alone(&self) -> impl Iterator<Item = OpId> + '_ {
        let lanes = self.lanes.values().flat_map(|l| l.sends.iter().copied().chain(l.recvs.iter().map(|r| r.1)));
        self.pending.iter().map(|p| p.op).chain(lanes)
    }
}
