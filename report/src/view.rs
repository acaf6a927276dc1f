//! The content of a report, as all formats see it. Serialized it is the JSON report.

use super::statement::Statement;
use engine::worlds::Names;
use serde::Serialize;
use std::sync::Arc;
use trace_format::finding::Rerun;

pub(super) fn is_first(world: &usize) -> bool {
    *world == 0
}

/// A rank of some world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Member {
    #[serde(skip_serializing_if = "is_first")]
    pub(super) world: usize,
    pub(super) rank: i32,
}

#[derive(Debug, Serialize)]
pub(super) struct Mpi {
    pub(super) family: String,
    pub(super) library: String,
    pub(super) standard: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Task {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) ranks: i32,
    pub(super) ended: Vec<Ended>,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
    pub(super) stopped: bool,
    /// The signal by which the user ended the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interrupted: Option<String>,
    pub(super) trace_dir: String,
    pub(super) defects: Vec<Defect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hidden: Vec<HiddenView>,
}

/// The end of a rank.
#[derive(Debug, Serialize)]
pub(super) struct Ended {
    #[serde(flatten)]
    pub(super) member: Member,
    #[serde(skip)]
    pub(super) process: i32,
    pub(super) end: &'static str,
    pub(super) exit_status: Option<i32>,
    pub(super) calls: u64,
    pub(super) sends: u64,
    pub(super) recvs: u64,
    pub(super) collectives: u64,
    pub(super) unfinished: u64,
    #[serde(skip)]
    pub(super) unfinished_sends: u64,
    #[serde(skip)]
    pub(super) unfinished_recvs: u64,
    /// The call that the rank is in.
    pub(super) current: Option<Site>,
    pub(super) events: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct Defect {
    #[serde(skip_serializing_if = "is_first")]
    pub(super) world: usize,
    pub(super) rank: Option<i32>,
    #[serde(skip)]
    pub(super) process: Option<i32>,
    pub(super) offset: Option<u64>,
    pub(super) what: String,
    /// The user has asked that it not be kept.
    #[serde(skip)]
    pub(super) is_wanted: bool,
}

impl Defect {
    /// The part that could not be read, and whose it is.
    pub(super) fn words(&self, names: &Names) -> String {
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
pub(super) struct HiddenView {
    #[serde(skip_serializing_if = "is_first")]
    pub(super) world: usize,
    /// `None`: of collective operations.
    pub(super) rank: Option<i32>,
    #[serde(skip)]
    pub(super) process: Option<i32>,
    pub(super) findings: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct FindingView {
    pub(super) check: &'static str,
    pub(super) code: &'static str,
    /// A fingerprint that other versions of the source share.
    pub(super) fingerprint: String,
    pub(super) severity: &'static str,
    pub(super) message: String,
    /// Ranks of the first world.
    pub(super) ranks: Vec<i32>,
    /// Ranks of other worlds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<Member>,
    pub(super) count: u64,
    pub(super) notes: Vec<String>,
    pub(super) sites: Vec<Site>,
    /// Other ways to these places: other callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) paths: Vec<PathView>,
    /// Ways that are not in the list.
    #[serde(skip_serializing_if = "MorePaths::is_empty")]
    pub(super) more_paths: MorePaths,
    /// The wait-for graph, call by call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waits: Vec<Waits>,
    /// The run that showed it first, and the witness of that run; `None`: the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) under: Option<String>,
    /// The run in which it came true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) came_true: Option<usize>,
    /// The jobs that showed it; empty: the report is of one job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) jobs: Vec<usize>,
    #[serde(skip)]
    pub(super) rerun: Option<Rerun>,
}

impl FindingView {
    /// The installed library that made all its calls.
    pub(super) fn library(&self) -> Option<&str> {
        let first = self.sites.first()?.library.as_deref()?;
        self.sites.iter().all(|site| site.library.as_deref() == Some(first)).then_some(first)
    }

    /// The processes concerned.
    pub(super) fn processes(&self, names: &Names) -> Vec<i32> {
        let members = self.ranks.iter().map(|rank| (0, *rank)).chain(self.others.iter().map(|m| (m.world, m.rank)));
        members.filter_map(|(world, rank)| names.process(world, rank)).collect()
    }
}

/// Another way to the places of a finding.
#[derive(Debug, Serialize)]
pub(super) struct PathView {
    /// Its message, if it differs from the finding's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// Ranks of the first world.
    pub(super) ranks: Vec<i32>,
    /// Ranks of other worlds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<Member>,
    pub(super) count: u64,
    pub(super) sites: Vec<Site>,
    #[serde(skip)]
    pub(super) processes: Vec<i32>,
}

/// Ways to a finding that are counted only, and how often it happened by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct MorePaths {
    pub(super) paths: u64,
    pub(super) count: u64,
}

impl MorePaths {
    fn is_empty(&self) -> bool {
        self.paths == 0
    }
}

/// A call that waits, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Waits {
    #[serde(flatten)]
    pub(super) member: Member,
    #[serde(skip)]
    pub(super) process: i32,
    pub(super) thread: u16,
    pub(super) event: u64,
    pub(super) function: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    /// `file` as people want to read it.
    #[serde(skip)]
    pub(super) short: String,
    pub(super) waits_for: Vec<Member>,
    #[serde(skip)]
    pub(super) processes: Vec<i32>,
    /// One of them is enough.
    pub(super) any: bool,
}

/// A call of one rank, with its place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Site {
    #[serde(flatten)]
    pub(super) member: Member,
    #[serde(skip)]
    pub(super) process: i32,
    pub(super) thread: u16,
    pub(super) function: String,
    pub(super) call: String,
    pub(super) role: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) source: Option<String>,
    pub(super) stack: Vec<Frame>,
    pub(super) event: u64,
    /// The installed library that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) library: Option<String>,
    /// Place of the user's frame in `stack`.
    #[serde(skip)]
    pub(super) user: usize,
    /// `file` as people want to read it.
    #[serde(skip)]
    pub(super) short: String,
    /// The line before it, for context.
    #[serde(skip)]
    pub(super) before: Option<String>,
    /// The whole statement of the call.
    #[serde(skip)]
    pub(super) statement: Option<Arc<Statement>>,
    /// Some lines around it: number of the first, and the lines.
    #[serde(skip)]
    pub(super) around: Option<(u32, Vec<String>)>,
    /// Times of call and return, in ticks of the rank; `u64::MAX`: it did not return.
    #[serde(skip)]
    pub(super) span: Option<(u64, u64)>,
}

