//! Messages counted against receives, where a wildcard may have taken one message or another. Nobody knows the pairs, but
//! receives that are more than the messages for them do not all get one, whichever way these went.
//!
//! The rules of order (MPI 4.1, 3.5) are looked at as far as they say who can have taken something from whom: a message
//! goes to the receive that was posted first, and overtakes none of its sender that would have fitted, too.

use super::matching::Bipartite;
use crate::collections::Slab;
use crate::state::{Mailbox, Op, OpId, Pending};
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};

/// Mailboxes with more receives or lanes than this are not looked at.
const MOST: usize = 64;

/// The receives and messages of a mailbox.
#[derive(Debug)]
pub(crate) struct Choice {
    /// In the order in which they were posted; of those that are settled, with source and tag of their messages.
    receives: Vec<(Pending, bool)>,
    lanes: Vec<Messages>,
    /// Bytes of all messages, if that is known.
    pub(crate) bytes: Option<u64>,
}

/// Messages of one source and tag, in their order.
#[derive(Debug)]
struct Messages {
    source: i32,
    tag: i32,
    sends: Vec<OpId>,
}

/// The prospects of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chance {
    /// It has a partner, whatever the wildcards took.
    Served,
    /// That depends.
    Open,
    /// It has none.
    Alone,
}

impl Choice {
    /// `posted`: the open receives, and whether they are settled. `None`: there are too many.
    pub(super) fn new(mailbox: &Mailbox, posted: &[(Pending, bool)], ops: &Slab<Op>) -> Option<Choice> {
        let lanes = mailbox.lanes.iter().filter(|(_, l)| !l.sends.is_empty());
        let lanes = lanes.map(|(k, l)| Messages { source: k.0, tag: k.1, sends: l.sends.iter().copied().collect() });
        let mut lanes: Vec<Messages> = lanes.collect();
        let receives = posted.to_vec();
        let all = lanes.iter().map(|l| l.sends.len()).sum::<usize>();
        if receives.len() > MOST || all > MOST {
            return None;
        }
        lanes.sort_unstable_by_key(|l| (l.source, l.tag));
        let sizes = lanes.iter().flat_map(|l| &l.sends).map(|op| ops.get(*op)?.data?.amount.bytes);
        let bytes = sizes.sum();
        Some(Choice { receives, lanes, bytes })
    }

    /// The prospects of a receive.
    pub(crate) fn of_receive(&self, op: OpId) -> Chance {
        match self.receives.iter().position(|r| r.0.op == op) {
            Some(place) => self.of_place(place, &self.receives[place].0),
            None => Chance::Open,
        }
    }

    /// The prospects of a probe that is made now.
    pub(crate) fn of_probe(&self, source: i32, tag: i32) -> Chance {
        self.of_place(self.receives.len(), &Pending { order: u64::MAX, source, tag, op: 0 })
    }

    /// It goes without a message only if those posted before took all that it could have taken.
    fn of_place(&self, place: usize, receive: &Pending) -> Chance {
        let (before, behind) = self.receives.split_at(place);
        // A message that a receive posted later has got would have gone to this one.
        if behind.iter().skip(1).any(|(p, settled)| *settled && receive.takes(p.source, p.tag)) {
            return Chance::Served;
        }
        let takers = |l: &Messages| -> Vec<usize> {
            (0..before.len()).filter(|i| before[*i].0.takes(l.source, l.tag)).collect()
        };
        let wanted = self.lanes.iter().filter(|l| receive.takes(l.source, l.tag));
        let edges = wanted.flat_map(|l| vec![takers(l); l.sends.len()]).collect();
        let absorbed = Bipartite { edges, room: vec![1; before.len()] };
        if absorbed.too_many().is_some() {
            return Chance::Served;
        }
        if self.lacking(vec![*receive]).is_some() { Chance::Alone } else { Chance::Open }
    }

