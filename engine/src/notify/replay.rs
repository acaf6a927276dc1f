//! The deadlock replay is told of operations as they start, meet and end.

use super::needs::{gets_only_from, near, needs_between, promised_needs};
use crate::arg_places::ArgPlaces;
use crate::collective::{What, giving_neighbors, is_blocking, is_free, what};
use crate::deadlock_replay::{AllReplayIds, Poll};
use crate::model::Model;
use crate::recorded::{Known, Named, Wanted as WantedRaces};
use crate::state::{CollectiveReplayIds, CommIx, Entered, OpId, OpKind, Origin, ReplayIds, Request, View};
use schedules::{Act, Kind, Mode, Needs, OpIx, Probe};
use smallvec::SmallVec;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::mpi::{Class, Coll, Many, SendMode, Start};

/// Why nothing is said of other matchings.
const UNTOLD: &str = "some messages or collective operations are not certain, or of other worlds";

const UNSEEN: &str = "one-sided or partitioned communication may keep messages in order as well";

impl Model {
    /// A collective operation, or one before it, is wrong in itself: nobody knows who waits for whom in it.
    pub(crate) fn notify_bad(&mut self, comm: CommIx, index: u64) {
        let parts = self.comms.list[comm].space.take_replayed(index);
        self.deadlock_replay.recorded.give_up("a collective operation went wrong");
        parts.into_iter().for_each(|ids| self.deadlock_replay.commands.release(ids.replay));
    }

    #[inline]
    pub(super) fn replay_thread(&mut self, rank: i32, thread: u16) -> u32 {
        match self.deadlock_replay.last_thread {
            Some((known, number)) if known == (rank, thread) => number,
            _ => self.look_up_replay_thread(rank, thread),
        }
    }

    fn look_up_replay_thread(&mut self, rank: i32, thread: u16) -> u32 {
        let w = &mut self.deadlock_replay;
        let place = rank as usize;
        if w.of.len() <= place {
            w.of.resize_with(self.ranks.len().max(place + 1), SmallVec::new);
        }
        if let Some((_, known)) = w.of[place].iter().find(|(of, _)| *of == thread) {
            w.last_thread = Some(((rank, thread), *known));
            return *known;
        }
        let number = w.threads.len() as u32;
        w.threads.push((rank, thread));
        w.recorded.thread();
        w.commands.thread(u64::from(rank as u32) << 16 | u64::from(thread));
        w.of[place].push((thread, number));
        w.last_thread = Some(((rank, thread), number));
        number
    }

    /// A call that may order things in ways that are not written down.
    pub(crate) fn notify_unseen(&mut self, class: Class) {
        let is_unseen = match class {
            Class::RmaSync(_) | Class::PartitionedSend | Class::PartitionedRecv => true,
            Class::Collective(coll, _) => coll == Coll::WinAllocateShared,
            _ => false,
        };
        if is_unseen && !self.deadlock_replay.off {
            self.deadlock_replay.recorded.give_up(UNSEEN);
        }
    }

    /// A send or receive was started.
    pub(crate) fn notify_start(&mut self, op: OpId) {
        let o = &self.ops[op];
        let comm = &self.comms.list[o.comm];
        if self.deadlock_replay.off || o.peer < 0 && o.peer != ANY_SOURCE {
            return;
        }
        if o.dim || comm.is_foreign() || comm.made_wrongly {
            return self.deadlock_replay.recorded.give_up(UNTOLD);
        }
        let (rank, peer, tag, comm) = (o.rank as u32, o.peer, o.tag, comm.serial);
        let act = match o.kind {
            OpKind::Send(mode) => {
                let mode = match mode {
                    SendMode::Buffered => Mode::Buffered,
                    SendMode::Synchronous => Mode::Synchronous,
                    _ => Mode::Standard,
                };
                let bytes = o.data.and_then(|d| d.amount.bytes).unwrap_or(0);
                Act::Send { mode, comm, from: rank, to: peer as u32, tag, bytes }
            }
            OpKind::Recv => {
                let source = u32::try_from(peer).ok();
                Act::Recv { comm, at: rank, source, tag: (tag != ANY_TAG).then_some(tag) }
            }
        };
        let origin = o.shown().clone();
        let thread = self.replay_thread(origin.rank, origin.thread);
        let is_recorded = self.deadlock_replay.recorded.is_written() || act.is_open();
        let recorded = if is_recorded { self.record_start(op, thread, &act) } else { None };
        let replay = self.deadlock_replay.commands.start(thread, act, origin);
        self.ops[op].replayed = Some(ReplayIds { replay, recorded });
        self.hand_over_if_full();
    }

