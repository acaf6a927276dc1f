//! Facts of a run for the tables, beside findings. Memory grows with processes and call sites, not with the length of
//! the run.

use engine::listeners::{CallSeen, Communicator, Listener, Returned};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace_format::definition::Id;
use trace_format::mpi::FnId;

/// Listens to the engine.
#[derive(Debug, Default)]
pub struct ProtocolListener {
    pub(crate) ranks: BTreeMap<i32, RankCalls>,
    /// By their numbers.
    pub(crate) communicators: BTreeMap<u32, Communicator>,
}

/// The calls of a process.
#[derive(Debug, Default)]
pub(crate) struct RankCalls {
    /// Calls of a function at a call site.
    pub(crate) passes: FxHashMap<(FnId, Id), u64>,
    /// The call that it is in, or else the last one that it came back from.
    pub(crate) last: Option<CallSeen>,
}

impl Listener for ProtocolListener {
    fn call(&mut self, returned: &Returned) {
        let call = returned.call;
        let rank = self.ranks.entry(call.rank).or_default();
        *rank.passes.entry((call.func, call.site)).or_default() += 1 + u64::from(returned.polls);
        // Calls that are open at the end come last; of several threads the first one counts.
        let is_later = |last: &CallSeen| last.end.is_some_and(|end| call.end.is_none_or(|now| now >= end));
        if rank.last.as_ref().is_none_or(is_later) {
            rank.last = Some(call);
        }
    }

    fn communicator(&mut self, communicator: &Communicator) {
        self.communicators.insert(communicator.number, communicator.clone());
    }
}
