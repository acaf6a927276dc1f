//! Numbers and notes of an operation with others: the deadlock replay, and those who listen.

use super::call::Origin;
use super::op::OpId;
use super::seen::Half;
use schedules::{Id, OpIx};
use std::rc::Rc;

/// The numbers of an operation in the replay, and in the program that is recorded for the exploration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) replay: Id,
    pub(crate) recorded: Option<OpIx>,
}

/// A part of a collective operation, as the replay knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToldAll {
    pub(crate) replay: u32,
    pub(crate) recorded: u32,
}

/// Notes on an operation for those who listen.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) ended: Option<Rc<Origin>>,
    pub(crate) mate: Mate,
}

#[derive(Debug, Default)]
pub(crate) enum Mate {
    #[default]
    Nobody,
    Op(OpId),
    /// It is over.
    Gone(Half),
}

impl Heard {
    /// The call that it speaks of.
    pub(crate) fn call(&self) -> Option<&Rc<Origin>> {
        self.ended.as_ref()
    }
}
