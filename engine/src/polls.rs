//! Polls without an answer: what a thread asks for again and again while it does nothing else in MPI.

use super::Model;
use super::comms::CommIx;
use super::facts::Origin;
use super::interpret::{Entered, Target, int};
use super::shape::{Shape, shape};
use std::rc::Rc;
use trace_format::mpi::{Class, FnId, Many};
use trace_reader::args::Args;

/// So many polls in a row are no accident.
const ENOUGH: u64 = 100;
/// A thread that asks for more different things is not followed.
const MOST: usize = 64;

/// The polls of a thread since it did anything else.
#[derive(Default)]
pub(crate) struct Polls {
    /// The first one of each kind.
    list: Vec<Poll>,
    times: u64,
    too_many: bool,
}

/// A poll that found nothing.
pub(crate) struct Poll {
    pub(crate) origin: Rc<Origin>,
    /// What a probe looks for.
    pub(crate) target: Option<Target>,
    pub(crate) window: Option<CommIx>,
}

impl Polls {
    /// The different polls of a loop that has gone on for long.
    pub(crate) fn of_loop(&self) -> &[Poll] {
        if self.times >= ENOUGH && !self.too_many { &self.list } else { &[] }
    }

    /// When a loop began that has gone on for long.
    pub(super) fn since(&self) -> Option<u64> {
        self.of_loop().first().map(|p| p.origin.time)
    }

    /// All that are kept.
    pub(super) fn all(&self) -> &[Poll] {
        &self.list
    }

    fn add(&mut self, poll: Poll, times: u64) {
        self.times = self.times.saturating_add(times);
        let call = &poll.origin;
        let is_same = |p: &Poll| (p.origin.func, p.origin.site) == (call.func, call.site) && p.origin.ins == call.ins;
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
    shape(func).class.is_poll()
}

/// Did the poll find nothing?
fn is_negative(s: &Shape, outs: &Args) -> bool {
    let found = match s.class {
        Class::Test(Many::Some) | Class::GetStatus(Many::Some) => int(outs, s.index),
        _ => int(outs, s.flag),
    };
    found == Some(0)
}

impl Model {
    /// A call has returned, in a record that stands for so many calls.
    pub(super) fn note_poll(&mut self, origin: &Rc<Origin>, entered: Entered, failed: bool, outs: &Args, times: u64) {
        let s = origin.shape;
        let rank = origin.rank as usize;
        if !is_poll(origin.func) || failed || !is_negative(s, outs) {
            let polls = &mut self.ranks[rank].thread(origin.thread).polls;
            if !polls.list.is_empty() && !matches!(s.class, Class::Local | Class::Pcontrol) {
                *polls = Polls::default();
            }
            return;
        }
        let probes = matches!(s.class, Class::Probe(_) | Class::Mprobe(_));
        let target = if probes { self.target(origin, s.peer, s.tag, s) } else { None };
        let poll = Poll { origin: origin.clone(), target, window: entered.window };
        self.ranks[rank].thread(origin.thread).polls.add(poll, times);
    }

    /// The last call of a thread, a poll, was repeated.
    pub(super) fn note_repeated(&mut self, rank: i32, thread: u16, index: u64, times: u64) {
        let t = self.ranks[rank as usize].thread(thread);
        if t.last.as_ref().is_some_and(|last| last.index == index) && !t.polls.list.is_empty() {
            t.polls.times = t.polls.times.saturating_add(times);
        }
    }
}
