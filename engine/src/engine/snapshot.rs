//! Snapshots of a run that repeats itself. When all ranks have gone through a lap of their loops, and nothing is left
//! of it but higher counts, the next laps with the same calls leave nothing else either: they need only be counted.

use super::Engine;
use crate::arg_places::{ArgPlaces, NONE, arg_places};
use crate::collective::{is_among_neighbors, moves_data};
use crate::model::Model;
use crate::state::{CommIx, Op, OpId, Rank};
use trace_format::mpi::{Class, SendMode, Start};
use trace_reader::call::Outcome;
use trace_reader::reader::{EventRef, RankEvent};

/// With more than this in flight nothing is said.
const MOST_IN_FLIGHT: usize = 1 << 10;

/// An operation that was begun and is not over, by the call that shows it, or a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InFlight {
    Op { op: OpId, rank: i32, thread: u16, index: u64 },
    Collective { comm: CommIx, index: u64 },
}

impl InFlight {
    fn of(op: OpId, o: &Op) -> InFlight {
        let shown = o.shown();
        InFlight::Op { op, rank: o.rank, thread: shown.thread, index: shown.index }
    }
}

/// Everything of the state of a run that later calls and findings may depend on, but for counts, times, and what the kinds of
/// calls do not touch that [`Engine::is_plain`] speaks of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    in_flight: Vec<(InFlight, [bool; 2])>,
    numbers: Vec<u64>,
}

impl Snapshot {
    pub(crate) fn is_nothing_under_way(&self) -> bool {
        self.in_flight.is_empty()
    }
}

/// How often what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// By rank: calls, sends, receives, collective operations, events.
    ranks: Vec<[u64; 5]>,
    wildcards: u64,
}

/// Does a call leave nothing behind but its operation?
pub(super) fn is_plain(s: &ArgPlaces) -> bool {
    let leaves_nothing = match s.class {
        Class::Local => (s.win, s.info) == (NONE, NONE),
        Class::Send(mode, Start::Blocking | Start::Nonblocking) => mode != SendMode::Buffered,
        Class::Recv(Start::Blocking | Start::Nonblocking) => true,
        Class::SendRecv(Start::Blocking | Start::Nonblocking) => true,
        Class::SendRecvReplace(Start::Blocking | Start::Nonblocking) => true,
        Class::Collective(coll, Start::Blocking | Start::Nonblocking) => moves_data(coll) || is_among_neighbors(coll),
        Class::Wait(_) | Class::StartOne | Class::StartAll | Class::Probe(Start::Blocking) => true,
        _ => false,
    };
    leaves_nothing && !s.hands_out
}

impl Engine {
    /// May anything be left out? Nobody wants to be told of each call, and nothing is written down of it.
    pub(crate) fn may_leap(&self) -> bool {
        let model = &self.model;
        !model.blind && !model.listeners.is_on() && model.deadlock_replay.counts_only()
    }

