//! Events of a process apart from its MPI calls, and what it says of itself.

use crate::annotations::Annotation;
use crate::callbacks::Callback;
use crate::catalogue::{self, CheckInfo};
use crate::definition::Id;
use crate::mpi::ThreadLevel;
use crate::sample::Sample;
use serde::{Deserialize, Serialize};

/// Something that happened to the process, apart from its MPI calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemEvent {
    /// The process ends by exit(3) or a return from main.
    Exit { status: i32 },
    /// A signal whose default action ends the process was delivered.
    Signal(Signal),
    /// The MPI library reported an error from a call of this thread (`call` is its index). `fatal`: the error
    /// handler in force ends the program. `class`: one more than the
    /// place in [`crate::mpi::predefined::ERROR_CLASSES`].
    MpiError { call: u64, class: u16, fatal: bool, text: String },
    /// Recording stopped; the trace ends here although the program may have gone on.
    Lost { reason: String },
    /// A call of this thread (`call` is its index) that the level of thread support in force forbids: another thread
    /// than the main one (`other` is `None`), or while thread `other` was in a call.
    ThreadLevel { call: u64, level: ThreadLevel, other: Option<u16> },
    /// Calls in front of this place are not known: `calls` of this thread, where that is known. The trace has a limit of
    /// size, or it is damaged. Of the process as a whole: it is not known which threads have made them.
    Gap { calls: u64 },
    /// MPI_Pcontrol paused (false) or resumed (true) the recording.
    Recording { on: bool },
    /// A check that the process decides by itself found something.
    Found(Found),
    /// The program has said something to mpivet by this call of this thread.
    Annotation { call: u64, annotation: Annotation },
    /// The checksums of an operation's buffers. Without any it only says that the rank takes checksums; that comes before
    /// its first call. Stands between a call and its return.
    Checksums(Checksums),
    /// A performance variable was read.
    Sample(Sample),
    /// A callback of a generalized request has returned.
    Callback(Callback),
}

/// Checksums of the data of one operation, for comparison between ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksums {
    /// Place, among the calls of the thread, of the call that is being made: the one that starts the operation for what is
    /// sent, the one that completes it for what is received.
    pub call: u64,
    /// Place of the request among those that the call is given.
    pub request: u32,
    pub sent: Vec<Checksum>,
    pub received: Vec<Checksum>,
}

/// The digest of packed data: the same for the same data, whatever their layout in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Place of the partner among those of a collective operation, as the arrays of counts have it;
    /// [`Checksum::WHOLE`] where the data of the operation are one.
    pub partner: u32,
    pub bytes: u64,
    pub digest: u64,
}

impl Checksum {
    /// Not for one partner of several.
    pub const WHOLE: u32 = u32::MAX;
}

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signal {
    /// Its number, and `si_code`.
    pub signal: i32,
    pub code: i32,
    /// The instruction that was interrupted.
    pub pc: u64,
    /// `si_addr`, of a signal that a process has sent: that process (low half) and its user.
    pub address: u64,
    /// Where the interrupted function returns to; 0 if that is not known or `pc` is in the program itself.
    pub caller: u64,
    /// The thread that was interrupted; `None` if it never called MPI.
    pub thread: Option<u16>,
    /// The default action follows, or the MPI library's: the process ends. Otherwise a handler of the program.
    pub is_last: bool,
    /// It was sent by a process that has started this one: the launcher.
    pub by_launcher: bool,
}

/// A finding of a check in the running process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// [`crate::catalogue::CheckInfo::code`]
    pub code: String,
    /// One sentence, without the rank.
    pub message: String,
    /// The calls that prove it, the one that was being made first.
    pub places: Vec<Place>,
    /// Further lines.
    pub notes: Vec<String>,
    /// How often it happened, or how many objects it concerns.
    pub count: u64,
}

/// A call of the rank that a [`Found`] speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub thread: u16,
    /// Place in the sequence of calls of the thread.
    pub call: u64,
    /// [`crate::mpi::FnId::index`]
    pub func: u16,
    pub site: Id,
    /// The role of the call in the finding: "is pending", "freed it".
    pub role: String,
}

impl Found {
    /// The check, if this version of mpivet has it.
    pub fn check(&self) -> Option<&'static CheckInfo> {
        catalogue::by_name(&self.code)
    }
}
