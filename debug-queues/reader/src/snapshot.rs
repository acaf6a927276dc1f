//! The state of a process as it was seen. These types are also the JSON of `mpivet queues`, and the process that
//! loads the DLL sends them to the one that prints.

use crate::library::Library;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The state of one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The host that it is on, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub start: u64,
    pub program: PathBuf,
    /// Rank in MPI_COMM_WORLD; null if neither the launcher nor the library says.
    pub rank: Option<i32>,
    /// Size of MPI_COMM_WORLD, if known.
    pub size: Option<i32>,
    /// A name that all ranks of one MPI_COMM_WORLD on this host share.
    pub world: String,
    pub library: Library,
    pub queues: Option<Queues>,
    /// Why there are no queues.
    pub no_queues: Option<String>,
    pub threads: Vec<Thread>,
    /// Names with `mpi` that the program and libraries outside of MPI import: the MPI functions that they can call by
    /// name. Null: not known, since the program holds the MPI library itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<Vec<String>>,
    /// Why there are no call stacks.
    pub no_stacks: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Queues {
    pub dll: PathBuf,
    pub dll_version: String,
    /// The source of the sizes and fields of the library's types.
    pub types: String,
    pub communicators: Vec<Communicator>,
    /// The process changed its queues each time they were read: the entries were perhaps never there at one moment.
    pub changing: bool,
    /// Fingerprint of the library's memory for operations: if it is the same later, no operation has begun or ended
    /// in between. Null: this DLL gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<u64>,
    /// Messages of the DLL, if any.
    pub messages: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Communicator {
    /// No other communicator of the process has it.
    pub id: u64,
    pub name: String,
    /// Rank of the process in the communicator.
    pub rank: i64,
    pub size: i64,
    /// Ranks in MPI_COMM_WORLD of its members; null if the DLL does not say.
    pub group: Option<Vec<i32>>,
    /// An intercommunicator: peers are ranks of the other group, and `world_peer` is not known. Null: not known.
    pub inter: Option<bool>,
    pub sends: Queue,
    pub receives: Queue,
    pub unexpected: Queue,
}

/// A queue, in the order in which the library matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// False: the DLL cannot give it, which does not mean that it is empty.
    pub given: bool,
    /// False: the operations are not in the order of matching.
    pub ordered: bool,
    pub operations: Vec<Operation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pending,
    Matched,
    Complete,
}

/// The unit of `length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Bytes,
    Elements,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    pub status: Status,
    /// Rank in the communicator; null for MPI_ANY_SOURCE.
    pub peer: Option<i64>,
    /// Its rank in MPI_COMM_WORLD; null if any, or not known.
    pub world_peer: Option<i64>,
    /// Null for MPI_ANY_TAG.
    pub tag: Option<i64>,
    pub length: i64,
    pub unit: Unit,
    /// Address in the process.
    pub buffer: u64,
    /// The buffer is the library's own.
    pub system_buffer: bool,
    /// The message, once it is known.
    pub actual: Option<Actual>,
    /// Further lines of the DLL.
    pub text: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Actual {
    pub peer: i64,
    pub world_peer: i64,
    pub tag: i64,
    pub length: i64,
}

/// A thread and where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    pub tid: i32,
    /// The MPI function that the program has called, if the thread is in one.
    pub function: Option<String>,
    /// It is certain to wait in that function, and not about to return without having waited. Null: not known of this
    /// library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<bool>,
    /// The frames from the innermost one outwards.
    pub frames: Vec<Frame>,
    /// The stack was followed to its end.
    pub complete: bool,
    /// It never leaves the MPI library and the system's libraries: a thread of the library's own.
    pub library_thread: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub address: u64,
    /// File name of the module.
    pub module: String,
    /// Symbol whose code it is; null if the module's symbols do not say.
    pub function: Option<String>,
}
