//! The content of a report, as all formats see it. Serialized it is the JSON report.

mod accepted;
mod exploration;
mod job;
mod queue;

pub(crate) use accepted::{BaselineView, SuppressedView, UnusedView};
pub use exploration::{Exploration, RunEnd, RunView};
pub(crate) use job::{JobView, STOPPED};
pub(crate) use queue::{QueueView, lines as queue_lines};

use crate::statement::Statement;
use engine::limit::Hidden;
use engine::worlds::Names;
use serde::Serialize;
use std::sync::Arc;
use trace_format::finding::Rerun;

pub(crate) fn is_first(world: &usize) -> bool {
    *world == 0
}

/// A rank of some world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Member {
    #[serde(skip_serializing_if = "is_first")]
    pub(crate) world: usize,
    pub(crate) rank: i32,
}

/// The process as a rank of its world.
pub(crate) fn member(process: i32, names: &Names) -> Member {
    let (world, rank) = names.of(process);
    Member { world, rank }
}

#[derive(Debug, Serialize)]
pub(crate) struct Mpi {
    pub(crate) family: String,
    pub(crate) library: String,
    pub(crate) standard: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Task {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) ranks: i32,
    pub(crate) ended: Vec<RankEndView>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
    pub(crate) stopped: bool,
    /// The signal by which the user ended the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupted: Option<String>,
    pub(crate) trace_dir: String,
    pub(crate) defects: Vec<Defect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hidden: Vec<HiddenView>,
}

/// The end of a rank.
#[derive(Debug, Serialize)]
pub(crate) struct RankEndView {
    #[serde(flatten)]
    pub(crate) member: Member,
    #[serde(skip)]
    pub(crate) process: i32,
    pub(crate) end: &'static str,
    pub(crate) exit_status: Option<i32>,
    pub(crate) calls: u64,
    pub(crate) sends: u64,
    pub(crate) recvs: u64,
    pub(crate) collectives: u64,
    pub(crate) unfinished: u64,
    #[serde(skip)]
    pub(crate) unfinished_sends: u64,
    #[serde(skip)]
    pub(crate) unfinished_recvs: u64,
    /// The call that the rank is in.
    pub(crate) current: Option<Site>,
    pub(crate) events: u64,
}

/// The end of a rank that left no trace.
pub(crate) const MISSING: &str = "missing";

#[derive(Debug, Serialize)]
pub(crate) struct Defect {
    #[serde(skip_serializing_if = "is_first")]
    pub(crate) world: usize,
    pub(crate) rank: Option<i32>,
    #[serde(skip)]
    pub(crate) process: Option<i32>,
    pub(crate) offset: Option<u64>,
    pub(crate) what: String,
    /// The user has asked that it not be kept.
    #[serde(skip)]
    pub(crate) is_wanted: bool,
}

impl Defect {
    /// The part that could not be read, and whose it is.
    pub(crate) fn words(&self, names: &Names) -> String {
        let Defect { what, .. } = self;
        match (self.process, self.offset) {
            (Some(process), Some(offset)) => format!("{} at byte {offset}: {what}", names.list(&[process])),
            (Some(process), None) => format!("{}: {what}", names.list(&[process])),
            (None, _) => what.clone(),
        }
    }
}

/// Findings that are not shown.
#[derive(Debug, Serialize)]
pub(crate) struct HiddenView {
    #[serde(skip_serializing_if = "is_first")]
    pub(crate) world: usize,
    /// `None`: of collective operations.
    pub(crate) rank: Option<i32>,
    #[serde(skip)]
    pub(crate) process: Option<i32>,
    pub(crate) findings: u64,
}

pub(crate) fn hidden_view(h: Hidden, names: &Names) -> HiddenView {
    let member = h.rank.map(|r| member(r, names));
    let world = member.map_or(0, |m| m.world);
    HiddenView { world, rank: member.map(|m| m.rank), process: h.rank, findings: h.findings() }
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingView {
    pub(crate) check: &'static str,
    pub(crate) code: &'static str,
    /// A fingerprint that other versions of the source share.
    pub(crate) fingerprint: String,
    pub(crate) severity: &'static str,
    pub(crate) message: String,
    /// Ranks of the first world.
    pub(crate) ranks: Vec<i32>,
    /// Ranks of other worlds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<Member>,
    pub(crate) count: u64,
    pub(crate) notes: Vec<String>,
    pub(crate) sites: Vec<Site>,
    /// Other ways to these places: other callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) paths: Vec<PathView>,
    /// Ways that are not in the list.
    #[serde(skip_serializing_if = "MorePaths::is_empty")]
    pub(crate) more_paths: MorePaths,
    /// The wait-for graph, call by call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) waits: Vec<Waits>,
    /// The run that showed it first, and the witness of that run; `None`: the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) under: Option<String>,
    /// The run in which it came true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) came_true: Option<usize>,
    /// The jobs that showed it; empty: the report is of one job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) jobs: Vec<usize>,
    #[serde(skip)]
    pub(crate) rerun: Option<Rerun>,
}

impl FindingView {
    /// The installed library that made all its calls.
    pub(crate) fn library(&self) -> Option<&str> {
        let first = self.sites.first()?.library.as_deref()?;
        self.sites.iter().all(|site| site.library.as_deref() == Some(first)).then_some(first)
    }

    /// Is it about something that was never freed, and about nothing else?
    pub(crate) fn is_leak(&self) -> bool {
        self.check.starts_with("leak-") && self.check != "leak-growth"
    }

    /// The processes concerned.
    pub(crate) fn processes(&self, names: &Names) -> Vec<i32> {
        let members = self.ranks.iter().map(|rank| (0, *rank)).chain(self.others.iter().map(|m| (m.world, m.rank)));
        members.filter_map(|(world, rank)| names.process(world, rank)).collect()
    }
}

/// Another way to the places of a finding.
#[derive(Debug, Serialize)]
pub(crate) struct PathView {
    /// Its message, if it differs from the finding's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// Ranks of the first world.
    pub(crate) ranks: Vec<i32>,
    /// Ranks of other worlds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<Member>,
    pub(crate) count: u64,
    pub(crate) sites: Vec<Site>,
    #[serde(skip)]
    pub(crate) processes: Vec<i32>,
}

/// Ways to a finding that are counted only, and how often it happened by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct MorePaths {
    pub(crate) paths: u64,
    pub(crate) count: u64,
}