    /// Notes the start of an operation in the recorded program.
    #[inline(never)]
    fn record_start(&mut self, op: OpId, thread: u32, act: &Act) -> Option<OpIx> {
        let kind = match *act {
            Act::Send { mode, comm, from, to, tag, bytes } => Kind::Send { mode, comm, from, to, tag, bytes },
            Act::Recv { comm, at, source, tag } => Kind::Recv { comm, at, source, tag, got: None, steers: None },
            Act::Part { .. } => return None,
        };
        let o = &self.ops[op];
        let amount = o.data.map(|d| d.amount);
        self.deadlock_replay.recorded.start(thread, kind, Some(o.comm), o.start.is_some(), amount, o.shown())
    }

    /// A process started its part of a collective operation.
    pub(crate) fn notify_part(&mut self, comm: CommIx, index: u64, position: u32) {
        let c = &self.comms.list[comm];
        if self.deadlock_replay.off {
            return;
        }
        if c.is_foreign() || c.made_wrongly || c.spoiled || c.space.tangled {
            return self.deadlock_replay.recorded.give_up(UNTOLD);
        }
        let Some(instance) = c.space.get(index) else { return };
        let Some(part) = instance.parts.get(position as usize).and_then(Option::as_ref) else { return };
        // Freeing is collective in name; the order in which objects are freed has a check of its own.
        let in_name = |c: Coll| is_free(c) || matches!(c, Coll::CommSetInfo | Coll::WinSetInfo | Coll::FileSetInfo);
        let in_name = matches!(what(part.call.func), What::Coll(c) if in_name(c));
        if part.dim || instance.bad || in_name {
            return;
        }
        let origin = part.shown().clone();
        let view = View { rank: part.call.rank, position, call: &part.call };
        let between = c.b.is_some();
        let needs = if between { needs_between(c, &view) } else { promised_needs(&view) };
        let (known, size) = (instance.replayed, instance.parts.len() as u32);
        let collective = known.unwrap_or_else(|| {
            // An operation that may wait for all keeps apart what is before and behind it, as far as other matchings are concerned.
            let orders = if matches!(needs, Needs::Nobody) { Needs::All } else { needs.clone() };
            let recorded = self.deadlock_replay.recorded.collective(size, |p| orders.of(p, size));
            CollectiveReplayIds { replay: self.deadlock_replay.commands.collective(size, needs), recorded }
        });
        let needed = || gets_only_from(&view).or_else(|| giving_neighbors(self, &view));
        if let Some(needed) = (!between).then(needed).flatten() {
            self.deadlock_replay.recorded.part_needs(collective.recorded, position, &needed);
            self.deadlock_replay.commands.part_needs(collective.replay, position, needed);
        }
        if let Some(near) = near(self, &view) {
            self.deadlock_replay.commands.part_may_need(collective.replay, position, near);
        }
        let thread = self.replay_thread(origin.rank, origin.thread);
        let kind = Kind::Part { collective: collective.recorded, position };
        let recorded = self.deadlock_replay.recorded.start(thread, kind, None, false, None, &origin);
        let act = Act::Part { collective: collective.replay, position };
        let ids = ReplayIds { replay: self.deadlock_replay.commands.start(thread, act, origin), recorded };
        self.comms.list[comm].space.set_replayed(index, position, collective, ids);
        self.hand_over_if_full();
    }

    /// The two belong together. `certain`: nobody else could be meant.
    pub(crate) fn notify_pair(&mut self, send: OpId, recv: OpId, certain: bool) {
        if self.deadlock_replay.off {
            return;
        }
        let ids = [self.ops[send].replayed, self.ops[recv].replayed];
        match ids {
            [Some(s), Some(r)] if certain && !self.ops[send].dim && !self.ops[recv].dim => {
                self.deadlock_replay.commands.pair(s.replay, r.replay);
                if let (Some(send), Some(recv)) = (s.recorded, r.recorded) {
                    self.deadlock_replay.recorded.pair(send, recv);
                }
            }
            _ => {
                self.deadlock_replay.recorded.give_up("which messages met which receives is not certain");
                [send, recv].into_iter().for_each(|op| self.notify_nothing(op));
            }
        }
    }

    /// The operation did not take place, or nobody knows what it met.
    pub(crate) fn notify_nothing(&mut self, op: OpId) {
        if let Some(ids) = self.ops.get_mut(op).and_then(|o| o.replayed.take()) {
            self.deadlock_replay.commands.release(ids.replay);
            ids.recorded.into_iter().for_each(|op| self.deadlock_replay.recorded.withdraw(op));
        }
    }

