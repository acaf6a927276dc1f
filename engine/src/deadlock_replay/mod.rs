//! The run once more in a library that promises nothing: see `schedules::DeadlockReplay`. The engine tells it of
//! operations as they start, meet and end; it finds the permissions without which the run would not have got through.

mod apart;
mod commands;
mod meetings;
mod worker;

use crate::arg_places::arg_places;
use crate::recorded::{Known, Matchings, RecordedProgram, Ways};
use crate::state::{Origin, ReplayIds};
pub(crate) use commands::{Batch, Commands};
pub(crate) use meetings::{Meeting, Meetings};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;
use trace_format::catalogue::{MESSAGE_RACE, POTENTIAL_DEADLOCK, POTENTIAL_HANG_UP, PROBE_RECEIVE_RACE};
use trace_format::mpi::{Class, FnId, SendMode};
use trace_format::run::witness::Witness;
use trace_format::settings::selection::Selection;

/// Everything told of one call.
pub(crate) type AllReplayIds = SmallVec<[ReplayIds; 8]>;

/// The replay of a run, and what it found.
#[derive(Default)]
pub(crate) struct DeadlockReplay {
    pub(crate) commands: Commands,
    /// Nobody asks what the replay finds: it is told nothing.
    pub(crate) off: bool,
    /// Rank and thread of each of the replay's threads.
    pub(crate) threads: Vec<(i32, u16)>,
    /// The replay's threads of each rank, by thread.
    pub(crate) of: Vec<SmallVec<[(u16, u32); 1]>>,
    /// The last of these that was looked for, by rank and thread.
    pub(crate) last_thread: Option<((i32, u16), u32)>,
    /// Calls that one thread polls with, until something else happens.
    pub(crate) polls: FxHashMap<(i32, u16), Poll>,
    pub(crate) meetings: Meetings,
    pub(crate) recorded: RecordedProgram,
    pub(crate) found: Vec<Unpromised>,
    /// The answers about other matchings, at the end.
    pub(crate) matchings: Matchings,
    pub(crate) witnesses: Vec<Witness>,
    /// Other runs will be made: what of them is known already.
    pub(crate) exploring: Option<Arc<FxHashSet<u64>>>,
    pub(crate) ways: Ways,
}

/// A call that was made in vain, perhaps in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Poll {
    pub(crate) func: FnId,
    pub(crate) site: u32,
}

/// Ranks that got through with a permission that the standard does not give.
#[derive(Debug, Clone)]
pub(crate) struct Unpromised {
    pub(crate) blocks: Vec<Blocked>,
    /// Calls whose data must be buffered, with the bytes; in the order of the blocks.
    pub(crate) buffers: Vec<(Known, u64)>,
    /// Collective calls that must return before all have called them.
    pub(crate) early: Vec<Known>,
    /// There is certainly nothing less that helps.
    pub(crate) least: bool,
    /// How often it happened at these places.
    pub(crate) count: u64,
    /// The most bytes that had to be buffered in one of these times.
    pub(crate) most: u64,
    pub(crate) key: Vec<u64>,
}

impl DeadlockReplay {
    /// To be said before any event is fed.
    pub(crate) fn select(&mut self, selection: &Selection) {
        let checks = [&POTENTIAL_DEADLOCK, &POTENTIAL_HANG_UP, &MESSAGE_RACE, &PROBE_RECEIVE_RACE];
        self.off = !checks.into_iter().any(|check| selection.is_on(check));
    }

    /// Other runs will be made, to take other messages; these matchings are known. To be said before any event is fed.
    pub(crate) fn explore(&mut self, known: Arc<FxHashSet<u64>>) {
        self.exploring = Some(known);
        self.off = false;
    }

    /// Nothing can be said of other matchings.
    pub(crate) fn give_up(&mut self, why: &'static str) {
        self.recorded.give_up(why);
    }

    /// Calls are counted, and nothing is written down of them.
    pub(crate) fn counts_only(&self) -> bool {
        self.off || self.exploring.is_none() && !self.recorded.is_written()
    }

    pub(crate) fn wildcards(&self) -> u64 {
        self.recorded.wildcards
    }

    pub(crate) fn wildcards_mut(&mut self) -> &mut u64 {
        &mut self.recorded.wildcards
    }

    /// Adds what tells states of the replay apart: see `engine::snapshot`. To be settled before.
    pub(crate) fn snapshot(&self, numbers: &mut Vec<u64>) {
        numbers.extend([self.commands.kept, self.commands.lag, self.polls.len(), self.found.len()].map(|n| n as u64));
        numbers.extend(self.found.iter().map(|found| found.count));
        numbers.push(self.meetings.kept() as u64);
    }

    /// Calls that will be named. Of those that only lag behind the names of what was freed may be lost.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Known> {
        let found = self.found.iter().flat_map(|f| {
            let blocks = f.blocks.iter().flat_map(|b| b.needs.iter().map(|n| &n.op).chain([&b.call]));
            blocks.chain(f.buffers.iter().map(|b| &b.0)).chain(&f.early)
        });
        found.chain(self.matchings.calls())
    }
}

impl Unpromised {
    /// Does what is waited for never happen?
    pub(crate) fn is_hang_up(&self) -> bool {
        self.blocks.iter().all(|b| b.needs.iter().any(|n| n.ranks.is_empty()))
    }

    /// The standard sends of the blocked ranks and those that they wait for.
    pub(crate) fn sends(&self) -> impl Iterator<Item = &Origin> {
        let calls = self.blocks.iter().flat_map(|b| b.needs.iter().map(|n| &n.op).chain([&b.call]));
        let buffered = self.buffers.iter().map(|b| &b.0);
        let is_send = |f: FnId| matches!(arg_places(f).class, Class::Send(SendMode::Standard, _));
        let is_buffered = |call: &Known| self.buffers.iter().any(|b| Rc::ptr_eq(&b.0, call));
        calls.chain(buffered).filter(move |call| is_send(call.func) || is_buffered(call)).map(Rc::as_ref)
    }

    /// The first of several times at the same places is told.
    pub(crate) fn order(&self) -> Option<(i32, u16, u64)> {
        self.blocks.first().map(|b| (b.call.rank, b.call.thread, b.call.event()))
    }

    /// The permission that the call got.
    pub(crate) fn permission(&self, call: &Known) -> Option<String> {
        if let Some((_, bytes)) = self.buffers.iter().find(|b| Rc::ptr_eq(&b.0, call)) {
            return Some(format!("its message must be buffered: {bytes} bytes"));
        }
        self.early
            .iter()
            .any(|e| Rc::ptr_eq(e, call))
            .then(|| format!("must return before {}", comes_late(call, "have")))
    }
}

/// A call that could not return without the permission.
#[derive(Debug, Clone)]
pub(crate) struct Blocked {
    pub(crate) rank: i32,
    pub(crate) call: Known,
    pub(crate) needs: Vec<Wanted>,
}

/// The operation that a blocked call waits for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The call that started what it waits for.
    pub(crate) op: Known,
    /// The ranks that would have to do something; none: it never happens.
    pub(crate) ranks: Vec<i32>,
}

/// The event that has not happened when the call returns early.
pub(crate) fn comes_late(call: &Origin, has: &str) -> String {
    match arg_places(call.func).class {
        Class::RmaSync(_) => format!("all its targets {has} called MPI_Win_post"),
        class if class.is_neighborhood() => format!("all its neighbours {has} called it"),
        _ => format!("all ranks of its communicator {has} called it"),
    }
}
