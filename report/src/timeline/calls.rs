//! The calls themselves: all of them in a small run, in a longer one the last of each thread.

use engine::listeners::Returned;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use trace_format::definition::Id;
use trace_format::mpi::FnId;
use trace_reader::args::Args;

/// Calls of all threads together that are kept at most, and how many are left when it gets too many.
const MOST: usize = 30_000;
const LEFT: usize = 15_000;
/// The least number for one thread.
const LEAST_OF_THREAD: usize = 4;
const MOST_OF_THREAD: usize = 1_000;
/// Slots for what calls waited, of all ranks together and of one.
const SLOTS: usize = 1 << 20;

/// A call, with times in nanoseconds.
#[derive(Debug, Clone)]
pub(crate) struct Exact {
    pub(crate) func: FnId,
    pub(crate) index: u64,
    pub(crate) site: Id,
    pub(crate) begin: i64,
    /// `None`: it did not return.
    pub(crate) end: Option<i64>,
    pub(crate) class: u16,
    pub(crate) polls: u32,
    pub(crate) ins: Args,
}

/// The calls of a thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadCalls {
    pub(crate) calls: VecDeque<Exact>,
    /// Calls before these were dropped.
    pub(crate) cut: bool,
}

#[derive(Default)]
pub(crate) struct Calls {
    /// By rank and thread.
    pub(crate) threads: BTreeMap<(i32, u16), ThreadCalls>,
    kept: usize,
    /// Limit of calls before earlier ones are dropped; 0: [`MOST`]. It grows where many threads keep their least
    /// number.
    most: usize,
    pub(crate) seen: u64,
    /// The times until which calls waited, by rank and thread: number of the call and time, in the slot of the number.
    waits: FxHashMap<(i32, u16), Vec<(u64, i64)>>,
    /// Slots of a thread that begins now.
    slots: usize,
}

impl Calls {
    pub(crate) fn grow(&mut self, ranks: usize) {
        self.slots = (SLOTS / ranks.max(1)).next_power_of_two().clamp(1 << 5, 1 << 15);
    }

    pub(crate) fn push(&mut self, call: &Returned, begin: i64, end: Option<i64>) {
        self.seen += 1 + u64::from(call.polls);
        let ins = call.ins.clone();
        let seen = call.call;
        let class = call.class.unwrap_or(0);
        let exact =
            Exact { func: seen.func, index: seen.index, site: seen.site, begin, end, class, polls: call.polls, ins };
        self.threads.entry((seen.rank, seen.thread)).or_default().calls.push_back(exact);
        self.kept += 1;
        if self.kept > self.most.max(MOST) {
            self.trim();
            self.most = 2 * self.kept;
        }
    }

    /// Drops the earlier calls of each thread.
    fn trim(&mut self) {
        let left = (LEFT / self.threads.len().max(1)).clamp(LEAST_OF_THREAD, MOST_OF_THREAD);
        self.kept = 0;
        for thread in self.threads.values_mut() {
            let more = thread.calls.len().saturating_sub(left);
            thread.cut |= more > 0;
            thread.calls.drain(..more);
            self.kept += thread.calls.len();
        }
    }

    /// The run is over: the same calls are kept in whatever order the ranks came.
    pub(crate) fn end(&mut self) {
        if self.threads.values().any(|thread| thread.cut) {
            self.trim();
        }
        self.threads.values_mut().for_each(|thread| thread.calls.make_contiguous().sort_by_key(|c| c.index));
    }

    /// Notes that the call waited until this time; returns the time until which that was known before.
    pub(crate) fn waited(&mut self, (rank, thread, index): (i32, u16, u64), begin: i64, until: i64) -> i64 {
        let slots = self.waits.entry((rank, thread)).or_insert_with(|| vec![(u64::MAX, 0); self.slots.max(1)]);
        let place = index as usize % slots.len();
        let known = slots[place];
        if known.0 == index && known.1 >= until {
            return until;
        }
        slots[place] = (index, until);
        if known.0 == index { known.1 } else { begin }
    }

    /// The time until which a call waited, as far as it is known.
    pub(crate) fn wait_of(&self, rank: i32, thread: u16, index: u64) -> Option<i64> {
        let slots = self.waits.get(&(rank, thread))?;
        let (of, until) = slots[index as usize % slots.len()];
        (of == index).then_some(until)
    }
}
