//! Point-to-point matching by the order rules of MPI 4.1 section 3.5, with the sources and tags that the run observed.
//!
//! A message is known by its lane: communicator, source, destination and tag. Within a lane sends match receives in
//! order. A receive enters its lane when its source and tag are certain (it completed, or named both and was freed);
//! it is paired only when no receive posted before it, and still open, could have taken the message.

use super::Model;
use super::comms::CommIx;
use super::concurrent::Pair;
use super::facts::Origin;
use super::indexed::{At, Indexed};
use super::sums::Sum;
use super::types::{Amount, Difference};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use trace_format::mpi::SendMode;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};

pub(crate) type OpId = u32;

/// Which half of a message an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpKind {
    Send(SendMode),
    Recv,
}

/// What is sent, or room for what is received.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data {
    pub(crate) amount: Amount,
}

/// A send or receive that was started.
#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    pub(crate) rank: i32,
    pub(crate) comm: CommIx,
    /// World rank of the partner; ANY_SOURCE.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    /// `None`: a matched probe whose receive has not been called.
    pub(crate) data: Option<Data>,
    pub(crate) origin: Rc<Origin>,
    /// The call that started it, if that is not `origin` (persistent).
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) matched: bool,
    /// Completed for the program, or never to be completed by it (freed request).
    pub(crate) done: bool,
    pub(crate) order: u64,
    /// Where it is posted.
    pub(super) mailbox: At,
    /// The other half, while the receive of a matched probe has not been called.
    pub(crate) waiting_partner: Option<OpId>,
    /// Not all calls of its rank are known at this place, or nobody says whether it was cancelled: which message it is
    /// about is uncertain.
    pub(crate) dim: bool,
    /// The matched probe that posted it, once `origin` is the receive.
    pub(crate) at: Option<Rc<Origin>>,
    /// Bytes that a receive says it got.
    pub(crate) got: Option<u64>,
    /// Of the data that were sent or received.
    pub(crate) sum: Option<Box<Sum>>,
    /// The other half, which is kept until both are over, for their sums.
    pub(crate) met: Option<OpId>,
    /// What it is in the replay of [`super::deadlock_replay`], until that is told the last thing of it.
    pub(crate) replayed: Option<super::deadlock_replay::Told>,
    /// That replay knows that it is over.
    pub(crate) told: bool,
    /// If somebody listens.
    pub(super) heard: Option<Box<super::listen::Heard>>,
}

impl Op {
    /// The call that gives it its place among the others.
    pub(crate) fn at(&self) -> &Rc<Origin> {
        self.at.as_ref().unwrap_or(self.shown())
    }

    /// All calls that it may be spoken of with.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let by = self.sum.as_ref().map(|s| s.by());
        let ended = self.heard.as_ref().and_then(|h| h.call());
        [Some(&self.origin), self.start.as_ref(), self.at.as_ref(), by, ended].into_iter().flatten()
    }

    pub(crate) fn is_send(&self) -> bool {
        matches!(self.kind, OpKind::Send(_))
    }

    /// The call that shows where it was started.
    pub(crate) fn shown(&self) -> &Rc<Origin> {
        self.start.as_ref().unwrap_or(&self.origin)
    }
}

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
    pub(crate) sends: VecDeque<OpId>,
    /// Receives that certainly got a message of this lane, in posting order.
    pub(crate) recvs: VecDeque<(u64, OpId)>,
    last: Last,
    last_received: Option<u16>,
    /// Several threads send, or several receive: the order of their calls need not be that of the messages.
    mixed: bool,
    /// Which message met which receive is uncertain.
    pub(crate) unsure: bool,
    /// Pairs of threads whose calls overlapped.
    pub(crate) cluster: Vec<Pair>,
}

/// Thread and time of the last call of a kind.
#[derive(Debug, Default, Clone, Copy)]
struct Last {
    seen: bool,
    thread: u16,
    time: u64,
}

impl Last {
    /// Notes a call. Is it of another thread than the last one, and did it come later than one that it preceded?
    fn note(&mut self, origin: &Origin) -> (bool, bool) {
        let last = std::mem::replace(self, Last { seen: true, thread: origin.thread, time: origin.time });
        let other = last.seen && last.thread != origin.thread;
        (other, other && origin.time < last.time)
    }
}

