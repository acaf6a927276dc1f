//! The time line of a run: what each rank did when, and who spoke with whom. [`Recorder`] listens to the engine, in memory
//! that does not grow with the length of the run; [`Timeline`] is what came of it, as the HTML report has it.

mod base64;
mod calls;
mod cells;
mod marks;
mod sampled;
mod traffic;
mod view;

use crate::engine::listen::{CallSeen, Collective, Communicator, Half, Listener, Message, Returned};
use crate::worlds::link::Clock;
use calls::Calls;
use cells::{Cells, State};
use marks::Marks;
use std::collections::BTreeMap;
use trace_format::call::SystemEvent;
use trace_format::mpi::{Class, FnId};
use traffic::{Arrow, Bar, Stub, Traffic};

pub use view::Timeline;

/// Communicators that are kept.
const COMMUNICATORS: usize = 5_000;

/// Ticks of a rank as nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
struct Scale {
    start: u64,
    offset: i64,
    factor: f64,
}

impl Scale {
    fn at(&self, ticks: u64) -> i64 {
        let since = ticks.wrapping_sub(self.start) as i64;
        // A damaged time must not make the sums of times overflow.
        self.offset.saturating_add((since as f64 * self.factor) as i64).clamp(-FAR, FAR)
    }
}

/// 36 years.
const FAR: i64 = 1 << 60;

/// Of a rank whose clock nobody told: ticks are nanoseconds.
const PLAIN: Scale = Scale { start: 0, offset: 0, factor: 1.0 };

/// Listens to the engine; see the module.
#[derive(Default)]
pub struct Recorder {
    scales: Vec<Scale>,
    /// Nanoseconds since 1970 at the origin of all times.
    origin: Option<u64>,
    cells: Cells,
    calls: Calls,
    traffic: Traffic,
    marks: Marks,
    communicators: BTreeMap<u32, Communicator>,
    communicators_seen: u64,
    /// Calls that never returned.
    open: Vec<(i32, i64)>,
    /// First and last thing that is known of each rank.
    spans: Vec<Option<(i64, i64)>>,
}

/// What a rank is in while it is in the function.
fn state(func: FnId) -> State {
    match func.row().class {
        Class::Send(..)
        | Class::Recv(_)
        | Class::SendRecv(_)
        | Class::SendRecvReplace(_)
        | Class::Probe(_)
        | Class::Mprobe(_)
        | Class::Mrecv(_)
        | Class::PartitionedSend
        | Class::PartitionedRecv
        | Class::Pready
        | Class::Parrived
        | Class::Wait(_)
        | Class::Test(_)
        | Class::GetStatus(_)
        | Class::StartOne
        | Class::StartAll
        | Class::RequestFree
        | Class::Cancel
        | Class::BufferFlush(_) => State::Message,
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
        if self.scales.len() < ranks {
            self.scales.resize(ranks, PLAIN);
            self.spans.resize(ranks, None);
            self.cells.grow(ranks);
            self.calls.grow(ranks);
            self.traffic.grow(ranks);
        }
    }

    /// The time, in nanoseconds since the origin.
    fn at(&self, rank: i32, ticks: u64) -> i64 {
        self.scales.get(rank as usize).unwrap_or(&PLAIN).at(ticks)
    }

    fn see(&mut self, rank: i32, from: i64, to: i64) {
        if let Some(span) = self.spans.get_mut(rank as usize) {
            let (first, last) = span.unwrap_or((from, to));
            *span = Some((first.min(from), last.max(to)));
        }
    }

    /// In this call its rank waited for another one, until `time` at the latest.
    fn wait(&mut self, call: &CallSeen, time: i64) {
        let Some(end) = call.end else { return };
        let (begin, end) = (self.at(call.rank, call.begin), self.at(call.rank, end));
        let until = time.min(end);
        if until <= begin {
            return;
        }
        let from = self.calls.waited((call.rank, call.thread, call.index), begin, until);
        self.cells.wait(call.rank, state(call.func), from, until);
    }
}

impl Listener for Recorder {
    fn introduce(&mut self, rank: i32, clock: Clock) {
        let Ok(rank) = usize::try_from(rank) else { return };
        self.grow(rank + 1);
        let origin = *self.origin.get_or_insert(clock.start_unix_ns);
        let offset = i128::from(clock.start_unix_ns) - i128::from(origin);
        let offset = i64::try_from(offset).unwrap_or(0);
        self.scales[rank] =
            Scale { start: clock.start_ticks, offset, factor: 1e9 / clock.ticks_per_second.max(1) as f64 };
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

    fn message(&mut self, Message { send, recv }: &Message) {
        let (from, to) = (send.call.rank, recv.call.rank);
        let (sent, posted) = (self.at(from, send.call.begin), self.at(to, recv.call.begin));
        let end = recv.ended.unwrap_or(recv.call);
        let received = end.end.map_or(posted, |end| self.at(to, end));
        // The sender was late, or the receiver was and the send had to wait for it.
        recv.ended.iter().for_each(|end| self.wait(end, sent));
        let late = |end: &&CallSeen| end.end.is_some_and(|e| self.at(from, e) >= posted);
        if let Some(end) = send.ended.as_ref().filter(late) {
            self.wait(end, posted);
        }
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
        // Who left before the last one came did not wait for it.
        let complete = collective.parts.len() == collective.size;
        for ended in collective.parts.iter().filter_map(|p| p.ended).filter(|_| complete) {
            if ended.end.is_some_and(|end| self.at(ended.rank, end) >= last) {
                self.wait(&ended, last);
            }
        }
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
        if matches!(event, SystemEvent::Exit { .. } | SystemEvent::Signal(_) | SystemEvent::Mark { .. }) {
            self.see(rank, time, time);
        }
        self.marks.take((rank, thread), time, event);
    }
}
