//! How requests and receives end: by wait and test, by looking at them, by being freed; matched probes.

use crate::arg_places::{ArgPlaces, NONE};
use crate::model::Model;
use crate::state::{News, Op, OpId, OpKind, Origin, ReqId, Request, int, value};
use smallvec::SmallVec;
use std::rc::Rc;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG, MESSAGE_NO_PROC, UNDEFINED};
use trace_format::mpi::{Many, SendMode, Start, Status};
use trace_reader::args::{Arg, Args};

impl Model {
    /// A receive is over.
    pub(crate) fn end_recv(&mut self, op: OpId, status: Option<Status>, failed: bool, asked_to_cancel: bool) {
        self.hear_message(op);
        self.ops[op].got = status.and_then(|s| s.bytes).filter(|_| !failed);
        let o = &self.ops[op];
        if asked_to_cancel && status.is_some_and(|s| s.cancelled) {
            return self.withdraw(op);
        }
        if o.matched {
            return self.finish_op(op);
        }
        self.notify_end(op);
        self.hear_end(op);
        self.ops[op].done = true;
        match self.got(op, status) {
            Some((source, tag)) => self.settle(op, source, tag),
            // Nobody knows whether it got a message.
            None if failed => self.withdraw(op),
            None => {
                self.deadlock_replay.give_up("what a receive got is not certain");
                self.notify_nothing(op);
            }
        }
    }

    /// Source (world rank) and tag of the message that a receive got, as far as its arguments and its status tell.
    fn got(&self, op: OpId, status: Option<Status>) -> Option<(i32, i32)> {
        let o = &self.ops[op];
        let (mut source, mut tag) = (o.peer, o.tag);
        if let Some(status) = status {
            if source == ANY_SOURCE && status.source >= 0 {
                let comm = &self.comms.list[o.comm];
                let peers = comm.position(o.rank).map(|p| comm.peers(p));
                let known = peers.and_then(|g| g.get(status.source));
                source = known.filter(|r| *r >= 0 && (*r as usize) < self.ranks.len()).unwrap_or(ANY_SOURCE);
            }
            if tag == ANY_TAG && status.tag >= 0 {
                tag = status.tag;
            }
        }
        (source != ANY_SOURCE && tag != ANY_TAG).then_some((source, tag))
    }

    /// Which of the given requests a completion call completed, with the place of their status.
    fn completed(
        origin: &Origin,
        s: &ArgPlaces,
        many: Many,
        wait: bool,
        failed: bool,
        outs: &Args,
    ) -> SmallVec<[(usize, usize); 8]> {
        let flag = wait || failed && many == Many::One || int(outs, s.flag).is_some_and(|f| f != 0);
        let count = match origin.value(s.request) {
            Arg::Requests { handles, .. } | Arg::Ints(handles) => handles.len(),
            Arg::None => 0,
            _ => 1,
        };
        match many {
            Many::One | Many::All if flag => (0..count).map(|i| (i, i)).collect(),
            Many::One | Many::All => SmallVec::new(),
            Many::Any if flag => match int(outs, s.index) {
                Some(i) if i >= 0 && i != i64::from(UNDEFINED) => SmallVec::from_slice(&[(i as usize, 0)]),
                _ => SmallVec::new(),
            },
            Many::Any => SmallVec::new(),
            Many::Some => {
                let n = int(outs, s.index).unwrap_or(0);
                let indices = value(outs, s.indices).ints();
                indices.iter().take(n.max(0) as usize).enumerate().map(|(k, i)| (*i as usize, k)).collect()
            }
        }
    }

