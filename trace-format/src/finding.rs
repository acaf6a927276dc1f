//! Findings: what a check found, as data. Reports render them; nothing here knows how.

use crate::catalogue::CheckInfo;
use crate::definition::Id;
pub use crate::severity::Severity;

/// A call that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallRef {
    /// Rank in MPI_COMM_WORLD.
    pub rank: i32,
    /// Number of the thread within the rank.
    pub thread: u16,
    /// Number of the call event in its thread; 0 where no call is meant (a signal outside of MPI).
    pub event: u64,
    /// C name of the function.
    pub function: String,
    /// The call with its arguments by name, as the readable notation prints it.
    pub text: String,
    /// Stack definition of the rank.
    pub site: Id,
    /// Instruction address where there is no stack (a signal).
    pub pc: u64,
    /// The role of this call in the finding: "the send", "waits for rank 1", ...
    pub role: String,
    /// When it was called and when it returned, in ticks of the rank; `u64::MAX`: it did not. `None`: not known.
    pub span: Option<(u64, u64)>,
}

/// A rank that waits, and for whom: what goes out of one vertex of the wait-for graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Rank in MPI_COMM_WORLD that waits.
    pub rank: i32,
    /// Number of its thread that waits.
    pub thread: u16,
    /// Number of the call event in its thread.
    pub event: u64,
    /// C name of the function.
    pub function: String,
    /// Stack definition of the rank.
    pub site: Id,
    /// Ranks that it waits for, ascending; nobody: it waits for a call that no rank makes.
    pub waits_for: Vec<i32>,
    /// One of them is enough.
    pub any: bool,
}

/// How what a finding tells of can be made to happen: what `mpivet run --replay` takes for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rerun {
    /// Number of the witness in the directory of the trace, from 1.
    pub witness: usize,
    /// It also takes standard sends that wait for their receives.
    pub sync_sends: bool,
}

/// Another way by which the program came to the places of a finding: the calls are at the same lines, and what called the
/// functions that these are in is not.
#[derive(Debug, Clone)]
pub struct Path {
    /// One sentence, as [`Finding::message`], for this way.
    pub message: String,
    /// Ranks concerned, ascending.
    pub ranks: Vec<i32>,
    /// The calls that prove it by this way; the first is the primary one.
    pub calls: Vec<CallRef>,
    /// How often it happened by this way.
    pub count: u64,
}

/// One diagnosed error or warning.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static CheckInfo,
    /// Severity of this finding; the user may set another than the check's own.
    pub severity: Severity,
    /// One sentence: what is wrong, with the numbers.
    pub message: String,
    /// Ranks concerned, ascending.
    pub ranks: Vec<i32>,
    /// The calls that prove it; the first is the primary one.
    pub calls: Vec<CallRef>,
    /// Further lines: the wait-for cycle, what the standard says, what was folded under the finding.
    pub notes: Vec<String>,
    /// How often the same thing happened at the same places.
    pub count: u64,
    /// Other ways to these places; `calls` and `message` are those of the first.
    pub paths: Vec<Path>,
    /// Ways that are not in `paths`, and how often it happened by them: nobody reads thousands.
    pub more_paths: (u64, u64),
    /// The replay that makes it happen, where there is a witness.
    pub rerun: Option<Rerun>,
    /// The wait-for graph, rank by rank, where the finding is about one.
    pub waits: Vec<Waiting>,
}

impl Finding {
    /// A finding of `check` with its default severity.
    pub fn new(check: &'static CheckInfo, message: impl Into<String>, calls: Vec<CallRef>) -> Finding {
        let mut ranks: Vec<i32> = calls.iter().map(|c| c.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        Finding {
            check,
            severity: check.severity,
            message: message.into(),
            ranks,
            calls,
            notes: Vec::new(),
            count: 1,
            paths: Vec::new(),
            more_paths: (0, 0),
            rerun: None,
            waits: Vec::new(),
        }
    }

    /// Adds one line to the notes.
    pub fn with_note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }
}