impl Lane {
    fn is_tangled(&self) -> bool {
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
    next_order: u64,
    last_posted: Last,
    /// Receives were posted in another order than their events came in.
    pub(super) tangled: bool,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) lanes: Indexed<(i32, i32), Lane>,
}

/// Empty lanes are kept for the next message as long as there are not more than this many.
const MAX_LANES: usize = 256;

impl Model {
    pub(crate) fn post_send(&mut self, op: OpId) {
        let Some(o) = self.ops.get_mut(op) else { return };
        let (comm, dest, key) = (o.comm, o.peer, (o.rank, o.tag));
        let boxes = &mut self.comms.list[comm].boxes;
        let probably = o.origin.found.sent.get();
        o.mailbox = boxes.place(dest, probably.0);
        let Some(mailbox) = boxes.at(o.mailbox) else { return };
        let lane = mailbox.lanes.place(key, probably.1);
        let Some(here) = mailbox.lanes.at(lane) else { return };
        o.origin.found.sent.set((o.mailbox, lane));
        here.sends.push_back(op);
        let (other, late) = here.last.note(o.shown());
        here.mixed |= other;
        here.unsure |= late;
        if !here.recvs.is_empty() {
            let at = (comm, o.mailbox, lane);
            self.try_lane(at, dest, key);
        }
    }

    pub(crate) fn post_recv(&mut self, op: OpId) {
        let Some(o) = self.ops.get_mut(op) else { return };
        let boxes = &mut self.comms.list[o.comm].boxes;
        o.mailbox = boxes.place(o.rank, o.origin.found.received.get().0);
        let Some(mailbox) = boxes.at(o.mailbox) else { return };
        mailbox.tangled |= mailbox.last_posted.note(o.shown()).1;
        o.order = mailbox.next_order;
        mailbox.next_order += 1;
        mailbox.pending.push_back(Pending { order: o.order, source: o.peer, tag: o.tag, op });
    }

    /// The receive got a message from `source` (world rank) with `tag`.
    pub(crate) fn settle(&mut self, op: OpId, source: i32, tag: i32) {
        let o = &self.ops[op];
        let (comm, rank, order, at) = (o.comm, o.rank, o.order, o.mailbox);
        let Some(mailbox) = self.comms.list[comm].boxes.at(at) else { return };
        // Mostly it is the first one.
        let first = mailbox.pending.front().filter(|p| p.op == op).map(|_| 0);
        let place = first.or_else(|| mailbox.pending.iter().position(|p| p.op == op));
        let Some(place) = place else { return };
        let exact = mailbox.pending[place].is_exact();
        match place {
            0 => mailbox.pending.pop_front(),
            _ => mailbox.pending.remove(place),
        };
        let found = &o.origin.found.received;
        let lane_at = mailbox.lanes.place((source, tag), found.get().1);
        found.set((at, lane_at));
        let Some(lane) = mailbox.lanes.at(lane_at) else { return };
        lane.mixed |= lane.last_received.is_some_and(|t| t != o.at().thread);
        lane.last_received = Some(o.at().thread);
        lane.unsure |= mailbox.tangled;
        let recvs = &mut lane.recvs;
        match recvs.back() {
            Some(last) if last.0 > order => {
                let place = recvs.iter().rposition(|r| r.0 < order).map_or(0, |p| p + 1);
                recvs.insert(place, (order, op));
            }
            _ => recvs.push_back((order, op)),
        }
        let waits = lane.sends.is_empty();
        if exact {
            if !waits {
                self.try_lane((comm, at, lane_at), rank, (source, tag));
            }
        } else {
            self.try_all_lanes(comm, rank);
        }
    }

    /// The operation did not take place: it was cancelled, or its call failed. It is forgotten.
    pub(crate) fn withdraw(&mut self, op: OpId) {
        let Some(o) = self.ops.get(op) else { return };
        if o.matched {
            return self.finish_op(op);
        }
        self.tell_nothing(op);
        let o = &self.ops[op];
        let (comm, send) = (o.comm, o.is_send());
        let (dest, lane) = if send { (o.peer, (o.rank, o.tag)) } else { (o.rank, (o.peer, o.tag)) };
        if let Some(mailbox) = self.comms.list[comm].boxes.get_mut(dest) {
            mailbox.pending.retain(|p| p.op != op);
            match mailbox.lanes.get_mut(lane) {
                Some(lane) if send => lane.sends.retain(|s| *s != op),
                Some(lane) => lane.recvs.retain(|r| r.1 != op),
                None => {}
            }
        }
        self.ops.remove(op);
        if !send {
            self.try_all_lanes(comm, dest);
        }
    }