    /// The prospects of a message.
    pub(crate) fn of_send(&self, op: OpId) -> Chance {
        let place = self.lanes.iter().find_map(|l| Some((l, l.sends.iter().position(|s| *s == op)?)));
        let Some((lane, before)) = place else { return Chance::Open };
        let takers: Vec<&Pending> =
            self.receives.iter().map(|r| &r.0).filter(|p| p.takes(lane.source, lane.tag)).collect();
        // Receives before it in its lane go first.
        if takers.len() <= before {
            return Chance::Alone;
        }
        // It stays only if all receives for it took other messages: none that it would have gone before.
        let room = self.lanes.iter().map(|l| if std::ptr::eq(l, lane) { before } else { l.sends.len() }).collect();
        let edges = takers.iter().map(|p| self.fitting(p)).collect();
        let all_taken = Bipartite { edges, room }.too_many().is_none();
        if all_taken { Chance::Open } else { Chance::Served }
    }

    /// Lanes that a receive may take messages of.
    fn fitting(&self, receive: &Pending) -> Vec<usize> {
        (0..self.lanes.len()).filter(|i| receive.takes(self.lanes[*i].source, self.lanes[*i].tag)).collect()
    }

    /// Receives of which not all can have a message if all of `these` have one: who waits for `these` waits for another
    /// message that one of them can take.
    pub(crate) fn too_many(&self, these: &[OpId]) -> Option<Wanted> {
        let wanted = self.receives.iter().filter(|r| !r.1 && these.contains(&r.0.op)).map(|r| r.0);
        self.lacking(wanted.collect())
    }

    fn lacking(&self, mut wanted: Vec<Pending>) -> Option<Wanted> {
        self.add_those_before(&mut wanted);
        wanted.extend(self.settled());
        let edges = wanted.iter().map(|p| self.fitting(p)).collect();
        let room = self.lanes.iter().map(|l| l.sends.len()).collect();
        let too_many = Bipartite { edges, room }.too_many()?;
        Some(Wanted::of(too_many.into_iter().map(|i| &wanted[i])))
    }

    /// Receives posted before that take whatever one of these takes: they had their message first.
    fn add_those_before(&self, wanted: &mut Vec<Pending>) {
        let mut at = 0;
        while let Some(p) = wanted.get(at).copied() {
            let before = self.receives.iter().filter(|r| !r.1 && r.0.order < p.order).map(|r| r.0);
            let before = before
                .filter(|b| (b.source == ANY_SOURCE || b.source == p.source) && (b.tag == ANY_TAG || b.tag == p.tag));
            for b in before {
                if !wanted.iter().any(|w| w.op == b.op && w.order == b.order) {
                    wanted.push(b);
                }
            }
            at += 1;
        }
    }

    /// Receives that certainly got one of the messages that are known here.
    fn settled(&self) -> Vec<Pending> {
        let mut left: Vec<usize> = self.lanes.iter().map(|l| l.sends.len()).collect();
        let mut is_known = |p: &Pending| {
            let lane = self.lanes.iter().position(|l| (l.source, l.tag) == (p.source, p.tag));
            lane.is_some_and(|l| left[l].checked_sub(1).map(|n| left[l] = n).is_some())
        };
        self.receives.iter().filter(|r| r.1).map(|r| r.0).filter(|p| is_known(p)).collect()
    }

    /// Messages that may help any of the receives, by themselves or since another receive then leaves its message to it.
    pub(crate) fn any(&self) -> Wanted {
        Wanted::of(self.receives.iter().filter(|r| !r.1).map(|r| &r.0))
    }
}

/// Messages that are waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Ascending; `None`: anybody's.
    pub(crate) sources: Option<Vec<i32>>,
    pub(crate) tag: i32,
}

impl Wanted {
    fn of<'a>(receives: impl Iterator<Item = &'a Pending>) -> Wanted {
        let (mut sources, mut tags): (Vec<i32>, Vec<i32>) = receives.map(|p| (p.source, p.tag)).unzip();
        sources.sort_unstable();
        sources.dedup();
        tags.dedup();
        let anybody = sources.contains(&ANY_SOURCE);
        Wanted { sources: (!anybody).then_some(sources), tag: if let [tag] = tags[..] { tag } else { ANY_TAG } }
    }
}
