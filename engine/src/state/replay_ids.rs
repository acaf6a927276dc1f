//! The numbers of an operation in the deadlock replay and in the recorded program.

use schedules::{Id, OpIx};

/// The numbers of an operation in the replay, and in the program that is recorded for the exploration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayIds {
    pub(crate) replay: Id,
    pub(crate) recorded: Option<OpIx>,
}

/// A part of a collective operation, as the replay knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectiveReplayIds {
    pub(crate) replay: u32,
    pub(crate) recorded: u32,
}
