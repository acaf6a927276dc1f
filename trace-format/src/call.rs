//! A decoded MPI call: what a record of the trace says, and what the readable notation spells.

use crate::args::Args;
use crate::callbacks::Callback;
use crate::catalogue::{self, CheckInfo};
use crate::definition::Id;
use crate::marks::Mark;
use crate::mpi::FnId;
use crate::sample::Sample;
use serde::{Deserialize, Serialize};

/// What MPI wrote into a status, in family-neutral form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Status {
    /// Rank in the communicator, or one of the constants below.
    pub source: i32,
    pub tag: i32,
    /// Bytes received; `None` where the library does not say.
    pub bytes: Option<u64>,
    pub cancelled: bool,
}

/// Neutral values of MPI's special ranks and tags; the trace never holds a library's own.
pub mod special {
    /// `MPI_ANY_SOURCE`
    pub const ANY_SOURCE: i32 = -1;
    /// `MPI_PROC_NULL`
    pub const PROC_NULL: i32 = -2;
    /// `MPI_ROOT`
    pub const ROOT: i32 = -3;
    /// `MPI_ANY_TAG`
    pub const ANY_TAG: i32 = -1;
    /// `MPI_UNDEFINED`
    pub const UNDEFINED: i32 = -32766;
    /// `MPI_BOTTOM`, as a buffer address
    pub const BOTTOM: i64 = 0;
    /// `MPI_IN_PLACE`, as a buffer address
    pub const IN_PLACE: i64 = -1;
    /// `MPI_REQUEST_NULL` and `MPI_MESSAGE_NULL`
    pub const REQUEST_NULL: i64 = 0;
    /// `MPI_MESSAGE_NO_PROC`
    pub const MESSAGE_NO_PROC: i64 = -2;
    /// `MPI_STATUS_IGNORE` and the like never reach the trace: mpivet reads a status of its own.
    pub const NO_STATUS: i64 = 0;
}

/// The value of one parameter before or after the call.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// Not recorded in this direction.
    #[default]
    None,
    /// Integers, addresses, handle ids, raw request and message handles.
    Int(i64),
    /// A request passed by reference: where the handle is kept, and its value.
    Request {
        slot: u64,
        handle: i64,
    },
    /// An array of requests: address of the first, and the values.
    Requests {
        base: u64,
        handles: Vec<i64>,
    },
    Ints(Vec<i64>),
    Status(Status),
    Statuses(Vec<Status>),
    Str(String),
}

impl Value {
    /// The integer, or 0 where there is none.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(v) => *v,
            Value::Request { handle, .. } => *handle,
            _ => 0,
        }
    }

    pub fn ints(&self) -> &[i64] {
        match self {
            Value::Ints(v) => v,
            Value::Requests { handles, .. } => handles,
            _ => &[],
        }
    }
}

/// How a call ended, as far as the trace tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The call is recorded, its return is not (yet).
    Open,
    /// Returned with this error class: 0 is success, otherwise one more than the place in
    /// [`crate::mpi::predefined::ERROR_CLASSES`].
    Returned(u16),
}

/// Number, within its thread, of the event of the call with this place in the thread's sequence of calls. Of a damaged trace it
/// may be anything.
#[inline]
pub fn call_event(index: u64) -> u64 {
    index.saturating_mul(2).saturating_add(1)
}

/// One MPI call of one thread of one rank. `A`: its values, as they are spelled or as [`crate::args::Args`].
#[derive(Debug, Clone, PartialEq)]
pub struct Call<A = Vec<Value>> {
    pub func: FnId,
    /// Thread number within the rank, 0 is the thread that initialized MPI.
    pub thread: u16,
    /// Place in the thread's sequence of calls, from 0. The call is event `2 * index + 1` of the thread, its return
    /// event `2 * index + 2`.
    pub index: u64,
    /// Stack definition of the call site; 0: none.
    pub site: Id,
    /// Time of call and return in the rank's ticks ([`crate::file::RankHeader::ticks_per_second`]).
    pub t_call: u64,
    pub t_return: u64,
    pub outcome: Outcome,
    /// How many more times the same poll was made with the same negative answer.
    pub polls: u32,
    /// Values at the call, by parameter.
    pub ins: A,
    /// Values at the return, by parameter; empty while open.
    pub outs: A,
}

impl Call {
    /// A call with nothing known but its function.
    pub fn new(func: FnId) -> Call {
        let n = func.row().params.len();
        Call::with(func, vec![Value::None; n], vec![Value::None; n])
    }

