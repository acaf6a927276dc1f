//! Polls that found nothing.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{Entered, Origin, Poll, Polls, int, is_poll};
use std::rc::Rc;
use trace_format::mpi::{Class, Many};
use trace_reader::args::Args;

/// Did the poll find nothing?
fn is_negative(s: &ArgPlaces, outs: &Args) -> bool {
    let found = match s.class {
        Class::Test(Many::Some) | Class::GetStatus(Many::Some) => int(outs, s.index),
        _ => int(outs, s.flag),
    };
    found == Some(0)
}

impl Model {
    /// A call has returned, in a record that stands for so many calls.
    pub(crate) fn note_poll(&mut self, origin: &Rc<Origin>, entered: Entered, failed: bool, outs: &Args, times: u64) {
        let s = origin.arg_places;
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
    pub(crate) fn note_repeated(&mut self, rank: i32, thread: u16, index: u64, times: u64) {
        let t = self.ranks[rank as usize].thread(thread);
        if t.last.as_ref().is_some_and(|last| last.index == index && is_poll(last.func)) && !t.polls.list.is_empty() {
            t.polls.times = t.polls.times.saturating_add(times);
        }
    }
}