    /// The program will not wait for the operation again.
    pub(crate) fn notify_end(&mut self, op: OpId) {
        if self.deadlock_replay.off {
            return;
        }
        let Some(o) = self.ops.get_mut(op).filter(|o| !o.is_over_in_replay) else { return };
        o.is_over_in_replay = true;
        if let Some(ids) = o.replayed {
            if o.matched {
                o.replayed = None;
            }
            self.deadlock_replay.commands.forget(ids.replay);
        }
    }

    pub(crate) fn notify_part_end(&mut self, comm: CommIx, index: u64, position: u32) {
        let part = self.comms.list[comm].space.part_mut(index, position);
        if let Some(ids) = part.and_then(|p| p.replayed.take()) {
            self.deadlock_replay.commands.forget(ids.replay);
        }
    }

    /// A call that starts something and waits for it has returned, or (not `returned`) never does.
    pub(crate) fn notify_blocking(&mut self, origin: &Known, entered: &Entered, returned: bool) {
        let waits = match origin.arg_places.class {
            Class::Send(_, start) | Class::Recv(start) | Class::SendRecv(start) | Class::SendRecvReplace(start) => {
                start == Start::Blocking
            }
            Class::Collective(..) => is_blocking(origin.func),
            Class::CommCreateGroup | Class::CommFromGroup | Class::IntercommCreate | Class::IntercommFromGroups => true,
            _ => false,
        };
        if !waits || self.deadlock_replay.off {
            return;
        }
        let ops = [entered.send, entered.recv].into_iter().flatten();
        let mut ids: AllReplayIds = ops.filter_map(|op| self.waited(op)).collect();
        ids.extend(entered.collective.and_then(|at| self.part_id(at)));
        self.notify_wait(origin, ids, None, true, returned);
    }

    /// The numbers of an operation that is waited for.
    fn waited(&self, op: OpId) -> Option<ReplayIds> {
        self.ops.get(op).filter(|o| !o.is_over_in_replay)?.replayed
    }

    fn part_id(&self, (comm, index, position): (CommIx, u64, u32)) -> Option<ReplayIds> {
        let instance = self.comms.list[comm].space.get(index)?;
        instance.parts.get(position as usize)?.as_ref()?.replayed
    }

    fn notify_wait(
        &mut self,
        origin: &Known,
        ops: AllReplayIds,
        any: Option<AllReplayIds>,
        patient: bool,
        returned: bool,
    ) {
        if !self.deadlock_replay.polls.is_empty() {
            self.deadlock_replay.polls.remove(&(origin.rank, origin.thread));
        }
        if ops.is_empty() || any.as_ref().is_some_and(SmallVec::is_empty) && returned {
            return;
        }
        let thread = self.replay_thread(origin.rank, origin.thread);
        let w = &mut self.deadlock_replay;
        let recorded_ops = |all: &[ReplayIds]| all.iter().filter_map(|t| t.recorded).collect();
        if w.recorded.is_written() {
            w.recorded.wait(thread, recorded_ops(&ops), any.as_deref().map(recorded_ops), patient, origin);
        }
        // Iterators of slices know their length.
        let any = any.as_deref().map(|any| any.iter().map(|t| t.replay));
        w.commands.wait(thread, origin.clone(), ops.iter().map(|t| t.replay), any, (patient, returned));
        self.hand_over_if_full();
    }

    /// Operations of the given requests, as far as it is known which are meant: of several with one handle, which libraries give to
    /// those that are complete at once, a guess would make a program wait for what it does not wait for. `all`: the call means all
    /// of its array.
    fn waited_for(&self, origin: &Origin, at: impl Iterator<Item = usize>, all: bool) -> AllReplayIds {
        let (base, handles) = origin.requests();
        let requests = &self.ranks[origin.rank as usize].requests;
        let mut ids = AllReplayIds::new();
        let mut note = |request: Option<&Request>| {
            let Some(request) = request.filter(|r| r.active && !r.cancelled) else { return };
            ids.extend([request.send, request.recv].into_iter().flatten().filter_map(|op| self.waited(op)));
            ids.extend(request.collective.and_then(|at| self.part_id(at)));
        };
        let mut gone_through: SmallVec<[i64; 2]> = SmallVec::new();
        for i in at {
            match requests.meant_in(handles, base, i) {
                Some((found, true)) => note(requests.get(found)),
                Some((_, false)) if all && !gone_through.contains(&handles[i]) => {
                    gone_through.push(handles[i]);
                    requests.all_meant(handles, handles[i]).for_each(|id| note(requests.get(id)));
                }
                _ => {}
            }
        }
        ids
    }