    pub(crate) fn complete(
        &mut self,
        origin: &Rc<Origin>,
        s: &ArgPlaces,
        many: Many,
        wait: bool,
        failed: bool,
        outs: &Args,
    ) {
        let completed = Model::completed(origin, s, many, wait, failed, outs);
        self.notify_completion(origin, many, wait, &completed);
        if failed {
            // Which of the operations are complete is not certain.
            self.complete_own_memory(origin.rank, None, origin.index);
        }
        if completed.is_empty() {
            return;
        }
        let (base, handles) = origin.requests();
        let status = origin.result(outs, s.status);
        for (i, k) in completed {
            let requests = &self.ranks[origin.rank as usize].requests;
            if let Some(id) = requests.find_in(handles, base, i) {
                let status = match status {
                    Arg::Status(status) => Some(status),
                    Arg::Statuses(all) => all.get(k).copied(),
                    _ => None,
                };
                self.complete_one(origin, id, status, failed);
            }
        }
    }

    fn complete_one(&mut self, by: &Origin, id: ReqId, status: Option<Status>, failed: bool) {
        let rank = by.rank;
        let requests = &mut self.ranks[rank as usize].requests;
        let Some(request) = requests.get_mut(id) else { return };
        let (send, recv, collective) = (request.send.take(), request.recv.take(), request.collective.take());
        let (was_active, cancelled) = (request.active, request.cancelled);
        // The request of MPI_Rput brings nothing.
        let is_silent = request.window().is_some() && !request.origin.brings_result();
        let begun = request.start.as_ref().unwrap_or(&request.origin).index;
        request.active = false;
        request.seen_complete = false;
        request.perhaps_gone = false;
        match (request.persistent, failed) {
            (true, true) => requests.doubt(id),
            (true, false) => {}
            (false, _) => requests.discard(id),
        }
        self.complete_own_memory(rank, Some(begun), by.index);
        if !was_active {
            return;
        }
        let is_other = send.is_none() && recv.is_none() && collective.is_none() && !is_silent;
        if is_other || cancelled || send.is_some_and(|op| self.is_synchronous(op)) {
            self.hear_news(rank, News::Anything);
        }
        if let Some(op) = send {
            if cancelled && status.is_some_and(|s| s.cancelled) { self.withdraw(op) } else { self.finish_op(op) }
        }
        if let Some(op) = recv {
            self.end_recv(op, status, failed, cancelled);
        }
        if let Some((comm, index, position)) = collective {
            self.hear_news(rank, News::Collective(comm, index));
            self.part_done(comm, index, position);
        }
    }

    fn is_synchronous(&self, op: OpId) -> bool {
        self.ops.get(op).is_some_and(|op| op.kind == OpKind::Send(SendMode::Synchronous))
    }

    /// A status without completion: the receive has its message already, or was cancelled as asked.
    pub(crate) fn peek(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, many: Many, outs: &Args) {
        let completed = Model::completed(origin, s, many, false, false, outs);
        // A rank that goes on when it has this answer has waited for it.
        self.notify_completion(origin, many, false, &completed);
        let (base, handles) = origin.requests();
        for (i, k) in completed {
            let requests = &mut self.ranks[origin.rank as usize].requests;
            let Some(id) = requests.find_in(handles, base, i) else { continue };
            let Some(request) = requests.get_mut(id) else { continue };
            let status = origin.status_at(outs, s.status, k);
            request.seen_complete = request.active;
            match (request.recv, request.cancelled) {
                (Some(op), false) => self.settle_by_status(op, status),
                (_, true) if status.is_some_and(|s| s.cancelled) => {
                    let ops = [request.send.take(), request.recv.take()];
                    ops.into_iter().flatten().for_each(|op| self.withdraw(op));
                }
                _ => {}
            }
        }
    }

    /// A generalized request is complete.
    pub(crate) fn grequest_complete(&mut self, origin: &Origin) {
        let (base, handles) = origin.requests();
        let requests = &mut self.ranks[origin.rank as usize].requests;
        match requests.certain(handles, base, 0).and_then(|id| requests.get_mut(id)) {
            Some(request) => request.incomplete = false,
            None => requests.forget_incomplete(),
        }
    }

