//! Point-to-point matching by the order rules of MPI 4.1 section 3.5, with the sources and tags that the run observed.
//!
//! A message is known by its lane: communicator, source, destination and tag. Within a lane sends match receives in
//! order. A receive enters its lane when its source and tag are certain (it completed, or named both and was freed);
//! it is paired only when no receive posted before it, and still open, could have taken the message.

use crate::collections::At;
use crate::model::Model;
use crate::state::{CommIx, Data, Lane, OpId, Pending, Rank};

/// Empty lanes are kept for the next message as long as there are not more than this many, if they come again (see
/// [`crate::state::Mailbox::forget_idle`]).
const MAX_LANES: usize = 256;

impl Model {
    pub(crate) fn post_send(&mut self, op: OpId) {
        let Some(o) = self.ops.get_mut(op) else { return };
        let (comm, dest, key) = (o.comm, o.peer, (o.rank, o.tag));
        let boxes = &mut self.comms.list[comm].boxes;
        let probably = o.origin.found().map(|found| found.sent.get()).unwrap_or_default();
        o.mailbox = boxes.place(dest, probably.0);
        let Some(mailbox) = boxes.at(o.mailbox) else { return };
        let lane = mailbox.lane(key, probably.1);
        let Some(here) = mailbox.lanes.at(lane) else { return };
        if let Some(found) = o.origin.found() {
            found.sent.set((o.mailbox, lane));
        }
        here.sends.push_back(op);
        let (other, late) = here.last.note(o.shown());
        here.mixed |= other;
        here.unsure |= late;
        let (waits, at) = (!here.recvs.is_empty(), (comm, o.mailbox, lane));
        if mailbox.has_many_new() {
            self.forget_idle_lanes(comm, at.1, dest);
        }
        if waits {
            self.try_lane(at, dest, key);
        }
    }

    #[cold]
    fn forget_idle_lanes(&mut self, comm: CommIx, mailbox: At, dest: i32) {
        // Whoever used a lane last says of threads in which order messages were sent.
        let ranks = &self.ranks;
        let has_one_thread = |rank: i32| ranks.get(rank as usize).is_some_and(Rank::has_one_thread);
        if let Some(mailbox) = self.comms.list[comm].boxes.at(mailbox) {
            let may_be_forgotten = has_one_thread(dest);
            mailbox.forget_idle(|source| may_be_forgotten && has_one_thread(source));
        }
    }

    pub(crate) fn post_recv(&mut self, op: OpId) {
        let Some(o) = self.ops.get_mut(op) else { return };
        let boxes = &mut self.comms.list[o.comm].boxes;
        let probably = o.origin.found().map(|found| found.received.get().0).unwrap_or_default();
        o.mailbox = boxes.place(o.rank, probably);
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
        let found = o.origin.found().map(|found| &found.received);
        let lane_at = mailbox.lane((source, tag), found.map(|found| found.get().1).unwrap_or_default());
        if let Some(found) = found {
            found.set((at, lane_at));
        }
        let Some(lane) = mailbox.lanes.at(lane_at) else { return };
        lane.mixed |= lane.last_received.is_some_and(|t| t != o.at().thread);
        lane.last_received = Some(o.at().thread);
        lane.unsure |= mailbox.tangled;
        lane.recvs.insert_before((order, op), |later| later.0 > order);
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
        self.notify_nothing(op);
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
            self.notify_pair(send, recv, certain);
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
        self.order_pair(send, recv);
        if self.ops[recv].data.is_none() {
            self.ops[recv].rare().waiting_partner = Some(send);
            self.ops[send].rare().waiting_partner = Some(recv);
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
        if let Some(send) = self.ops[recv].rare.as_mut().and_then(|rare| rare.waiting_partner.take()) {
            self.ops[send].rare().waiting_partner = None;
            self.compare(send, recv);
            self.release(send);
            self.release(recv);
        }
    }

    /// The program is done with the operation.
    pub(crate) fn finish_op(&mut self, op: OpId) {
        self.notify_end(op);
        self.hear_end(op);
        if let Some(o) = self.ops.get_mut(op) {
            o.done = true;
        }
        self.release(op);
    }

    /// Forgets an operation that nobody needs any more.
    #[inline]
    pub(crate) fn release(&mut self, op: OpId) {
        let Some(o) = self.ops.get(op).filter(|o| o.done && o.matched) else { return };
        match o.rare.as_ref().map(|rare| (rare.waiting_partner, rare.met)) {
            Some((Some(_), _)) => {}
            Some((None, Some(other))) => self.part(op, other),
            Some((None, None)) | None => self.forget_op(op),
        }
    }
}
