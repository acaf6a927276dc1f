//! Polls without an answer: what a thread asks for again and again while it does nothing else in MPI.

use super::call::{Origin, Target};
use super::comms::CommIx;
use crate::arg_places::arg_places;
use std::rc::Rc;
use trace_format::mpi::FnId;

/// So many polls in a row are no accident.
const ENOUGH: u64 = 100;

/// A thread that asks for more different things is not followed.
const MOST: usize = 64;

/// The polls of a thread since it did anything else.
#[derive(Default)]
pub(crate) struct Polls {
    /// The first one of each kind.
    pub(crate) list: Vec<Poll>,
    pub(crate) times: u64,
    too_many: bool,
}

/// A poll that found nothing.
pub(crate) struct Poll {
    pub(crate) origin: Rc<Origin>,
    /// The message that a probe looks for.
    pub(crate) target: Option<Target>,
    pub(crate) window: Option<CommIx>,
}

impl Polls {
    /// The different polls of a loop that has gone on for long.
    pub(crate) fn of_loop(&self) -> &[Poll] {
        if self.times >= ENOUGH && !self.too_many { &self.list } else { &[] }
    }

    /// When a loop began that has gone on for long.
    pub(crate) fn since(&self) -> Option<u64> {
        self.of_loop().first().map(|p| p.origin.time)
    }

    /// All that are kept.
    pub(crate) fn all(&self) -> &[Poll] {
        &self.list
    }

    pub(crate) fn add(&mut self, poll: Poll, times: u64) {
        self.times = self.times.saturating_add(times);
        let call = &poll.origin;
        let is_same = |p: &Poll| {
            (p.origin.func, p.origin.site) == (call.func, call.site) && p.origin.common_ins() == call.common_ins()
        };
        if self.list.iter().any(is_same) {
            return;
        }
        if self.list.len() == MOST {
            self.too_many = true;
        } else {
            self.list.push(poll);
        }
    }
}

/// Does a call of the function look whether something has come, without waiting for it?
pub(crate) fn is_poll(func: FnId) -> bool {
    arg_places(func).class.is_poll()
}