    /// A call has completed requests: those at the first numbers of `completed` in its array. To be told before they are
    /// gone.
    pub(crate) fn notify_completion(&mut self, origin: &Known, many: Many, wait: bool, completed: &[(usize, usize)]) {
        if self.deadlock_replay.off {
            return;
        }
        let poll = Poll { func: origin.func, site: origin.site };
        let thread = (origin.rank, origin.thread);
        if completed.is_empty() {
            if !wait {
                self.notify_poll(origin);
            }
            return;
        }
        let patient = wait || self.deadlock_replay.polls.get(&thread) == Some(&poll);
        let means_all = matches!(many, Many::One | Many::All);
        let done = self.waited_for(origin, completed.iter().map(|(place, _)| *place), means_all);
        match many {
            Many::One | Many::All => self.notify_wait(origin, done, None, patient, true),
            Many::Any | Many::Some => {
                let all = self.waited_for(origin, 0..origin.requests().1.len(), false);
                self.notify_wait(origin, all, Some(done), patient, true);
            }
        }
    }

    /// The run is over; `well`: every rank came to its end, and all of them are known.
    pub(crate) fn conclude_replay(&mut self, well: bool) {
        for rank in 0..self.ranks.len() {
            let open: Vec<(Known, Entered)> = self.ranks[rank]
                .threads
                .iter()
                .filter_map(|t| t.open.last())
                .map(|o| (o.origin.clone(), o.entered))
                .collect();
            for (origin, entered) in open {
                match origin.arg_places.class {
                    Class::Wait(many) => {
                        let means_any = matches!(many, Many::Any | Many::Some);
                        let all = self.waited_for(&origin, 0..origin.requests().1.len(), !means_any);
                        let any = means_any.then(AllReplayIds::new);
                        self.notify_wait(&origin, all, any, true, false);
                    }
                    _ => self.notify_blocking(&origin, &entered, false),
                }
            }
        }
        if !self.deadlock_replay.off {
            self.deadlock_replay.commands.knots(well);
        }
        self.settle_replay();
        self.drop_unclear_meetings();
        let mut recorded = std::mem::take(&mut self.deadlock_replay.recorded);
        if let Some(known) = self.deadlock_replay.exploring.clone() {
            self.deadlock_replay.ways = recorded.ways(
                &self.deadlock_replay.threads,
                &known,
                Named { comms: &self.comms, place: &|call| self.place(call) },
            );
        }
        if well {
            let wanted = WantedRaces::of(&self.selection);
            let mut matchings =
                recorded.answer(&self.deadlock_replay.threads, self.deadlock_replay.found.is_empty(), wanted);
            matchings.races.retain_mut(|race| race.judge(&mut self.signatures, wanted));
            self.deadlock_replay.witnesses = matchings.witnesses(&self.comms);
            self.deadlock_replay.matchings = matchings;
        }
    }

    /// A probe was told of a message: from that process, with that tag.
    pub(crate) fn notify_probe(&mut self, origin: &Known, s: &ArgPlaces, told: Option<(i32, i32)>, wait: bool) {
        if self.deadlock_replay.off {
            return;
        }
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let Some((source, tag)) = told.filter(|t| t.0 >= 0) else {
            return self.deadlock_replay.recorded.give_up("which message a probe reported is not certain");
        };
        let thread = self.replay_thread(origin.rank, origin.thread);
        let poll = Poll { func: origin.func, site: origin.site };
        let patient = wait || self.deadlock_replay.polls.remove(&(origin.rank, origin.thread)) == Some(poll);
        let wanted = (u32::try_from(target.peer).ok(), (target.tag != ANY_TAG).then_some(target.tag));
        let at = origin.rank as u32;
        let comm = (target.comm, self.comms.list[target.comm].serial);
        let told = (source as u32, tag);
        self.deadlock_replay.recorded.probe(thread, comm, at, wanted, told, patient, origin);
        let c = &self.comms.list[target.comm];
        if c.is_foreign() || c.made_wrongly || self.has_threads(origin.rank) {
            return;
        }
        let probe = Probe { comm: comm.1, at, source: wanted.0, tag: wanted.1, reported: told };
        self.deadlock_replay.commands.probe(thread, origin.clone(), probe, patient);
        self.hand_over_if_full();
    }

    /// A probe or test was made in vain.
    pub(crate) fn notify_poll(&mut self, origin: &Known) {
        let poll = Poll { func: origin.func, site: origin.site };
        self.deadlock_replay.polls.insert((origin.rank, origin.thread), poll);
    }

    /// A matched probe has returned with its message, whose receive waits for nothing.
    pub(crate) fn notify_matched_probe(&mut self, origin: &Known, op: OpId, wait: bool) {
        let poll = Poll { func: origin.func, site: origin.site };
        let patient = wait || self.deadlock_replay.polls.get(&(origin.rank, origin.thread)) == Some(&poll);
        let waited = self.waited(op).into_iter().collect();
        self.notify_wait(origin, waited, None, patient, true);
        self.notify_end(op);
    }
}