impl MorePaths {
    fn is_empty(&self) -> bool {
        self.paths == 0
    }
}

/// A call that waits, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Waits {
    #[serde(flatten)]
    pub(crate) member: Member,
    #[serde(skip)]
    pub(crate) process: i32,
    pub(crate) thread: u16,
    pub(crate) event: u64,
    pub(crate) function: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// `file` as people want to read it.
    #[serde(skip)]
    pub(crate) short: String,
    pub(crate) waits_for: Vec<Member>,
    #[serde(skip)]
    pub(crate) processes: Vec<i32>,
    /// One of them is enough.
    pub(crate) any: bool,
}

/// A call of one rank, with its place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Site {
    #[serde(flatten)]
    pub(crate) member: Member,
    #[serde(skip)]
    pub(crate) process: i32,
    pub(crate) thread: u16,
    pub(crate) function: String,
    pub(crate) call: String,
    pub(crate) role: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) source: Option<String>,
    pub(crate) stack: Vec<Frame>,
    pub(crate) event: u64,
    /// The installed library that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) library: Option<String>,
    /// Place of the user's frame in `stack`.
    #[serde(skip)]
    pub(crate) user: usize,
    /// `file` as people want to read it.
    #[serde(skip)]
    pub(crate) short: String,
    /// The line before it, for context.
    #[serde(skip)]
    pub(crate) before: Option<String>,
    /// The whole statement of the call.
    #[serde(skip)]
    pub(crate) statement: Option<Arc<Statement>>,
    /// Some lines around it: number of the first, and the lines.
    #[serde(skip)]
    pub(crate) around: Option<(u32, Vec<String>)>,
    /// Times of call and return, in ticks of the rank; `u64::MAX`: it did not return.
    #[serde(skip)]
    pub(crate) span: Option<(u64, u64)>,
}

impl Site {
    /// The stack from the MPI library on, without what called main: that is nobody's concern.
    pub(crate) fn stack_to_main(&self) -> &[Frame] {
        // The system library has a name for the frame in front of `_start`, which strippers leave without a name.
        let is_start = |f: &Frame| f.function.as_deref().is_some_and(|name| name.starts_with("__libc_start_main"));
        let stack = &self.stack[..self.stack.iter().position(is_start).unwrap_or(self.stack.len())];
        let is_known = |f: &Frame| f.is_user && f.function.as_deref() != Some("_start");
        let end = stack.iter().rposition(is_known).map_or(0, |last| last + 1);
        &stack[..end]
    }

    /// The frames that called the function in which the call is: what tells one way to it from another.
    pub(crate) fn callers(&self) -> &[Frame] {
        let stack = self.stack_to_main();
        let innermost = stack.iter().position(|f| f.is_user).map_or(0, |at| at + 1);
        stack.get(innermost..).unwrap_or_default()
    }

    /// The frames from the innermost that is not of MPI to main: the program's, behind those of libraries that it uses.
    pub(crate) fn frames(&self) -> &[Frame] {
        let innermost = self.library.as_ref().and_then(|_| self.stack.iter().position(|f| f.is_user));
        self.stack_to_main().get(innermost.unwrap_or(self.user)..).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Frame {
    pub(crate) function: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) module: Option<String>,
    pub(crate) offset: u64,
    #[serde(skip)]
    pub(crate) short: String,
    #[serde(skip)]
    pub(crate) is_user: bool,
}

impl Frame {
    /// Its place in its module, for places without line numbers.
    pub(crate) fn bare(&self) -> String {
        match self.module.as_deref() {
            Some(module) => format!("{}+{:#x}", module.rsplit('/').next().unwrap_or(module), self.offset),
            None => format!("{:#x}", self.offset),
        }
    }
}

/// Readings of a performance variable on one rank.
#[derive(Debug, Serialize)]
pub(crate) struct SampleView {
    #[serde(flatten)]
    pub(crate) member: Member,
    pub(crate) variable: String,
    /// Communicator of the rank, as the trace numbers them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comm: Option<u32>,
    pub(crate) readings: u64,
    /// Smallest, largest and last reading; of several elements their sum.
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) last: f64,
    /// The line of the text report that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}
