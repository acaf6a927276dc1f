//! Messages under way to one process of a communicator, by lanes.

use super::call::Origin;
use super::message::Pair;
use super::op::OpId;
use crate::collections::{At, Indexed, Queue};
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
    /// Is nothing in it, and nothing known of it but who used it last?
    fn is_idle(&self) -> bool {
        self.sends.is_empty() && self.recvs.is_empty() && !self.is_doubtful() && self.cluster.is_empty()
    }

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
    new: NewLanes,
}

/// How many lanes are new.
struct NewLanes {
    /// Lanes that were made since it was looked which are idle, and messages and receives that found theirs.
    made: u16,
    found: u32,
    /// With so many new ones it is looked again.
    most: u16,
    /// How often they had come once.
    once: u32,
}

impl NewLanes {
    const FEWEST: u16 = 16;
    const MOST: u16 = 256;
    /// At least so often it is tried whether more of them come again.
    const OFTEN: u32 = 1 << 10;
}

impl Default for NewLanes {
    fn default() -> NewLanes {
        NewLanes { made: 0, found: 0, most: NewLanes::FEWEST, once: 0 }
    }
}

impl Mailbox {
    /// The place of a lane, which is made if there is none; quick if it is `probably` there.
    #[inline]
    pub(crate) fn lane(&mut self, key: (i32, i32), probably: At) -> At {
        let before = self.lanes.len();
        let at = self.lanes.place(key, probably);
        let is_new = self.lanes.len() > before;
        self.new.made += u16::from(is_new);
        self.new.found = self.new.found.saturating_add(u32::from(!is_new));
        at
    }

    /// Is it time for [`Mailbox::forget_idle`]?
    #[inline]
    pub(crate) fn has_many_new(&self) -> bool {
        self.new.made >= self.new.most
    }

    /// Forgets the lanes in which nothing is under way, if tags mostly come once: lanes that nobody uses again would fill the
    /// near caches. `may_forget` says of a source whether its lanes mean nothing while they are empty.
    #[cold]
    pub(crate) fn forget_idle(&mut self, may_forget: impl Fn(i32) -> bool) {
        let NewLanes { made, found, most, once } = self.new;
        self.new = NewLanes { most, once, ..NewLanes::default() };
        // A message that comes once makes its lane, and its receive finds it.
        if found / 3 >= made.into() {
            return;
        }
        let new = &mut self.new;
        new.once = new.once.wrapping_add(1);
        let is_trial = most == NewLanes::MOST;
        // At first after the 1st, 8th, 64th and 512th time.
        let is_rare = new.once.is_power_of_two() && new.once.trailing_zeros().is_multiple_of(3);
        if !is_trial && (is_rare || new.once.is_multiple_of(NewLanes::OFTEN)) {
            // They may come again behind more than were looked for.
            new.most = NewLanes::MOST;
            return;
        }
        new.most = NewLanes::FEWEST;
        self.lanes.retain(|key, lane| !lane.is_idle() || !may_forget(key.0));
        if is_trial {
            self.lanes.shrink();
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::NOWHERE;

    /// A message and its receive.
    fn pass(mailbox: &mut Mailbox, key: (i32, i32)) {
        let at = mailbox.lane(key, NOWHERE);
        mailbox.lanes.at(at).unwrap().sends.push_back(1);
        if mailbox.has_many_new() {
            mailbox.forget_idle(|_| true);
        }
        let at = mailbox.lane(key, at);
        mailbox.lanes.at(at).unwrap().sends.pop_front();
    }

    #[test]
    fn lanes_of_tags_that_come_once_are_forgotten() {
        let mut mailbox = Mailbox::default();
        let waits = mailbox.lane((0, -1), NOWHERE);
        mailbox.lanes.at(waits).unwrap().sends.push_back(1);
        let doubtful = mailbox.lane((0, -2), NOWHERE);
        mailbox.lanes.at(doubtful).unwrap().mixed = true;
        let mut few = 0;
        for tag in 0..10_000 {
            pass(&mut mailbox, (0, tag));
            few += usize::from(mailbox.lanes.len() <= 2 + usize::from(NewLanes::FEWEST));
            assert!(mailbox.lanes.len() <= 2 + usize::from(NewLanes::FEWEST + NewLanes::MOST));
        }
        assert!(few > 7_000, "{few}");
        assert_eq!(mailbox.lanes.at(waits).unwrap().sends.len(), 1);
        assert!(mailbox.lanes.at(doubtful).unwrap().mixed);
    }

    #[test]
    fn lanes_that_come_again_stay() {
        for lanes in [2, 26, 100, 250] {
            let mut mailbox = Mailbox::default();
            let mut round = |made: bool| {
                for source in 0..lanes {
                    assert!(!made || mailbox.lanes.find((source, 7)).is_some(), "{source} of {lanes}");
                    pass(&mut mailbox, (source, 7));
                }
            };
            round(false);
            (0..20).for_each(|_| round(true));
        }
    }

    #[test]
    fn lanes_of_ranks_with_threads_stay() {
        let mut mailbox = Mailbox::default();
        for tag in 0..100 {
            let at = mailbox.lane((0, tag), NOWHERE);
            assert!(mailbox.lanes.at(at).is_some());
        }
        mailbox.forget_idle(|_| false);
        assert_eq!(mailbox.lanes.len(), 100);
    }
}
