//! Calls and halves of messages as those who listen see them.

use super::call::Origin;
use trace_format::definition::Id;
use trace_format::mpi::FnId;

/// A call, as those who count and draw need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSeen {
    pub rank: i32,
    pub thread: u16,
    pub func: FnId,
    /// Place in the thread's sequence of calls, from 0.
    pub index: u64,
    /// Stack definition of the call site; 0: none.
    pub site: Id,
    /// When it was called.
    pub begin: u64,
    /// When it returned; `None`: it had not when the engine spoke of it.
    pub end: Option<u64>,
}

impl CallSeen {
    pub(crate) fn new(origin: &Origin) -> CallSeen {
        let end = origin.end();
        CallSeen {
            rank: origin.rank,
            thread: origin.thread,
            func: origin.func,
            index: origin.index,
            site: origin.site,
            begin: origin.time,
            end: (end != u64::MAX).then_some(end),
        }
    }
}

/// One side of a message, or a part of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// The call that started it.
    pub call: CallSeen,
    /// The call in which the program learnt that it is over (the same one if it blocks); `None`: it never did.
    pub ended: Option<CallSeen>,
    /// The bytes that were sent, or that the receive says it got; `None`: unknown.
    pub bytes: Option<u64>,
    /// [`crate::listeners::Communicator::number`]
    pub comm: u32,
    /// The other side, as the call named it or as it turned out; of a collective operation its root. -1: nobody knows, or
    /// there is none.
    pub peer: i32,
    pub tag: i32,
}