    fn try_all_lanes(&mut self, comm: CommIx, dest: i32) {
        let boxes = &mut self.comms.list[comm].boxes;
        let Some(at) = boxes.find(dest) else { return };
        let Some(mailbox) = boxes.at(at) else { return };
        let ready = mailbox.lanes.iter().filter(|(_, l)| !l.sends.is_empty() && !l.recvs.is_empty());
        let mut lanes: Vec<(i32, i32)> = ready.map(|(k, _)| *k).collect();
        lanes.sort_unstable();
        for key in lanes {
            let mailbox = self.comms.list[comm].boxes.at(at);
            if let Some(lane) = mailbox.and_then(|mailbox| mailbox.lanes.find(key)) {
                self.try_lane((comm, at, lane), dest, key);
            }
        }
    }

    /// `at`: where the lane is: the one of this destination, of messages with this source and tag.
    fn try_lane(&mut self, at: (CommIx, At, At), dest: i32, key: (i32, i32)) {
        let comm = at.0;
        loop {
            let Some(mailbox) = self.comms.list[comm].boxes.at(at.1) else { return };
            let many = mailbox.lanes.len() > MAX_LANES;
            let Some(lane) = mailbox.lanes.at(at.2) else { return };
            let (Some(&send), Some(&(order, recv))) = (lane.sends.front(), lane.recvs.front()) else {
                if many && lane.sends.is_empty() && lane.recvs.is_empty() && !lane.unsure {
                    let cluster = std::mem::take(&mut lane.cluster);
                    if self.is_settled(&cluster) {
                        self.comms.list[comm].boxes.at(at.1).into_iter().for_each(|mailbox| mailbox.lanes.remove(key));
                        self.judge_cluster((comm, dest, key.0, key.1), cluster);
                    } else if let Some(lane) = self.lane(comm, dest, key) {
                        lane.cluster = cluster;
                    }
                }
                return;
            };
            if mailbox.pending.front().is_some_and(|p| p.order < order)
                && mailbox.pending.iter().take_while(|p| p.order < order).any(|p| p.takes(key.0, key.1))
            {
                return;
            }
            lane.sends.pop_front();
            lane.recvs.pop_front();
            let certain = !lane.is_doubtful();
            let over = !many && (lane.sends.is_empty() || lane.recvs.is_empty());
            self.tell_pair(send, recv, certain);
            self.pair(send, recv);
            if over {
                return;
            }
        }
    }

    /// The two belong together.
    pub(crate) fn pair(&mut self, send: OpId, recv: OpId) {
        self.ops[send].matched = true;
        self.ops[recv].matched = true;
        self.hear_pair(send, recv);
        if self.ops[recv].data.is_none() {
            self.ops[recv].waiting_partner = Some(send);
            self.ops[send].waiting_partner = Some(recv);
            return;
        }
        self.meet(send, recv);
        self.compare(send, recv);
        self.release(send);
        self.release(recv);
    }

    fn lane(&mut self, comm: CommIx, dest: i32, key: (i32, i32)) -> Option<&mut Lane> {
        self.comms.list[comm].boxes.get_mut(dest)?.lanes.get_mut(key)
    }

    /// Holds the two halves of a message against each other, or puts that off until it is certain that they are.
    fn compare(&mut self, send: OpId, recv: OpId) {
        if self.has_threads(self.ops[send].rank) || self.has_threads(self.ops[recv].rank) {
            self.pair_of_threads(send, recv);
        } else {
            self.compare_pair(send, recv);
        }
    }

    /// The receive of a matched probe said where the message goes.
    pub(crate) fn supply(&mut self, recv: OpId, data: Data) {
        self.ops[recv].data = Some(data);
        if let Some(send) = self.ops[recv].waiting_partner.take() {
            self.ops[send].waiting_partner = None;
            self.compare(send, recv);
            self.release(send);
            self.release(recv);
        }
    }

    /// The program is done with the operation.
    pub(crate) fn finish_op(&mut self, op: OpId) {
        self.tell_end(op);
        self.hear_end(op);
        if let Some(o) = self.ops.get_mut(op) {
            o.done = true;
        }
        self.release(op);
    }

