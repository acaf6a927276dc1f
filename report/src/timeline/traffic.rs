//! Messages and collective operations: all of them in a small run; in a longer one a sample and the last ones.

use super::hash_sample::HashSample;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use trace_format::mpi::FnId;

/// Limits of what is kept: samples of the whole run, and the last ones.
const MESSAGES: usize = 15_000;
const LAST_MESSAGES: usize = 6_000;
const ALONE: usize = 4_000;
const COLLECTIVES: usize = 8_000;
const LAST_COLLECTIVES: usize = 64;
/// Communicators of which the last collective operations are kept.
const COMMS: usize = 64;

/// A call of a rank: thread and number.
pub(crate) type Place = (u16, u64);

/// A message, or one half of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Arrow {
    /// When the send was called, and when the call returned in which the receive ended.
    pub(crate) sent: i64,
    pub(crate) received: i64,
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// The calls that started the two halves, and the one that ended the receive.
    pub(crate) send: Place,
    pub(crate) recv: Place,
    pub(crate) end: Place,
    pub(crate) bytes: Option<u64>,
    pub(crate) tag: i32,
    pub(crate) comm: u32,
}

/// A send or receive without its other half.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stub {
    pub(crate) time: i64,
    pub(crate) rank: i32,
    pub(crate) call: Place,
    pub(crate) is_send: bool,
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    pub(crate) comm: u32,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bar {
    /// When the first came, when the last came, when the last one left.
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) end: i64,
    pub(crate) comm: u32,
    pub(crate) func: FnId,
    /// Lowest and highest rank that came, and the one that came last.
    pub(crate) low: i32,
    pub(crate) high: i32,
    pub(crate) latest: i32,
    /// How many came, of how many.
    pub(crate) came: usize,
    pub(crate) size: usize,
}

pub(crate) struct Traffic {
    messages: HashSample<Arrow>,
    /// By receiver.
    last_messages: FxHashMap<i32, VecDeque<Arrow>>,
    pub(crate) alone: HashSample<Stub>,
    collectives: HashSample<Bar>,
    incomplete: HashSample<Bar>,
    last_collectives: FxHashMap<u32, VecDeque<Bar>>,
    ranks: usize,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic {
            messages: HashSample::new(MESSAGES),
            last_messages: FxHashMap::default(),
            alone: HashSample::new(ALONE),
            collectives: HashSample::new(COLLECTIVES),
            incomplete: HashSample::new(ALONE),
            last_collectives: FxHashMap::default(),
            ranks: 1,
        }
    }
}

fn keep_last<T>(last: &mut VecDeque<T>, most: usize, item: T) {
    if last.len() >= most {
        last.pop_front();
    }
    last.push_back(item);
}

impl Traffic {
    pub(crate) fn grow(&mut self, ranks: usize) {
        self.ranks = self.ranks.max(ranks);
    }

    pub(crate) fn message(&mut self, arrow: Arrow) {
        let most = (LAST_MESSAGES / self.ranks).clamp(2, 64);
        keep_last(self.last_messages.entry(arrow.to).or_default(), most, arrow.clone());
        self.messages.push((arrow.from, arrow.send, arrow.to, arrow.recv), arrow);
    }

    pub(crate) fn alone(&mut self, stub: Stub) {
        self.alone.push((stub.rank, stub.call, stub.is_send), stub);
    }

    /// `first`: rank and call of the part with the lowest rank, by which it is known.
    pub(crate) fn collective(&mut self, bar: Bar, first: (i32, Place)) {
        if bar.came < bar.size {
            return self.incomplete.push((bar.comm, first), bar);
        }
        let many = self.last_collectives.len() >= COMMS;
        if !many || self.last_collectives.contains_key(&bar.comm) {
            keep_last(self.last_collectives.entry(bar.comm).or_default(), LAST_COLLECTIVES, bar.clone());
        }
        self.collectives.push((bar.comm, first), bar);
    }

    pub(crate) fn messages_seen(&self) -> u64 {
        self.messages.seen
    }

    pub(crate) fn collectives_seen(&self) -> u64 {
        self.collectives.seen + self.incomplete.seen
    }

    /// The messages, halves and collective operations that were kept, by time.
    pub(crate) fn finish(self) -> (Vec<Arrow>, Vec<Stub>, Vec<Bar>) {
        let last = self.last_messages.into_values().flatten();
        let messages = sorted(self.messages.into_items().chain(last).collect());
        let last = self.last_collectives.into_values().flatten();
        let bars = self.collectives.into_items().chain(self.incomplete.into_items()).chain(last);
        (messages, sorted(self.alone.into_items().collect()), sorted(bars.collect()))
    }
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}
