//! A run in numbers: calls and times of functions, messages by size and by pair, collective operations, and times of
//! waiting. [`Collector`] counts while the engine reads; its memory grows with ranks, call sites and pairs, not with
//! the length of the run.

mod collect;
mod filter;
mod finish;
mod matrix;
mod nested;
mod sizes;
#[cfg(test)]
mod tests;
pub(crate) mod waits;

pub use collect::Collector;
pub use matrix::{Blocks, Pair};
pub use sizes::Size;
pub use waits::Waits;

use serde::Serialize;
use trace_format::mpi::FnId;

/// Name of the form that the statistics have as JSON.
pub const SCHEMA: &str = "mpivet-statistics-1";

/// A process: its number in the run, and what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ProcessName {
    #[serde(skip)]
    pub process: i32,
    #[serde(skip_serializing_if = "is_first")]
    pub world: usize,
    pub rank: i32,
}

/// `3`, or `w1.0` of another world.
impl std::fmt::Display for ProcessName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.world {
            0 => write!(f, "{}", self.rank),
            world => write!(f, "w{world}.{}", self.rank),
        }
    }
}

fn is_first(world: &usize) -> bool {
    *world == 0
}

fn is_none(n: &u64) -> bool {
    *n == 0
}

/// Everything that was counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    pub schema: &'static str,
    /// The time from a rank's first call of MPI to the end of its last one, for the rank that took longest.
    pub seconds: f64,
    /// The time of all ranks together.
    pub rank_seconds: f64,
    /// The time from the first call of MPI of a thread to the end of its last one, summed over all threads: shares
    /// are shares of this. It is `rank_seconds` where each rank has one thread.
    pub thread_seconds: f64,
    /// Hosts that the ranks ran on.
    pub hosts: Vec<String>,
    /// Times of different ranks come from different clocks, so that the times which ranks waited for each other are not
    /// exact.
    pub clocks_differ: bool,
    /// Functions of the whole program, those with the most time first.
    pub functions: Vec<Function>,
    /// Ranks in order.
    pub ranks: Vec<Rank>,
    /// Messages by size, small ones first; only sizes that there were.
    pub sizes: Vec<Size>,
    /// Messages whose size nobody knows.
    #[serde(skip_serializing_if = "is_none")]
    pub unknown_sizes: u64,
    /// The messages from each process to each, in the order of senders and receivers.
    pub pairs: Vec<Pair>,
    /// By communicator and function.
    pub collectives: Vec<Collectives>,
    /// The times that call sites waited, by rank and place; only those that may wait at all.
    pub sites: Vec<Site>,
}

/// The counts of a rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rank {
    #[serde(flatten)]
    pub who: ProcessName,
    /// The time from its first call of MPI to the end of its last one.
    pub seconds: f64,
    /// The time of all its threads together.
    pub thread_seconds: f64,
    /// The time in calls of MPI, without repeated polls.
    pub mpi_seconds: f64,
    /// The time from the first to the last poll of a sequence with the same negative answer: with all that the
    /// program did in between.
    pub polling_seconds: f64,
    pub waits: Waits,
    /// Functions with the most time first.
    pub functions: Vec<Function>,
    /// The messages that it sent, by size.
    pub sizes: Vec<Size>,
    #[serde(skip_serializing_if = "is_none")]
    pub unknown_sizes: u64,
}

/// The calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Function {
    #[serde(rename = "function", serialize_with = "name_of")]
    pub id: FnId,
    /// Repeated polls and calls that never returned are among them.
    pub calls: u64,
    /// Calls that had not returned when the trace ended.
    #[serde(skip_serializing_if = "is_none")]
    pub open: u64,
    /// Time in the calls, apart from polls that were repeated, and from calls that callbacks of the program made
    /// inside of them.
    pub seconds: f64,
    /// The time from the first to the last poll of a sequence with the same negative answer: with all that the
    /// program did in between.
    pub polling_seconds: f64,
    /// The shortest and the longest call, each without the calls inside of it.
    pub min_seconds: f64,
    pub max_seconds: f64,
    /// Sent or received by what the calls started, as far as that is known.
    pub bytes: u64,
}

impl Function {
    pub fn name(&self) -> &'static str {
        self.id.name()
    }
}

fn name_of<S: serde::Serializer>(id: &FnId, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(id.name())
}

/// Collective operations of one kind on one communicator, window or file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collectives {
    /// The program's name of the communicator, or its kind.
    pub communicator: String,
    /// Its number in time lines. `None`: it is beyond a great number of communicators.
    pub number: Option<u32>,
    /// Processes; 0: not known.
    pub size: usize,
    #[serde(rename = "function", serialize_with = "name_of")]
    pub id: FnId,
    pub operations: u64,
    /// Operations that not all processes entered, or not all left.
    #[serde(skip_serializing_if = "is_none")]
    pub unfinished: u64,
    /// The time that all its processes spent in the calls (of a nonblocking operation: in the calls that completed it).
    pub seconds: f64,
    /// The part of it that processes waited for others to come.
    pub wait_seconds: f64,
    /// The longest such wait of a process.
    pub max_wait_seconds: f64,
}

/// The calls of a function that a rank made at one place of the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Site {
    #[serde(flatten)]
    pub who: ProcessName,
    #[serde(rename = "function", serialize_with = "name_of")]
    pub id: FnId,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// `file:line` as people want to read it, or what else is known of the place.
    #[serde(skip)]
    pub place: String,
    /// The text of that line, if the source is there.
    #[serde(skip)]
    pub source: Option<String>,
    pub calls: u64,
    pub seconds: f64,
    pub waits: Waits,
}
