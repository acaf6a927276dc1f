//! A decoded MPI call: what a record of the trace says, and what the readable notation spells.

use serde::{Deserialize, Serialize};
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Status};

/// The value of one parameter before or after the call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Not recorded in this direction.
    #[default]
    None,
    /// An integer, an address, the id of an object, or the raw handle of a request or message.
    Int(i64),
    /// A request passed by reference.
    Request {
        /// Address of the variable that holds the handle; 0: not known.
        slot: u64,
        /// The raw handle.
        handle: i64,
    },
    /// An array of requests.
    Requests {
        /// Address of the first handle; 0: not known.
        base: u64,
        /// The raw handles, in the order of the array.
        handles: Vec<i64>,
    },
    /// An array of integers, addresses or ids of objects.
    Ints(Vec<i64>),
    /// A status in neutral form.
    Status(Status),
    /// An array of statuses in neutral form.
    Statuses(Vec<Status>),
    /// Text, such as the name of a port: what is no UTF-8 of it has become U+FFFD.
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

    /// The integers or handles of an array; none if the value is no array.
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
    /// [`trace_format::mpi::predefined::ERROR_CLASSES`].
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
    /// The MPI function: its row says what the values mean.
    pub func: FnId,
    /// Thread number within the rank, 0 is the thread that initialized MPI.
    pub thread: u16,
    /// Place in the thread's sequence of calls, from 0. The call is event `2 * index + 1` of the thread, its return
    /// event `2 * index + 2`.
    pub index: u64,
    /// Stack definition of the call site; 0: none.
    pub site: Id,
    /// Time of the call in the rank's ticks ([`trace_format::file::RankHeader::ticks_per_second`]).
    pub t_call: u64,
    /// Time of the return in the same ticks; 0 while the call is open.
    pub t_return: u64,
    /// Whether the call has returned, and with which error class.
    pub outcome: Outcome,
    /// How many more times the same poll was made with the same negative answer.
    pub polls: u32,
    /// Where it is to be kept, if calls behind it may repeat it: see [`crate::reader::Repeat`].
    pub slot: Option<u16>,
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

impl<A> Call<A> {
    /// A call with nothing known but its function and these values.
    #[inline(always)]
    pub fn with(func: FnId, ins: A, outs: A) -> Call<A> {
        let outcome = Outcome::Open;
        Call { func, thread: 0, index: 0, site: 0, t_call: 0, t_return: 0, outcome, polls: 0, slot: None, ins, outs }
    }

    /// Changes the form of the values.
    pub fn map<B>(self, mut form: impl FnMut(A) -> B) -> Call<B> {
        let Call { func, thread, index, site, t_call, t_return, outcome, polls, slot, ins, outs } = self;
        Call { func, thread, index, site, t_call, t_return, outcome, polls, slot, ins: form(ins), outs: form(outs) }
    }

    /// Number of the call event within its thread.
    pub fn call_event(&self) -> u64 {
        call_event(self.index)
    }

    /// Number of the return event within its thread.
    pub fn return_event(&self) -> u64 {
        self.call_event().saturating_add(1)
    }

    /// The call has not returned, as far as the trace tells.
    pub fn is_open(&self) -> bool {
        self.outcome == Outcome::Open
    }

    /// Returned without an error.
    pub fn succeeded(&self) -> bool {
        self.outcome == Outcome::Returned(0)
    }
}
