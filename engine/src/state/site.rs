//! A place that a finding speaks of: a call, or an address.

use super::call::Origin;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::finding::CallRef;

/// A call that a finding speaks of.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) rank: i32,
    /// `None`: a place outside of MPI.
    pub(crate) call: Option<Rc<Origin>>,
    pub(crate) pc: u64,
    /// The stack of a place outside of MPI; 0: it is not known.
    pub(crate) stack: Id,
    pub(crate) role: String,
}

impl Site {
    pub(crate) fn new(call: &Rc<Origin>, role: impl Into<String>) -> Site {
        Site { rank: call.rank, call: Some(call.clone()), pc: 0, stack: 0, role: role.into() }
    }

    pub(crate) fn order(&self) -> (i32, u16, u64) {
        self.call.as_ref().map_or((self.rank, 0, 0), |c| (c.rank, c.thread, c.event()))
    }
}

/// An empty reference, for a rank that was in no call.
pub fn outside(rank: i32, pc: u64, role: &str) -> CallRef {
    CallRef {
        rank,
        thread: 0,
        event: 0,
        function: String::new(),
        text: String::new(),
        site: 0,
        pc,
        role: role.to_owned(),
        span: None,
    }
}
