//! Events as they are handed from the reader to the engine: whole, or as repeats of calls that came whole before.

use super::Varying;
use crate::args::Args;
use crate::call::{Call, Value};
use crate::unpack::CallTimes;
use std::sync::Arc;
use trace_format::definition::Definition;
use trace_format::system::SystemEvent;

/// An event as the reader hands it over: each thread's events in their order, the threads of a rank by time. `A`: the values
/// of calls, as they are spelled or as [`Args`].
#[derive(Debug, Clone, PartialEq)]
pub enum RankEvent<A = Vec<Value>> {
    /// An object or a place that later events name by its id.
    Definition(Definition),
    /// A call, open or already returned.
    Call(Call<A>),
    /// The return of a call that was handed over while open. If it was not, the call is a poll that was repeated since.
    Return {
        /// The thread that the call is of, as in [`Call::thread`].
        thread: u16,
        /// The call, as in [`Call::index`].
        index: u64,
        /// When it returned, in the rank's ticks.
        time: u64,
        /// The error class, as in [`crate::call::Outcome::Returned`].
        class: u16,
        /// How many more times the poll was made than was handed over before.
        polls: u32,
        /// Values at the return, by parameter.
        outs: A,
    },
    /// An event of the process that is no call.
    System {
        /// The thread that it is of; [`trace_format::file::PROCESS_THREAD`]: the process as a whole.
        thread: u16,
        /// When it happened, in the rank's ticks.
        time: u64,
        /// The event itself.
        event: SystemEvent,
    },
}

/// An event in the form that is decoded fastest and takes least memory.
pub type LeanEvent = RankEvent<Args>;

/// An event on its way from the reader to the engine.
#[derive(Debug)]
pub enum EventRef<'a> {
    /// An event that its taker may take apart: what is left of it means nothing.
    Whole(&'a mut LeanEvent),
    /// A call and its return that repeat a call that came whole and is kept.
    Repeat(&'a Repeat),
}

/// A call that differs from a kept one of its thread ([`Call::slot`]) in its times, its result and its varying values alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repeat {
    /// The [`Call::slot`] of the kept one.
    pub slot: u16,
    /// The thread of both calls.
    pub thread: u16,
    /// The error class, as in [`crate::call::Outcome::Returned`].
    pub class: u16,
    /// The place of the repeated call in the thread's sequence of calls, as in [`Call::index`].
    pub index: u64,
    /// When it began, in the rank's ticks.
    pub t_call: u64,
    /// When it returned, in the rank's ticks.
    pub t_return: u64,
    /// Its varying values: [`super::varying_fields`] says which parameters they are of.
    pub varying: Varying,
}

impl Repeat {
    /// A copy of the repeat at another place and time.
    pub fn at(&self, index: u64, (t_call, t_return): CallTimes) -> Repeat {
        Repeat { index, t_call, t_return, ..*self }
    }
}

/// The calls of several rounds of a loop, which differ in their times alone.
#[derive(Debug, Clone, Copy)]
pub struct Rounds<'a> {
    /// The calls of one round. Their times, and their places among the calls of the thread, mean nothing.
    pub round: &'a Arc<[Repeat]>,
    /// The place of the first call.
    pub index: u64,
    /// When each call began and ended: as many as some whole rounds have.
    pub times: &'a [CallTimes],
}

impl Rounds<'_> {
    /// The calls one by one.
    pub fn each(&self) -> impl Iterator<Item = Repeat> {
        let all = self.times.iter().zip(self.round.iter().cycle()).enumerate();
        all.map(|(i, (times, repeat))| repeat.at(self.index.wrapping_add(i as u64), *times))
    }
}

impl<A> RankEvent<A> {
    fn map<B>(self, mut form: impl FnMut(A) -> B) -> RankEvent<B> {
        match self {
            RankEvent::Definition(definition) => RankEvent::Definition(definition),
            RankEvent::Call(call) => RankEvent::Call(call.map(form)),
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                RankEvent::Return { thread, index, time, class, polls, outs: form(outs) }
            }
            RankEvent::System { thread, time, event } => RankEvent::System { thread, time, event },
        }
    }
}

impl LeanEvent {
    /// Takes the event; what is left in its place means nothing.
    pub fn take(&mut self) -> LeanEvent {
        std::mem::replace(self, RankEvent::System { thread: 0, time: 0, event: SystemEvent::Recording { on: true } })
    }
}

impl From<LeanEvent> for RankEvent {
    fn from(event: LeanEvent) -> RankEvent {
        event.map(|args| args.to_values())
    }
}

impl From<RankEvent> for LeanEvent {
    fn from(event: RankEvent) -> LeanEvent {
        event.map(Args::from)
    }
}
