//! Counts what the engine tells.

use super::nested::Nested;
use super::sizes::Sizes;
use super::waits::{Cause, LongestWaits, Wait, at_collective, late_receiver, late_sender};
use engine::clocks::Clock;
use engine::clocks::Clocks;
use engine::listeners::{CallSeen, Collective, Communicator, Half, Listener, Message, Returned};
use rustc_hash::FxHashMap;
use trace_format::definition::Id;
use trace_format::mpi::{Class, FnId};

/// Communicators that are told apart; what is done on further ones is counted together.
const MAX_COMMUNICATORS: usize = 4096;

/// Counts what happens in a run, as a [`Listener`].
#[derive(Debug, Default)]
pub struct Collector {
    pub(super) clocks: Clocks,
    pub(super) ranks: Vec<RankCounts>,
    pub(super) pairs: FxHashMap<(i32, i32), Traffic>,
    pub(super) collectives: FxHashMap<(Option<u32>, FnId), CollectiveCounts>,
    /// Communicators with collective operations that are counted; `None` until the communicator itself is known.
    pub(super) communicators: FxHashMap<u32, Option<Communicator>>,
}

/// Counts of a rank.
#[derive(Debug, Default)]
pub(super) struct RankCounts {
    /// By call site and function.
    pub(super) calls: FxHashMap<(Id, FnId), Calls>,
    pub(super) threads: FxHashMap<u16, ThreadCounts>,
    /// Messages that it sent.
    pub(super) sizes: Sizes,
    waiting: LongestWaits,
}

/// Counts of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadCounts {
    /// Begin of the first call and end of the last one.
    pub(super) from: Option<u64>,
    pub(super) to: u64,
    nested: Nested,
}

