//! The end of the run: how each rank ended and why, what was left over.

mod frees;
mod left;
mod queues;

use crate::model::Model;
use crate::state::{Origin, rank_list};
use crate::waits::{Graph, Verdict, Watch};
pub(crate) use frees::Step;
pub(crate) use left::{alone, incomplete, leftovers};
pub use queues::{Queue, Queued};
use std::rc::Rc;
use trace_format::mpi::Class;
use trace_format::run::over::EndsSeen;

/// A request at the end of a rank that reached MPI_Finalize.
pub(crate) struct Leftover {
    pub(crate) origin: Rc<Origin>,
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) class: Class,
    pub(crate) persistent: bool,
    pub(crate) active: bool,
    /// Its send or receive has a partner, or needs none.
    pub(crate) paired: bool,
    /// Instance of its collective, and whether all processes started that.
    pub(crate) collective: Option<bool>,
}

/// A send or receive that nobody matched.
pub(crate) struct Alone {
    pub(crate) rank: i32,
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    pub(crate) is_send: bool,
    pub(crate) shown: Rc<Origin>,
    pub(crate) origin: Rc<Origin>,
    /// Operations of the other kind between the same ranks, which differ in tag or communicator.
    pub(crate) near: Option<String>,
}

/// A collective that not all processes started.
pub(crate) struct Incomplete {
    pub(crate) calls: Vec<Rc<Origin>>,
    pub(crate) missing: Vec<i32>,
    /// Later ones on the same communicator.
    pub(crate) more: u64,
}

/// Ranks that did nothing any more but poll for what could not come.
pub(crate) struct InVain {
    /// The wait-for graph, if polling is waiting.
    pub(crate) graph: Graph,
    pub(crate) ranks: Vec<i32>,
    /// Ranks that wait for them or behind them.
    pub(crate) behind: Vec<i32>,
}

/// The facts that the checks at the end look at.
pub(crate) struct Ending {
    pub(crate) ends: Vec<RankEnd>,
    pub(crate) graph: Graph,
    pub(crate) verdict: Verdict,
    pub(crate) in_vain: Option<InVain>,
    pub(crate) stopped: bool,
    /// Ranks that died of their own signal.
    pub(crate) crashed: Vec<i32>,
    /// Ranks that called MPI_Abort.
    pub(crate) aborted: Vec<i32>,
    /// Ranks whose MPI library reported a fatal error.
    pub(crate) failed: Vec<i32>,
    /// Ranks that were initialized and ended by exit without MPI_Finalize, not inside of a call.
    pub(crate) left: Vec<i32>,
    /// Ranks that ended by exit inside of a call.
    pub(crate) left_inside: Vec<i32>,
    /// Ranks that were ended from outside.
    pub(crate) killed: Vec<i32>,
    /// The ends of processes, as far as they were seen.
    pub(crate) seen: EndsSeen,
    pub(crate) leftovers: Vec<Leftover>,
    /// Empty if something ended the run before its time: what is missing then says nothing. Not so in MPI_Finalize, where
    /// nobody starts anything any more.
    pub(crate) alone: Vec<Alone>,
    /// Empty likewise.
    pub(crate) incomplete: Vec<Incomplete>,
    /// The library could not end, in MPI_Finalize, because of what is `alone`.
    pub(crate) failed_over: bool,
    /// The queues of the processes that did not come to their end.
    pub(crate) queues: Vec<Queued>,
}

impl Ending {
    /// The fate of the others when the run was cut short, for the finding that is the cause.
    pub(crate) fn aftermath(&self) -> Option<String> {
        (!self.killed.is_empty())
            .then(|| format!("{} {} ended by the launcher afterwards", rank_list(&self.killed), was(&self.killed)))
    }

    /// Their fate where `rank` went down, with those who waited for it.
    pub(crate) fn aftermath_of(&self, rank: i32) -> Option<String> {
        let text = self.aftermath()?;
        let waiting: Vec<i32> = self.graph.needs(&[rank]).into_iter().filter(|r| self.killed.contains(r)).collect();
        let mut calls = waiting.iter().flat_map(|r| self.graph.calls(*r)).map(|c| c.name());
        let Some(first) = calls.next() else { return Some(text) };
        let name = if calls.all(|name| name == first) { format!(" in {first}") } else { String::new() };
        Some(format!("{text}; {} waited for rank {rank}{name}", rank_list(&waiting)))
    }

    /// Ranks that wait for one that left without MPI_Finalize, with all that they need of those that are gone.
    pub(crate) fn waiting_for_left(&self) -> Vec<&(i32, Rc<[i32]>)> {
        self.verdict.hang_ups.iter().filter(|(_, needed)| needed.iter().any(|n| self.left.contains(n))).collect()
    }

    /// Is there a reason inside the run for ranks to have been ended from outside?
    pub(crate) fn has_cause(&self) -> bool {
        // Where others waited for processes that were gone, these are the cause.
        self.stopped && self.killed.is_empty()
            || !self.crashed.is_empty()
            || !self.aborted.is_empty()
            || !self.failed.is_empty()
            || !self.left.is_empty()
            || !self.left_inside.is_empty()
            || !self.verdict.dead.is_empty()
            || self.in_vain.is_some()
    }
}

/// The verb for what happened to ranks.
pub(crate) fn was(ranks: &[i32]) -> &'static str {
    if ranks.len() == 1 { "was" } else { "were" }
}

/// The ranks among these that poll for what cannot come. Of the others only what is certain counts: nobody has looked
/// whether their calls return.
pub(crate) fn polls_in_vain(model: &Model, among: &[i32]) -> Option<InVain> {
    let graph = Graph::with_polls(model, |_| Watch::Unwatched);
    let dead = graph.dead(true);
    let ranks: Vec<i32> = graph.pollers(model, &dead).into_iter().filter(|r| among.contains(r)).collect();
    let behind = dead.into_iter().filter(|r| !ranks.contains(r)).collect();
    (!ranks.is_empty()).then_some(InVain { graph, ranks, behind })
}

/// How a rank ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankEnd {
    /// By exit or return from main.
    Normal,
    /// By a fatal signal of its own doing.
    Abend,
    /// By MPI_Abort, or from outside.
    Abort,
    /// Stopped by mpivet.
    Stopped,
    /// The trace does not say.
    Unknown,
}