    /// Says what a receive got that the program has not completed yet.
    fn settle_by_status(&mut self, op: OpId, status: Option<Status>) {
        self.ops[op].got = status.and_then(|s| s.bytes);
        if !self.ops[op].matched
            && let Some((source, tag)) = self.got(op, status)
        {
            self.settle(op, source, tag);
        }
    }

    pub(crate) fn free_request(&mut self, by: &Origin, id: ReqId) {
        let rank = by.rank;
        let Some(request) = self.ranks[rank as usize].requests.remove(id) else { return };
        // Nobody will say when it is complete.
        let begun = request.start.as_ref().unwrap_or(&request.origin).index;
        self.complete_own_memory(rank, Some(begun), by.index);
        let now = self.listeners.look_away();
        if request.cancelled {
            // Nobody will say whether it was in time.
            for op in [request.send, request.recv].into_iter().flatten() {
                self.ops[op].dim = true;
            }
        }
        if let Some(op) = request.send {
            self.finish_op(op);
        }
        if let Some(op) = request.recv {
            // Nobody will say what it got; if it named its source and tag, that is known.
            self.end_recv(op, None, false, false);
        }
        if let Some((comm, index, position)) = request.collective {
            self.part_done(comm, index, position);
        }
        if let Some(end) = request.partitioned() {
            self.free_partitioned(end);
        }
        self.listeners.go_on(now);
    }

    /// A matched probe takes its message at its return; the receive is called later.
    pub(crate) fn matched_probe(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) {
        if s.flag != NONE && int(outs, s.flag) == Some(0) {
            return self.notify_poll(origin);
        }
        let handle = int(outs, s.message).unwrap_or(0);
        if handle == 0 || handle == MESSAGE_NO_PROC {
            return;
        }
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let op = self.new_op(Op::new(OpKind::Recv, origin, None, target, None));
        self.notify_start(op);
        self.post_recv(op);
        self.ranks[origin.rank as usize].messages.entry(handle).or_default().push(op);
        self.settle_by_status(op, origin.status_at(outs, s.status, 0));
        self.notify_matched_probe(origin, op, s.flag == NONE);
    }

    /// A probe has returned.
    pub(crate) fn probed(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) {
        if s.flag != NONE && int(outs, s.flag) == Some(0) {
            return self.notify_poll(origin);
        }
        let status = origin.status_at(outs, s.status, 0);
        let told = self.target(origin, s.peer, s.tag, s).and_then(|target| {
            let status = status?;
            let comm = &self.comms.list[target.comm];
            let peers = comm.position(origin.rank).map(|p| comm.peers(p))?;
            let source = if target.peer == ANY_SOURCE { peers.get(status.source)? } else { target.peer };
            let tag = if target.tag == ANY_TAG { status.tag } else { target.tag };
            (tag != ANY_TAG).then_some((source, tag))
        });
        self.notify_probe(origin, s, told, s.flag == NONE);
    }

    pub(crate) fn matched_recv(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, start: Start, failed: bool, outs: &Args) {
        let handle = origin.int(s.message).unwrap_or(0);
        let data = self.data(origin, s.recv);
        let messages = &mut self.ranks[origin.rank as usize].messages;
        let op = messages.get_mut(&handle).and_then(|m| (!m.is_empty()).then(|| m.remove(0)));
        if messages.get(&handle).is_some_and(Vec::is_empty) {
            messages.remove(&handle);
        }
        if let Some(op) = op {
            let posted = std::mem::replace(&mut self.ops[op].origin, origin.clone());
            self.ops[op].rare().at = Some(posted);
            self.ops[op].done = start == Start::Blocking;
            if start == Start::Blocking {
                self.hear_end(op);
            }
            self.supply(op, data);
        }
        if start == Start::Nonblocking && !failed {
            let mut request = Request::new(origin, s.class);
            request.recv = op.filter(|op| self.ops.get(*op).is_some());
            self.add_request(request, outs);
        }
    }
}
