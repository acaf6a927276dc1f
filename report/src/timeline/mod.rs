//! The time line of a run: what each rank did when, and who spoke with whom. [`Recorder`] listens to the engine, in
//! memory that does not grow with the length of the run; [`Timeline`] is what came of it, as the HTML report has it.

mod annotations;
mod base64;
mod calls;
mod cells;
mod hash_sample;
mod traffic;
mod view;

use crate::statistics::waits::{Wait, at_collective, late_receiver, late_sender};
use annotations::Annotations;
use calls::Calls;
use cells::{Cells, State};
use engine::clocks::Clock;
use engine::clocks::Clocks;
use engine::listeners::{CallSeen, Collective, Communicator, Half, Listener, Message, Returned};
use std::collections::BTreeMap;
use trace_format::mpi::{Class, FnId};
use trace_format::system::SystemEvent;
use traffic::{Arrow, Bar, Stub, Traffic};

pub use view::Timeline;

/// Communicators that are kept.
const COMMUNICATORS: usize = 5_000;

/// 36 years.
const FAR: i64 = 1 << 60;

/// The times of all ranks, from one origin on.
#[derive(Debug, Default)]
struct Scale {
    clocks: Clocks,
    /// Nanoseconds since 1970 at the origin.
    origin: Option<u64>,
}

impl Scale {
    /// The time, in nanoseconds since the origin.
    fn at(&self, rank: i32, ticks: u64) -> i64 {
        let ns = i128::from(self.clocks.ns(rank, ticks)) - i128::from(self.origin.unwrap_or(0));
        // A damaged time must not make the sums of times overflow.
        ns.clamp(-i128::from(FAR), i128::from(FAR)) as i64
    }
}

/// Listens to the engine; see the module.
#[derive(Default)]
pub struct Recorder {
    scale: Scale,
    cells: Cells,
    calls: Calls,
    traffic: Traffic,
    annotations: Annotations,
    communicators: BTreeMap<u32, Communicator>,
    communicators_seen: u64,
    /// Calls that have not returned.
    open: Vec<(i32, i64)>,
    /// First and last thing that is known of each rank.
    spans: Vec<Option<(i64, i64)>>,
}

/// The state of a rank that is in the function.
fn state(func: FnId) -> State {
    match func.row().class {
        class if class.is_message() => State::Message,
        Class::Collective(..)
        | Class::CommCreateGroup
        | Class::CommFromGroup
        | Class::IntercommCreate
        | Class::IntercommFromGroups => State::Collective,
        _ => State::Other,
    }
}

fn place(call: &CallSeen) -> (u16, u64) {
    (call.thread, call.index)
}

impl Recorder {
    fn grow(&mut self, ranks: usize) {
        if self.spans.len() < ranks {
            self.spans.resize(ranks, None);
            self.cells.grow(ranks);
            self.calls.grow(ranks);
            self.traffic.grow(ranks);
        }
    }

    fn at(&self, rank: i32, ticks: u64) -> i64 {
        self.scale.at(rank, ticks)
    }

    fn see(&mut self, rank: i32, from: i64, to: i64) {
        if let Some(span) = self.spans.get_mut(rank as usize) {
            let (first, last) = span.unwrap_or((from, to));
            *span = Some((first.min(from), last.max(to)));
        }
    }

    /// In this call its rank waited for another one.
    fn wait(&mut self, wait: Wait) {
        let Wait { call, ns, .. } = wait;
        let begin = self.at(call.rank, call.begin);
        let until = begin.saturating_add_unsigned(ns).min(FAR);
        let from = self.calls.waited((call.rank, call.thread, call.index), begin, until);
        self.cells.wait(call.rank, state(call.func), from, until);
    }
}

impl Listener for Recorder {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.grow(rank.max(0) as usize + 1);
        self.scale.origin.get_or_insert(clock.start_unix_ns);
        self.scale.clocks.introduce(rank, host, clock);
    }

    fn call(&mut self, returned: &Returned) {
        let call = &returned.call;
        self.grow(call.rank.max(0) as usize + 1);
        let begin = self.at(call.rank, call.begin);
        let end = returned.last.map(|last| self.at(call.rank, last).max(begin));
        self.see(call.rank, begin, end.unwrap_or(begin));
        match end {
            Some(end) => self.cells.add(call.rank, state(call.func), begin, end),
            None => self.open.push((call.rank, begin)),
        }
        self.calls.push(returned, begin, end);
    }

    fn message(&mut self, message: &Message) {
        let Message { send, recv } = message;
        let (from, to) = (send.call.rank, recv.call.rank);
        let (sent, posted) = (self.at(from, send.call.begin), self.at(to, recv.call.begin));
        let end = recv.ended.unwrap_or(recv.call);
        let received = end.end.map_or(posted, |end| self.at(to, end));
        let waits = [late_sender(&self.scale.clocks, message), late_receiver(&self.scale.clocks, message)];
        waits.into_iter().flatten().for_each(|wait| self.wait(wait));
        self.traffic.message(Arrow {
            sent,
            received,
            from,
            to,
            send: place(&send.call),
            recv: place(&recv.call),
            end: place(&end),
            bytes: send.bytes,
            tag: send.tag,
            comm: send.comm,
        });
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        let rank = half.call.rank;
        let time = self.at(rank, half.call.begin);
        let Half { peer, tag, comm, .. } = *half;
        self.traffic.alone(Stub { time, rank, call: place(&half.call), is_send, peer, tag, comm });
    }

    fn collective(&mut self, collective: &Collective) {
        let came = |part: &Half| (self.at(part.call.rank, part.call.begin), part.call.rank);
        let Some((last, latest)) = collective.parts.iter().map(came).max() else { return };
        let Some((first, _)) = collective.parts.iter().map(came).min() else { return };
        let left = |part: &Half| part.ended.and_then(|e| e.end).map(|end| self.at(part.call.rank, end));
        let end = collective.parts.iter().filter_map(left).max().unwrap_or(last).max(last);
        let mut waits = Vec::new();
        at_collective(&self.scale.clocks, collective, |wait| waits.push(wait));
        waits.into_iter().for_each(|wait| self.wait(wait));
        let Some(lowest) = collective.parts.iter().min_by_key(|p| p.call.rank) else { return };
        let high = collective.parts.iter().map(|p| p.call.rank).max().unwrap_or(0);
        let bar = Bar {
            first,
            last,
            end,
            comm: collective.comm,
            func: lowest.call.func,
            low: lowest.call.rank,
            high,
            latest,
            came: collective.parts.len(),
            size: collective.size,
        };
        self.traffic.collective(bar, (lowest.call.rank, place(&lowest.call)));
    }

    fn communicator(&mut self, communicator: &Communicator) {
        let known = self.communicators.contains_key(&communicator.number);
        self.communicators_seen += u64::from(!known);
        if known || self.communicators.len() < COMMUNICATORS {
            self.communicators.insert(communicator.number, communicator.clone());
        }
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        if matches!(event, SystemEvent::Checksums(_)) {
            return;
        }
        self.grow(rank.max(0) as usize + 1);
        let time = self.at(rank, time);
        if matches!(event, SystemEvent::Exit { .. } | SystemEvent::Signal(_) | SystemEvent::Annotation { .. }) {
            self.see(rank, time, time);
        }
        self.annotations.take((rank, thread), time, event);
    }
}
