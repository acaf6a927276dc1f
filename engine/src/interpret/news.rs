//! The news that calls bring to their processes of what others did, while there are windows: see [`crate::state::Order`].

use crate::arg_places::{ArgPlaces, NONE};
use crate::model::Model;
use crate::state::{Begun, Between, CommIx, News, OpId, Origin, int};
use std::rc::Rc;
use trace_format::mpi::{Class, Coll, RmaSync, SendMode, Start};
use trace_reader::args::Args;

impl Model {
    /// A receive is over: its call brings the news of the message.
    pub(super) fn hear_message(&mut self, op: OpId) {
        if self.windows.is_empty() {
            return;
        }
        let Some(op) = self.ops.get(op) else { return };
        let (rank, begun) = (op.rank, op.at().index);
        self.ranks[rank as usize].news.push(News::Message(begun));
    }

    /// Something else is over that brings news.
    pub(super) fn hear_news(&mut self, rank: i32, news: News) {
        if !self.windows.is_empty() {
            self.ranks[rank as usize].news.push(news);
        }
    }

    /// A receive has found its send.
    pub(crate) fn order_pair(&mut self, send: OpId, recv: OpId) {
        let has_threads = |op: OpId| self.ranks[self.ops[op].rank as usize].threads.len() > 1;
        // Which of two messages of two threads a receive got is not certain.
        if !self.windows.is_empty() && !has_threads(send) && !has_threads(recv) {
            let [send, recv] = [send, recv].map(|op| (self.ops[op].rank, self.ops[op].at().index));
            self.order.pair(send, recv);
        }
    }

    /// A call begins or ends epochs of a window, at its place in the group.
    pub(super) fn order_epochs(
        &mut self,
        origin: &Origin,
        (ix, place): (CommIx, i32),
        sync: RmaSync,
        group: Option<&[i32]>,
    ) {
        let Some(window) = &mut self.comms.list[ix].window else { return };
        let epochs = window.epochs_of(ix, place, sync, group);
        match sync {
            RmaSync::RmaPost | RmaSync::RmaComplete => {
                epochs.into_iter().for_each(|epoch| self.order.begin_or_end(epoch, (origin.rank, origin.index)));
            }
            // The group is not known.
            RmaSync::RmaStart | RmaSync::RmaWait | RmaSync::RmaTest if epochs.is_empty() => {
                self.hear_news(origin.rank, News::Anything);
            }
            _ => epochs.into_iter().for_each(|epoch| self.hear_news(origin.rank, News::Epoch(epoch))),
        }
    }

    /// A call has returned, which may bring news. A collective operation of all processes of a window begins a new phase for them.
    /// `operation`: the collective one, with its number on the communicator.
    pub(super) fn learn(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, operation: Option<(CommIx, u64)>, outs: &Args) {
        if self.windows.is_empty() {
            return;
        }
        let is_blocking = matches!(s.class, Class::Collective(_, Start::Blocking));
        let place = (origin.rank, origin.index);
        let rank = &mut self.ranks[origin.rank as usize];
        let mut all = std::mem::take(&mut rank.news);
        match operation.filter(|_| is_blocking) {
            Some((comm, number)) => {
                if self.comms.list.get(comm).is_some_and(|comm| comm.b.is_none()) && is_meeting(origin, s) {
                    self.order.meet((comm, number));
                }
                all.push(News::Collective(comm, number));
            }
            None if brings(s, outs) => all.push(News::Anything),
            None => {}
        }
        if all.is_empty() {
            return;
        }
        rank.learned += 1;
        self.wait_with_locks(origin, s, &all);
        all.into_iter().for_each(|news| self.order.learn(place, news));
        if let Some((object, _)) = operation.filter(|_| is_blocking) {
            self.pass_phase(origin, s, object);
        }
    }

    fn pass_phase(&mut self, origin: &Origin, s: &ArgPlaces, object: CommIx) {
        let (learned, is_meeting) = (self.ranks[origin.rank as usize].learned, is_meeting(origin, s));
        for ix in self.windows.clone() {
            let (Some(comm), Some(of)) = (self.comms.list.get(ix), self.comms.list.get(object)) else { continue };
            let is_of_all = of.b.is_none() && of.a.is(&comm.a);
            let (size, place) = (comm.size(), comm.a.position(origin.rank));
            let window = self.comms.list.get_mut(ix).and_then(|comm| comm.window.as_mut());
            if let (true, Some(place), Some(window)) = (is_of_all, place, window)
                && window.members.contains_key(&(place as i32))
                && let Some(phase) = window.passed(place as i32, size, (origin.index, learned, is_meeting))
            {
                self.judge_passive(ix, Some(phase));
            }
        }
    }

