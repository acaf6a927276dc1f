//! Events of a process apart from its MPI calls, and what it says of itself.

use crate::annotations::Annotation;
use crate::callbacks::Callback;
use crate::catalogue::{self, CheckInfo};
use crate::definition::Id;
use crate::mpi::ThreadLevel;
use crate::sample::Sample;
use crate::touched::Touched;
use crate::watched::Watched;
use serde::{Deserialize, Serialize};

/// Something that happened to the process, apart from its MPI calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemEvent {
    /// The process ends by exit(3) or a return from main.
    Exit {
        /// Status that it gives to exit(3), or returns.
        status: i32,
    },
    /// A signal whose default action ends the process was delivered.
    Signal(Signal),
    /// The MPI library reported an error from a call of this thread.
    MpiError {
        /// Index of the call in the thread.
        call: u64,
        /// Error class: one more than the place in [`crate::mpi::predefined::ERROR_CLASSES`].
        class: u16,
        /// The error handler in force ends the program.
        fatal: bool,
        /// Text of the library (MPI_Error_string).
        text: String,
    },
    /// Recording stopped; the trace ends here although the program may have gone on.
    Lost {
        /// A phrase on why.
        reason: String,
    },
    /// A call of this thread that the level of thread support in force forbids (MPI 4.1, 11.2.1).
    ThreadLevel {
        /// Index of the call in the thread.
        call: u64,
        /// The level in force.
        level: ThreadLevel,
        /// The thread that was in a call at the time; `None`: this thread is not the main one.
        other: Option<u16>,
    },
    /// Calls in front of this place are not known: the trace has a limit of size, or it is damaged. In the events of the
    /// process as a whole it says that nobody knows which threads have made them.
    Gap {
        /// Number of calls of this thread that are missing, where that is known.
        calls: u64,
    },
    /// MPI_Pcontrol paused (false) or resumed (true) the recording.
    Recording {
        /// It is recorded from now on.
        on: bool,
    },
    /// A check that the process decides by itself found something.
    Found(Found),
    /// The program has said something to mpivet by this call of this thread.
    Annotation {
        /// Index of the call of MPI_Pcontrol in the thread.
        call: u64,
        /// The statement.
        annotation: Annotation,
    },
    /// The checksums of an operation's buffers. Without any it only says that the rank takes checksums; that comes before
    /// its first call. Stands between a call and its return.
    Checksums(Checksums),
    /// A performance variable was read.
    Sample(Sample),
    /// A callback of a generalized request has returned.
    Callback(Callback),
    /// The program has loaded from or stored to memory that the process exposes by a window.
    Touched(Touched),
    /// How much memory was watched.
    Watched(Watched),
}

/// Checksums of the data of one operation, for comparison between ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksums {
    /// Place, among the calls of the thread, of the call that is being made: the one that starts the operation for what is
    /// sent, the one that completes it for what is received.
    pub call: u64,
    /// Place of the request among those that the call is given.
    pub request: u32,
    /// Checksums of the data that the operation sends.
    pub sent: Vec<Checksum>,
    /// Checksums of the data that the operation has received.
    pub received: Vec<Checksum>,
}

/// The digest of packed data: the same for the same data, whatever their layout in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Place of the partner among those of a collective operation, as the arrays of counts have it;
    /// [`Checksum::WHOLE`] where the data of the operation are one.
    pub partner: u32,
    /// Length of the packed data.
    pub bytes: u64,
    /// Hash of the packed data.
    pub digest: u64,
}

impl Checksum {
    /// Not for one partner of several.
    pub const WHOLE: u32 = u32::MAX;
}

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signal {
    /// Number of the signal.
    pub signal: i32,
    /// `si_code`: who sent it, or which fault it was.
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

/// [`Place::func`] of a place that is no call of MPI.
pub const NO_FUNCTION: u16 = u16::MAX;

/// A call of the rank that a [`Found`] speaks of, or another place of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Number of the thread within the rank.
    pub thread: u16,
    /// Place in the sequence of calls of the thread.
    pub call: u64,
    /// [`crate::mpi::FnId::index`], or [`NO_FUNCTION`].
    pub func: u16,
    /// [`crate::definition::Definition::Stack`] of the call.
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
