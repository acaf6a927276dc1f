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

/// Says when it is time to look for idle lanes.
struct NewLanes {
    /// Since the last look: lanes that were made, and messages and receives that found theirs.
    made: u32,
    found: u32,
    /// The next look is due with so many new lanes.
    most: u32,
    /// Looks that found that most messages had a new lane.
    once: u32,
    /// More lanes than usual are awaited, since they may come again.
    is_trial: bool,
}

impl NewLanes {
    const FEWEST: u32 = 16;
    /// In a trial.
    const MANY: u32 = 256;
    /// A trial is made at least each so many looks.
    const OFTEN: u32 = 1 << 10;

    /// Is it time for a trial? At first that is so after 1, 8, 64 and 512 looks.
    fn is_time_for_trial(&self) -> bool {
        let is_early = self.once.is_power_of_two() && self.once.trailing_zeros().is_multiple_of(3);
        !self.is_trial && (is_early || self.once.is_multiple_of(NewLanes::OFTEN))
    }
}

impl Default for NewLanes {
    fn default() -> NewLanes {
        NewLanes { made: 0, found: 0, most: NewLanes::FEWEST, once: 0, is_trial: false }
    }
}

impl Mailbox {
    /// The place of a lane, which is made if there is none; quick if it is `probably` there.
    #[inline]
    pub(crate) fn lane(&mut self, key: (i32, i32), probably: At) -> At {
        let before = self.lanes.len();
        let at = self.lanes.place(key, probably);
        let is_new = self.lanes.len() > before;
        // Receives make lanes, too, and nobody looks then: their messages may be of a rank that has no trace.
        self.new.made = self.new.made.saturating_add(u32::from(is_new));
        self.new.found = self.new.found.saturating_add(u32::from(!is_new));
        at
    }

    /// Is it time for [`Mailbox::forget_idle`]?
    #[inline]
    pub(crate) fn has_many_new(&self) -> bool {
        self.new.made >= self.new.most
    }

    /// Forgets the lanes in which nothing is under way, if most messages have a lane of their own: lanes that nobody uses again
    /// would fill the near caches. `may_forget` says of a source whether its lanes mean nothing while they are empty.
    #[cold]
    pub(crate) fn forget_idle(&mut self, may_forget: impl Fn(i32) -> bool) {
        let new = &mut self.new;
        // A message that comes once makes its lane, and its receive finds it.
        let come_once = new.found / 3 < new.made;
        (new.made, new.found) = (0, 0);
        if !come_once {
            return;
        }
        new.once = new.once.wrapping_add(1);
        new.is_trial = new.is_time_for_trial();
        if new.is_trial {
            new.most = new.most.max(NewLanes::MANY);
            return;
        }
        self.lanes.retain(|key, lane| !lane.is_idle() || !may_forget(key.0));
        // So many are new at the next look as are looked at in vain.
        self.new.most = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX).max(NewLanes::FEWEST);
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

    /// A message and its receive. `may_forget`: of any source.
    fn pass(mailbox: &mut Mailbox, key: (i32, i32), may_forget: bool) {
        let at = mailbox.lane(key, NOWHERE);
        mailbox.lanes.at(at).unwrap().sends.push_back(1);
        if mailbox.has_many_new() {
            mailbox.forget_idle(|_| may_forget);
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
            pass(&mut mailbox, (0, tag), true);
            few += usize::from(mailbox.lanes.len() <= 2 + NewLanes::FEWEST as usize);
            assert!(mailbox.lanes.len() <= 2 + (NewLanes::FEWEST + NewLanes::MANY) as usize);
        }
        assert!(few > 7_000, "{few}");
        assert_eq!(mailbox.lanes.at(waits).unwrap().sends.len(), 1);
        assert!(mailbox.lanes.at(doubtful).unwrap().mixed);
    }

    #[test]
    fn lanes_that_come_again_stay() {
        for lanes in [2, 26, 100, 250] {
            let mut mailbox = Mailbox::default();
            for round in 0..20 {
                for source in 0..lanes {
                    assert!(round == 0 || mailbox.lanes.find((source, 7)).is_some(), "{source} of {lanes}");
                    pass(&mut mailbox, (source, 7), true);
                }
            }
        }
    }

    #[test]
    fn any_number_of_receives_may_wait_for_messages() {
        let mut mailbox = Mailbox::default();
        let tags = i32::from(u16::MAX) + 10;
        for tag in 0..tags {
            let at = mailbox.lane((0, tag), NOWHERE);
            mailbox.lanes.at(at).unwrap().recvs.push_back((0, 1));
        }
        // The second look is none of a trial.
        for _ in 0..3 {
            mailbox.forget_idle(|_| true);
            pass(&mut mailbox, (1, 0), true);
        }
        assert!(mailbox.lanes.len() >= tags as usize);
    }

    #[test]
    fn lanes_that_are_in_use_are_not_looked_at_again_and_again() {
        let mut mailbox = Mailbox::default();
        let mut looks = 0;
        for tag in 0..100_000 {
            let at = mailbox.lane((0, tag), NOWHERE);
            mailbox.lanes.at(at).unwrap().sends.push_back(1);
            if mailbox.has_many_new() {
                looks += 1;
                mailbox.forget_idle(|_| true);
            }
        }
        assert!((5..40).contains(&looks), "{looks}");
        assert_eq!(mailbox.lanes.len(), 100_000);
    }

    #[test]
    fn lanes_of_ranks_with_threads_stay() {
        let mut mailbox = Mailbox::default();
        (0..1_000).for_each(|tag| pass(&mut mailbox, (0, tag), false));
        assert_eq!(mailbox.lanes.len(), 1_000);
        (1_000..3_000).for_each(|tag| pass(&mut mailbox, (0, tag), true));
        assert!(mailbox.lanes.len() < 1_500);
    }
}
