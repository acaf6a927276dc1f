//! A decoded MPI call: what a record of the trace says, and what the readable notation spells.

use trace_format::definition::Id;
use trace_format::mpi::{FnId, Status};

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
    pub func: FnId,
    /// Thread number within the rank, 0 is the thread that initialized MPI.
    pub thread: u16,
    /// Place in the thread's sequence of calls, from 0. The call is event `2 * index + 1` of the thread, its return
    /// event `2 * index + 2`.
    pub index: u64,
    /// Stack definition of the call site; 0: none.
    pub site: Id,
    /// Time of call and return in the rank's ticks ([`trace_format::file::RankHeader::ticks_per_second`]).
    pub t_call: u64,
    pub t_return: u64,
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
    pub(crate) fn with(func: FnId, ins: A, outs: A) -> Call<A> {
        let outcome = Outcome::Open;
        Call { func, thread: 0, index: 0, site: 0, t_call: 0, t_return: 0, outcome, polls: 0, slot: None, ins, outs }
    }

    /// The same call with its values in another form.
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

    pub fn is_open(&self) -> bool {
        self.outcome == Outcome::Open
    }

    /// Returned without an error.
    pub fn succeeded(&self) -> bool {
        self.outcome == Outcome::Returned(0)
    }
}