    /// Forgets an operation that nobody needs any more.
    #[inline]
    pub(crate) fn release(&mut self, op: OpId) {
        let over = |o: &&Op| o.done && o.matched && o.waiting_partner.is_none();
        match self.ops.get(op).filter(over).map(|o| o.met) {
            Some(Some(other)) => self.part(op, other),
            Some(None) => self.forget_op(op),
            None => {}
        }
    }
}

impl Model {
    /// Holds the two halves of a message against each other.
    pub(crate) fn compare_pair(&mut self, send: OpId, recv: OpId) {
        let (s, r) = (&self.ops[send], &self.ops[recv]);
        let (Some(sent), Some(room)) = (s.data, r.data) else { return };
        let (sent, room) = (sent.amount, room.amount);
        if are_alike(sent, room) && !(self.short_sends && sent.reps < room.reps) || s.dim || r.dim {
            return;
        }
        let lane = (s.comm, r.rank, s.rank, s.tag);
        let (send, recv) = (s.origin.clone(), r.origin.clone());
        self.suspect(lane, Message { send, recv, sent, room, difference: None, count: 1 });
    }

    /// A message whose halves are not obviously alike.
    pub(crate) fn suspect(&mut self, lane: (CommIx, i32, i32, i32), message: Message) {
        let key = (lane, self.place(&message.send), self.place(&message.recv));
        match self.suspects.entry(key) {
            Entry::Occupied(mut e) => {
                let known = e.get_mut();
                let count = known.count + 1;
                if message.order() < known.order() {
                    *known = message;
                }
                known.count = count;
            }
            Entry::Vacant(e) => {
                e.insert(message);
            }
        }
    }

    /// Judges the messages whose halves are not obviously alike. At the end, since only then it is known where calls of
    /// threads came out of order.
    pub(crate) fn judge_messages(&mut self) {
        self.judge_comms(|_| true);
    }

    /// The same for some communicators, on which nothing will be sent any more.
    pub(super) fn judge_comms(&mut self, wanted: impl Fn(CommIx) -> bool) {
        self.judge_clusters(&wanted);
        let suspects: Vec<_> = self.suspects.extract_if(|(lane, ..), _| wanted(lane.0)).collect();
        for ((lane, ..), mut message) in suspects {
            let (comm, dest, source, tag) = lane;
            let mailbox = self.comms.list[comm].boxes.get(dest);
            if !mailbox.and_then(|m| m.lanes.get((source, tag))).is_some_and(Lane::is_tangled) {
                message.difference = self.signatures.difference(message.sent, message.room);
                crate::checks::message(self, &message);
            }
        }
    }
}

/// Communicator, destination, source, tag; and the places of the two calls.
pub(crate) type Suspect = ((CommIx, i32, i32, i32), u64, u64);

/// A send and the receive that got its message.
pub(crate) struct Message {
    pub(crate) send: Rc<Origin>,
    pub(crate) recv: Rc<Origin>,
    pub(crate) sent: Amount,
    pub(crate) room: Amount,
    pub(crate) difference: Option<Difference>,
    /// How often it happened on this lane at these places.
    pub(crate) count: u64,
}

fn are_alike(sent: Amount, room: Amount) -> bool {
    sent.sig == room.sig && sent.reps <= room.reps && sent.sig != super::types::UNKNOWN
}

impl Message {
    /// Sent and received in the same form?
    pub(crate) fn is_obviously_fine(&self) -> bool {
        are_alike(self.sent, self.room)
    }

    /// The first one stands for all at its places, but none that is only short for one that is wrong.
    fn order(&self) -> (bool, u16, u64, u16, u64) {
        (self.is_obviously_fine(), self.send.thread, self.send.index, self.recv.thread, self.recv.index)
    }
}

impl Mailbox {
    /// Pairs what is left at the end: first what has one lane to choose from, in posting order, wildcards last, so that
    /// what stays alone truly has no partner. Receive, send, and whether the pair is the only possible one.
    pub(crate) fn leftovers(&self) -> Vec<(OpId, OpId, bool)> {
        let mut pairs = Vec::new();
        let mut left: BTreeMap<(i32, i32), VecDeque<OpId>> =
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
            if let Some(send) = left.get_mut(&key).and_then(VecDeque::pop_front) {
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