impl Site {
    /// The stack from the MPI library on, without what called main: that is nobody's concern.
    pub(super) fn stack_to_main(&self) -> &[Frame] {
        // The system library has a name for the frame in front of `_start`, which strippers leave without a name.
        let is_start = |f: &Frame| f.function.as_deref().is_some_and(|name| name.starts_with("__libc_start_main"));
        let stack = &self.stack[..self.stack.iter().position(is_start).unwrap_or(self.stack.len())];
        let is_known = |f: &Frame| f.is_user && f.function.as_deref() != Some("_start");
        let end = stack.iter().rposition(is_known).map_or(0, |last| last + 1);
        &stack[..end]
    }

    /// The frames that called the function in which the call is: what tells one way to it from another.
    pub(super) fn callers(&self) -> &[Frame] {
        let stack = self.stack_to_main();
        let innermost = stack.iter().position(|f| f.is_user).map_or(0, |at| at + 1);
        stack.get(innermost..).unwrap_or_default()
    }

    /// The frames from the innermost that is not of MPI to main: the program's, behind those of libraries that it uses.
    pub(super) fn frames(&self) -> &[Frame] {
        let innermost = self.library.as_ref().and_then(|_| self.stack.iter().position(|f| f.is_user));
        self.stack_to_main().get(innermost.unwrap_or(self.user)..).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Frame {
    pub(super) function: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) module: Option<String>,
    pub(super) offset: u64,
    #[serde(skip)]
    pub(super) short: String,
    #[serde(skip)]
    pub(super) is_user: bool,
}

impl Frame {
    /// Its place in its module, for places without line numbers.
    pub(super) fn bare(&self) -> String {
        match self.module.as_deref() {
            Some(module) => format!("{}+{:#x}", module.rsplit('/').next().unwrap_or(module), self.offset),
            None => format!("{:#x}", self.offset),
        }
    }
}

/// Readings of a performance variable on one rank.
#[derive(Debug, Serialize)]
pub(super) struct SampleView {
    #[serde(flatten)]
    pub(super) member: Member,
    pub(super) variable: String,
    /// Communicator of the rank, as the trace numbers them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comm: Option<u32>,
    pub(super) readings: u64,
    /// Smallest, largest and last reading; of several elements their sum.
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) last: f64,
    /// The line of the text report that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}