    /// Judges the accesses under shared locks in a phase that all processes have left, or all that are left.
    pub(super) fn judge_passive(&mut self, ix: CommIx, phase: Option<u64>) {
        let (no_op, _) = self.rules_of_accumulates(ix);
        let may_conflict = self.comms.list[ix].window.as_ref().is_some_and(|window| window.may_conflict(no_op));
        let begun = if may_conflict { self.begun(ix) } else { Begun::default() };
        let is_whole = !self.are_calls_missing(ix);
        let comm = &mut self.comms.list[ix];
        let (size, Some(window)) = (comm.size(), &mut comm.window) else { return };
        // In which order threads act on shared memory is not known.
        let has_threads =
            || comm.a.iter().any(|rank| self.ranks.get(rank as usize).is_some_and(|r| r.threads.len() > 1));
        let is_known = !window.unclear && window.are_all_known(size) && !(window.is_shared && has_threads());
        let (judged, left) = window.judge_passive(phase, no_op, (&self.order, &begun, &self.locks));
        if !window.is_undecided() {
            window.judged.extend(left.iter().copied());
        }
        for of_target in judged {
            let rank = self.comms.list[ix].a.get(of_target.target);
            if let Some(rank) = rank.filter(|_| is_known && is_whole) {
                self.tell_conflicts((rank, Between::SharedLocks), &of_target.accesses, &of_target.found);
            }
            of_target.accesses.into_iter().for_each(|access| self.recycle(access.call));
        }
        // Without a meeting, what comes behind it in one process may come before it in another.
        if phase.is_none() || !left.is_empty() {
            self.judge_attached(ix, phase);
            self.judge_locks(ix, phase.map(|_| left.as_slice()));
        }
        if self.order.is_long() {
            self.forget_order(ix);
        }
    }

    /// Where each process has made a window.
    pub(super) fn begun(&self, ix: CommIx) -> Begun {
        let comm = &self.comms.list[ix];
        let members = comm.window.as_ref().map(|window| &window.members);
        let all = comm.a.iter().enumerate();
        all.filter_map(|(place, rank)| Some((rank, members?.get(&(place as i32))?.begun))).collect()
    }

    /// Forgets what came before the phases that are judged in all windows of a process.
    fn forget_order(&mut self, ix: CommIx) {
        for rank in self.comms.list[ix].a.iter().collect::<Vec<_>>() {
            let windows = self.windows.iter().filter_map(|ix| self.comms.list.get(*ix));
            let judged = windows.filter_map(|comm| {
                let place = comm.a.position(rank)?;
                let window = comm.window.as_ref()?;
                let judged = window.judged.get(&(place as i32)).filter(|_| !window.has_active_targets());
                Some(judged.copied().unwrap_or(0))
            });
            if let Some(since) = judged.min() {
                self.order.forget(rank, since);
            }
        }
        self.order.was_forgotten();
    }
}

/// Does a call bring news in a way that is not followed?
fn brings(s: &ArgPlaces, outs: &Args) -> bool {
    match s.class {
        Class::Local | Class::Create | Class::Free | Class::RequestFree | Class::Cancel => false,
        Class::Rma | Class::RmaRequest => s.recv.buf != NONE,
        Class::RmaSync(sync) => sync == RmaSync::Sync,
        Class::Send(mode, Start::Blocking | Start::Nonblocking) => mode == SendMode::Synchronous,
        Class::Recv(_) | Class::SendRecv(_) | Class::SendRecvReplace(_) | Class::Mrecv(_) => false,
        Class::Wait(_) | Class::Test(_) | Class::Collective(_, Start::Nonblocking | Start::Persistent) => false,
        Class::StartOne | Class::StartAll => false,
        Class::Probe(_) | Class::Mprobe(_) => s.flag == NONE || int(outs, s.flag) != Some(0),
        _ => true,
    }
}

/// Has no process left a collective operation before all have called it?
pub(super) fn is_meeting(origin: &Origin, s: &ArgPlaces) -> bool {
    match s.class {
        Class::Collective(Coll::Barrier, _) => true,
        Class::Collective(Coll::Allreduce | Coll::Allgather | Coll::Alltoall, _) => {
            origin.int(s.send.count).is_some_and(|count| count > 0)
        }
        _ => false,
    }
}