    /// May all calls of this rank be leapt over?
    pub(crate) fn may_leap_over(&self, rank: i32) -> bool {
        let Some(r) = usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank)) else { return false };
        r.threads.len() == 1 && !r.multiple && r.initialized && !r.holed && !r.lost && !r.missing && !r.sums
    }

    /// Is it a call that does the same each time that its rank is where it was, and leaves nothing behind but its operation?
    pub(crate) fn is_plain(&self, rank: i32, event: &EventRef) -> bool {
        match event {
            EventRef::Repeat(repeat) => {
                let pattern = self.model.ranks.get(rank as usize).and_then(|r| r.kept(repeat));
                repeat.class == 0 && pattern.is_some_and(|p| p.polls == 0 && is_plain(p.arg_places))
            }
            EventRef::Whole(RankEvent::Call(call)) => {
                call.outcome == Outcome::Returned(0) && call.polls == 0 && is_plain(arg_places(call.func))
            }
            EventRef::Whole(_) => false,
        }
    }

    /// Messages and receives in flight.
    pub(crate) fn number_in_flight(&self) -> usize {
        self.model.ops.len()
    }

    /// The operations in flight, the earliest last.
    pub(crate) fn in_flight_now(&self) -> Vec<InFlight> {
        let mut all: Vec<(u64, InFlight)> = Vec::new();
        all.extend(self.model.ops.iter().map(|(op, o)| (o.shown().index, InFlight::of(op, o))));
        for (comm, c) in self.model.comms.list.iter() {
            // Operations that are over and wait for one before them are left out.
            let open = c.space.open().filter(|(_, instance)| (instance.done as usize) < instance.parts.len());
            all.extend(open.map(|(index, _)| (u64::MAX, InFlight::Collective { comm, index })));
        }
        all.sort_by_key(|(index, _)| std::cmp::Reverse(*index));
        all.into_iter().map(|(_, what)| what).collect()
    }

    /// The rank that has to go on for this to be over; `None` if it is.
    pub(crate) fn wanted(&self, what: InFlight) -> Option<i32> {
        let model = &self.model;
        match what {
            InFlight::Op { op, rank, .. } => {
                // Its number may be that of another one by now.
                let o = model.ops.get(op).filter(|o| InFlight::of(op, o) == what)?;
                Some(match (o.done, o.is_send()) {
                    (false, _) => rank,
                    (true, true) => o.peer,
                    (true, false) => model.sender_to(op).unwrap_or(o.peer),
                })
            }
            InFlight::Collective { comm, index } => {
                let comm = model.comms.list.get(comm)?;
                let instance = comm.space.get(index)?;
                let place = instance.parts.iter().position(|part| part.as_ref().is_none_or(|part| !part.done))?;
                Some(comm.member(place as u32))
            }
        }
    }

    /// See [`Snapshot`]; `None`: too much is in flight.
    pub(crate) fn snapshot(&mut self) -> Option<Snapshot> {
        if self.model.ops.len() > MOST_IN_FLIGHT {
            return None;
        }
        self.model.settle_replay();
        let model = &self.model;
        let mut in_flight = Vec::new();
        in_flight.extend(model.ops.iter().map(|(op, o)| (InFlight::of(op, o), [o.matched, o.done])));
        let mut numbers = vec![model.comms.list.len() as u64, model.epoch.into(), model.bridges.len() as u64];
        numbers.extend([model.undecided.len() as u64, model.damaged.len() as u64, model.findings.kept_so_far()]);
        numbers.extend([model.suspects.len() as u64, model.suspects.values().map(|message| message.count).sum()]);
        model.deadlock_replay.snapshot(&mut numbers);
        for (comm, c) in model.comms.list.iter() {
            numbers.push(c.findings.kept_so_far());
            for (index, instance) in c.space.open() {
                in_flight.push((InFlight::Collective { comm, index }, [instance.bad, false]));
                numbers.extend([instance.arrived, instance.done].map(u64::from));
            }
        }
        for r in &model.ranks {
            numbers.extend(
                r.threads.iter().flat_map(|t| [t.open.len(), t.sums.len(), t.polls.all().len()]).map(|n| n as u64),
            );
            numbers.extend([r.threads.len(), r.messages.len(), r.errors.len(), r.breaches.len()].map(|n| n as u64));
            numbers.extend([r.discoveries.len(), r.failures.len(), r.met.len()].map(|n| n as u64));
            numbers.extend([r.signal.is_some(), r.exit.is_some(), r.holed, r.lost, r.abort.is_some()].map(u64::from));
            numbers.push(r.files.calls);
            let requests = r.requests.iter().map(|r| (1, u64::from(r.active), u64::from(r.seen_complete)));
            let (all, active, seen) = requests.fold((0, 0, 0), |sum, r| (sum.0 + r.0, sum.1 + r.1, sum.2 + r.2));
            numbers.extend([all, active, seen]);
        }
        Some(Snapshot { in_flight, numbers })
    }

    pub(crate) fn counts(&self) -> Counts {
        let model = &self.model;
        Counts { ranks: model.ranks.iter().map(Rank::counts).collect(), wildcards: model.deadlock_replay.wildcards() }
    }

    /// Counts once more, so many times, all that was done between the two.
    pub(crate) fn count(&mut self, from: &Counts, to: &Counts, times: u64) {
        let add = |count: &mut u64, from: u64, to: u64| {
            *count = count.saturating_add((to.saturating_sub(from)).saturating_mul(times));
        };
        for (rank, (from, to)) in self.model.ranks.iter_mut().zip(from.ranks.iter().zip(&to.ranks)) {
            for (i, count) in rank.counts_mut().into_iter().enumerate() {
                add(count, from[i], to[i]);
            }
        }
        add(self.model.deadlock_replay.wildcards_mut(), from.wildcards, to.wildcards);
        let calls = |counts: &Counts| counts.ranks.iter().map(|rank| rank[0]).sum();
        add(&mut self.model.leapt, calls(from), calls(to));
    }

    /// Adds the counts of calls of a rank that the engine is not given: as in [`Rank::counts`], and receives and probes that
    /// took what they liked.
    pub(crate) fn count_calls(&mut self, rank: i32, done: [u64; 5], open: u64) {
        let Some(r) = usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get_mut(rank)) else { return };
        for (count, more) in r.counts_mut().into_iter().zip(done) {
            *count = count.saturating_add(more);
        }
        self.model.leapt = self.model.leapt.saturating_add(done[0]);
        if !self.model.deadlock_replay.off {
            let wildcards = self.model.deadlock_replay.wildcards_mut();
            *wildcards = wildcards.saturating_add(open);
        }
    }

    /// Calls that were counted in this way.
    pub fn leapt(&self) -> u64 {
        self.model.leapt
    }
}

impl Model {
    /// The rank whose message a receive has got that was not met yet.
    fn sender_to(&self, recv: OpId) -> Option<i32> {
        let o = self.ops.get(recv)?;
        let mailbox = self.comms.list.get(o.comm)?.boxes.get(o.rank)?;
        let lane = mailbox.lanes.iter().find(|(_, lane)| lane.recvs.iter().any(|r| r.1 == recv));
        lane.map(|(key, _)| key.0)
    }
}