/// Calls of one function at one place. Times are nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Calls {
    pub(super) calls: u64,
    pub(super) open: u64,
    /// Calls that have a time.
    pub(super) timed: u64,
    pub(super) ns: u64,
    pub(super) polling: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) bytes: u64,
    pub(super) late_sender: u64,
    pub(super) late_receiver: u64,
    pub(super) collective: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traffic {
    pub(super) messages: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CollectiveCounts {
    pub(super) operations: u64,
    pub(super) unfinished: u64,
    pub(super) ns: u64,
    pub(super) wait: u64,
    pub(super) max_wait: u64,
}

impl Calls {
    fn time(&mut self, ns: u64) {
        self.min = if self.timed == 0 { ns } else { self.min.min(ns) };
        self.max = self.max.max(ns);
        self.timed += 1;
        self.ns = self.ns.saturating_add(ns);
    }

    pub(super) fn carries(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn wait(&mut self, cause: Cause, ns: u64) {
        let sum = match cause {
            Cause::LateSender => &mut self.late_sender,
            Cause::LateReceiver => &mut self.late_receiver,
            Cause::Collective => &mut self.collective,
        };
        *sum = sum.saturating_add(ns);
    }
}

impl RankCounts {
    fn add_wait(&mut self, wait: Wait) {
        if let Some(certain) = self.waiting.note(wait) {
            self.count_wait(certain);
        }
    }

    fn count_wait(&mut self, wait: Wait) {
        self.calls.entry((wait.call.site, wait.call.func)).or_default().wait(wait.cause, wait.ns);
    }
}

impl Collector {
    fn rank(&mut self, rank: i32) -> &mut RankCounts {
        let place = rank.max(0) as usize;
        if self.ranks.len() <= place {
            self.ranks.resize_with(place + 1, RankCounts::default);
        }
        &mut self.ranks[place]
    }

    fn calls(&mut self, call: &CallSeen) -> &mut Calls {
        self.rank(call.rank).calls.entry((call.site, call.func)).or_default()
    }

    fn sent(&mut self, half: &Half, to: i32) {
        self.rank(half.call.rank).sizes.add(half.bytes);
        let traffic = self.pairs.entry((half.call.rank, to)).or_default();
        traffic.messages += 1;
        let bytes = half.bytes.unwrap_or(0);
        traffic.bytes = traffic.bytes.saturating_add(bytes);
        self.calls(&half.call).carries(bytes);
    }

    /// Entries that are kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        let ranks: usize = self.ranks.iter().map(|r| r.calls.len() + r.waiting.len()).sum();
        ranks + self.pairs.len() + self.collectives.len() + self.communicators.len()
    }

    /// Counts the waits of calls that completed several operations: no more of these will come.
    pub(super) fn settle(&mut self) {
        for rank in &mut self.ranks {
            rank.waiting.rest().for_each(|wait| rank.count_wait(wait));
        }
    }
}

impl Listener for Collector {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.clocks.introduce(rank, host, clock);
    }

    fn call(&mut self, returned: &Returned) {
        let (call, polls) = (&returned.call, u64::from(returned.polls));
        // A call whose record is gone has no times.
        let end = returned.last.or(call.end).filter(|_| call.begin != 0);
        let ns = end.map(|end| self.clocks.span(call.rank, call.begin, end));
        let rank = self.rank(call.rank);
        let thread = rank.threads.entry(call.thread).or_default();
        if call.begin != 0 {
            thread.from = Some(thread.from.map_or(call.begin, |from| from.min(call.begin)));
            thread.to = thread.to.max(end.unwrap_or(call.begin));
        }
        let ns = ns.map(|ns| thread.nested.own(call.index, ns));
        let calls = rank.calls.entry((call.site, call.func)).or_default();
        calls.calls += 1 + polls;
        // Waits of messages come when both halves are known.
        if matches!(call.func.row().class, Class::Collective(..)) {
            calls.carries(returned.bytes.unwrap_or(0));
        }
        match ns {
            Some(ns) if polls > 0 => calls.polling = calls.polling.saturating_add(ns),
            Some(ns) => calls.time(ns),
            None if returned.class.is_none() => calls.open += 1,
            None => {}
        }
    }

    fn message(&mut self, message: &Message) {
        let Message { send, recv } = message;
        self.sent(send, recv.call.rank);
        // Sent and received by one call, MPI_Sendrecv to itself: counted once.
        if (send.call.rank, send.call.thread, send.call.index) != (recv.call.rank, recv.call.thread, recv.call.index) {
            self.calls(&recv.call).carries(recv.bytes.or(send.bytes).unwrap_or(0));
        }
        let waits = [late_sender(&self.clocks, message), late_receiver(&self.clocks, message)];
        for wait in waits.into_iter().flatten() {
            self.rank(wait.call.rank).add_wait(wait);
        }
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        if is_send && half.peer >= 0 {
            self.sent(half, half.peer);
        }
    }

    fn collective(&mut self, collective: &Collective) {
        let Some(first) = collective.parts.first() else { return };
        let is_known = self.communicators.contains_key(&collective.comm);
        let number = (is_known || self.communicators.len() < MAX_COMMUNICATORS).then_some(collective.comm);
        if let Some(number) = number.filter(|_| !is_known) {
            self.communicators.insert(number, None);
        }
        let key = (number, first.call.func);
        let mut of = self.collectives.get(&key).copied().unwrap_or_default();
        of.operations += 1;
        let over = |half: &Half| half.ended.is_some_and(|call| call.end.is_some());
        of.unfinished += u64::from(collective.parts.len() < collective.size || !collective.parts.iter().all(over));
        for call in collective.parts.iter().filter_map(|p| p.ended) {
            of.ns = of.ns.saturating_add(self.clocks.span(call.rank, call.begin, call.end.unwrap_or(call.begin)));
        }
        let mut waits = Vec::new();
        at_collective(&self.clocks, collective, |wait| waits.push(wait));
        for wait in waits {
            of.wait = of.wait.saturating_add(wait.ns);
            of.max_wait = of.max_wait.max(wait.ns);
            self.rank(wait.call.rank).add_wait(wait);
        }
        self.collectives.insert(key, of);
    }

    fn communicator(&mut self, communicator: &Communicator) {
        if let Some(known) = self.communicators.get_mut(&communicator.number) {
            *known = Some(communicator.clone());
        }
    }
}
