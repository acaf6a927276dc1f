//! The calls of a run, reduced to the facts that decide who waits for whom.

/// Index of an operation in [`Program::ops`].
pub type OpIx = u32;

/// The mode of a send: when it is complete (MPI 4.1 section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// At the latest when its receive is posted; earlier if the library buffers it, which it need not.
    Standard,
    /// At once.
    Buffered,
    /// When its receive is posted.
    Synchronous,
}

/// The kind of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `comm`: any number, the same for all processes; `from`, `to`: processes.
    Send { mode: Mode, comm: u32, from: u32, to: u32, tag: i32, bytes: u64 },
    /// `None`: any.
    Recv {
        comm: u32,
        at: u32,
        source: Option<u32>,
        tag: Option<i32>,
        /// The send whose message it got.
        got: Option<OpIx>,
        /// From this step of its thread on, the process does something that depends on the message that it got.
        /// `None`: as far as is known, nothing does. A message with another tag or size than the one that it got is
        /// assumed to matter at once.
        steers: Option<u32>,
    },
    /// The part of one process in a collective operation.
    Part { collective: u32, position: u32 },
    /// Complete from the start, or unknown.
    Free,
}

impl Kind {
    /// Is it a wildcard receive: one that leaves the source or the tag open?
    pub fn is_open(&self) -> bool {
        matches!(self, Kind::Recv { source, tag, .. } if source.is_none() || tag.is_none())
    }
}

/// An operation: it starts, and is complete later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub kind: Kind,
    pub thread: u32,
    /// The step that starts it.
    pub step: u32,
}

/// The number of operations that a call waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Many {
    All,
    /// Any of them; these were complete when the call returned.
    Any(Vec<OpIx>),
}

/// A call that returns when operations are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub ops: Vec<OpIx>,
    pub many: Many,
    /// The process does nothing else until then: it is blocked, or it polls. If not, nobody knows what it would have
    /// done in the meantime.
    pub patient: bool,
}

impl Wait {
    /// The operations that were complete when the call returned.
    pub fn done(&self) -> &[OpIx] {
        match &self.many {
            Many::All => &self.ops,
            Many::Any(done) => done,
        }
    }
}

/// A step of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Start(OpIx),
    Wait(Wait),
    /// Waits for a message without receiving it. `found`: the send of the message that it reported.
    Probe {
        comm: u32,
        at: u32,
        source: Option<u32>,
        tag: Option<i32>,
        found: Option<OpIx>,
        patient: bool,
    },
}

/// The calls of one collective operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collective {
    /// By position in the communicator; `None`: never called.
    pub parts: Vec<Option<OpIx>>,
    /// By position: the positions whose data it needs, so that it cannot return before their calls, whatever the
    /// library does.
    pub needs: Vec<Vec<u32>>,
}

/// The steps of the threads of all processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Steps of each thread, in its order.
    pub threads: Vec<Vec<Step>>,
    pub ops: Vec<Operation>,
    pub collectives: Vec<Collective>,
}

impl Program {
    /// Adds an operation and the step that starts it.
    pub fn start(&mut self, thread: u32, kind: Kind) -> OpIx {
        let op = self.ops.len() as OpIx;
        let steps = &mut self.threads[thread as usize];
        let step = steps.len() as u32;
        steps.push(Step::Start(op));
        if let Kind::Part { collective, position } = kind {
            self.collectives[collective as usize].parts[position as usize] = Some(op);
        }
        self.ops.push(Operation { kind, thread, step });
        op
    }

    /// Adds a call that waits for all of these operations.
    pub fn wait_all(&mut self, thread: u32, ops: Vec<OpIx>) {
        self.threads[thread as usize].push(Step::Wait(Wait { ops, many: Many::All, patient: true }));
    }

    /// Do the arguments of the receive (or probe) fit the message?
    pub fn fits(&self, send: OpIx, comm: u32, at: u32, source: Option<u32>, tag: Option<i32>) -> bool {
        let Kind::Send { comm: c, from, to, tag: t, .. } = self.ops[send as usize].kind else { return false };
        c == comm && to == at && source.is_none_or(|s| s == from) && tag.is_none_or(|wanted| wanted == t)
    }

    /// The step from which on nobody knows what the process does if the receive takes this message and not the one
    /// that it got; `None`: as far as is known, the process would not notice.
    pub fn steered(&self, send: OpIx, recv: OpIx) -> Option<u32> {
        let op = &self.ops[recv as usize];
        let Kind::Recv { got: Some(got), steers, .. } = op.kind else { return None };
        if got == send {
            return None;
        }
        let known = |op: OpIx| match self.ops[op as usize].kind {
            Kind::Send { tag, bytes, .. } => Some((tag, bytes)),
            _ => None,
        };
        if known(got) == known(send) { steers } else { Some(op.step) }
    }

    /// Do the arguments of the receive fit the message?
    pub fn pairs(&self, send: OpIx, recv: OpIx) -> bool {
        match self.ops[recv as usize].kind {
            Kind::Recv { comm, at, source, tag, .. } => self.fits(send, comm, at, source, tag),
            _ => false,
        }
    }
}

/// A send and a receive that may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) send: OpIx,
    pub(crate) recv: OpIx,
}