    /// Value of the named parameter before the call.
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.func.row().param(name).map(|i| &self.ins[i])
    }

    /// Value of the named parameter after the call.
    pub fn out(&self, name: &str) -> Option<&Value> {
        self.func.row().param(name).and_then(|i| self.outs.get(i))
    }
}

impl Call<Args> {
    /// A call of which nothing is known, to be filled in: its function means nothing either.
    #[inline(always)]
    pub fn blank() -> Call<Args> {
        Call::with(FnId::MPI_Init, Args::default(), Args::default())
    }
}

impl<A> Call<A> {
    /// A call with nothing known but its function and these values.
    #[inline(always)]
    fn with(func: FnId, ins: A, outs: A) -> Call<A> {
        let outcome = Outcome::Open;
        Call { func, thread: 0, index: 0, site: 0, t_call: 0, t_return: 0, outcome, polls: 0, ins, outs }
    }

    /// The same call with its values in another form.
    pub fn map<B>(self, mut form: impl FnMut(A) -> B) -> Call<B> {
        let Call { func, thread, index, site, t_call, t_return, outcome, polls, ins, outs } = self;
        Call { func, thread, index, site, t_call, t_return, outcome, polls, ins: form(ins), outs: form(outs) }
    }

    /// Number of the call event within its thread.
    pub fn call_event(&self) -> u64 {
        call_event(self.index)
    }

    /// Number of the return event within its thread.
    pub fn return_event(&self) -> u64 {
        self.call_event().saturating_add(1)
    }

    pub fn is_open(&self) -> bool {
        self.outcome == Outcome::Open
    }

    /// Returned without an error.
    pub fn succeeded(&self) -> bool {
        self.outcome == Outcome::Returned(0)
    }
}

/// Levels of thread support, in their order (MPI 4.1, 11.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ThreadLevel {
    Single = 0,
    Funneled = 1,
    Serialized = 2,
    Multiple = 3,
}

impl ThreadLevel {
    pub const ALL: [ThreadLevel; 4] =
        [ThreadLevel::Single, ThreadLevel::Funneled, ThreadLevel::Serialized, ThreadLevel::Multiple];

    /// Name of the standard's constant.
    pub fn name(self) -> &'static str {
        match self {
            ThreadLevel::Single => "MPI_THREAD_SINGLE",
            ThreadLevel::Funneled => "MPI_THREAD_FUNNELED",
            ThreadLevel::Serialized => "MPI_THREAD_SERIALIZED",
            ThreadLevel::Multiple => "MPI_THREAD_MULTIPLE",
        }
    }

    /// What is wrong with a call of `function` by `thread` under this level. `other` was in a call; `None`: the thread
    /// is not the one that started MPI by calling `start`.
    pub fn breach(self, function: &str, thread: u16, other: Option<u16>, start: &str) -> String {
        let level = self.name();
        match other {
            Some(other) => format!(
                "{function} is called by thread {thread} while thread {other} is in an MPI call; the level is {level}, \
                 which forbids two calls at once"
            ),
            None => format!(
                "{function} is called by thread {thread}; the level is {level}, so that only the thread that called \
                 {start} may call MPI"
            ),
        }
    }

    pub fn by_name(name: &str) -> Option<ThreadLevel> {
        ThreadLevel::ALL.into_iter().find(|l| l.name() == name)
    }
}

/// Something that happened to the process, apart from its MPI calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemEvent {
    /// The process ends by exit(3) or a return from main.
    Exit { status: i32 },
    /// A signal whose default action ends the process was delivered.
    Signal(Signal),
    /// The MPI library reported an error from a call of this thread (`call` is its index). `fatal`: the error
    /// handler in force ends the program. `class` as in [`Outcome::Returned`].
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
    Mark { call: u64, mark: Mark },
    /// What was in the buffers of an operation. Without any it only says that the rank takes checksums; that comes before
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
    /// [`Call::index`] of the call being made: the one that starts the operation for what is sent, the one that completes
    /// it for what is received.
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

/// What a check in the running process found.
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
    /// [`Call::index`]
    pub call: u64,
    /// [`FnId::index`]
    pub func: u16,
    pub site: Id,
    /// What the call is in the finding: "is pending", "freed it".
    pub role: String,
}

impl Found {
    /// The check, if this version of mpivet has it.
    pub fn check(&self) -> Option<&'static CheckInfo> {
        catalogue::by_name(&self.code)
    }
}
