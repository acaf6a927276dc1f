//! A call as long as something may be said of it: what it has in common with others of its loop, and what is its own.

use super::comms::CommIx;
use crate::arg_places::{ArgPlaces, NONE, Place, Side, VaryingPlaces, arg_places};
use crate::collections::At;
use crate::types::Amount;
use std::cell::{Cell, OnceCell};
use std::ops::Deref;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Status};
use trace_reader::args::{Arg, Args};
use trace_reader::call::{Call, call_event};
use trace_reader::reader::{Field, Varying, varying_fields, varying_of, varying_status, with_varying};

/// A call as long as something may have to be said about it.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) rank: i32,
    /// In ticks of the rank.
    pub(crate) time: u64,
    /// When the call returned; `u64::MAX` while it has not.
    pub(crate) end: Cell<u64>,
    pub(crate) thread: u16,
    pub(crate) index: u64,
    /// The values that it does not have in common with others, by [`Pattern::fields`].
    pub(crate) varying: Varying,
    /// The values that it has in common with others.
    pub(crate) pattern: Rc<Pattern>,
}

/// The values in common of calls that a thread makes again and again.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) func: FnId,
    /// Where the parameters of the function stand.
    pub(crate) arg_places: &'static ArgPlaces,
    pub(crate) site: Id,
    /// The arguments of one of the calls: [`Origin::int`] and its companions say what the others were given.
    ins: Args,
    /// The results of one of those that had returned when they were read: [`Origin::result`], [`Origin::status_at`] and
    /// [`Origin::new_request`] say what the others returned.
    pub(crate) outs: Args,
    /// How many more times the same poll was made in each.
    pub(crate) polls: u32,
    /// Values above that are those of one of the calls; of the others see [`Origin::varying`].
    pub(crate) fields: &'static [Field],
    /// Which of these is where the variable of a new request is, and what was written to it.
    slot: Option<u8>,
    written: Option<u8>,
    /// Which are the place and the handle of the request that the call is given.
    given: Option<(u8, u8)>,
    /// Which are the number of elements in a buffer and the tag; `None`, too, where the call was not given an integer.
    pub(crate) own_count: Option<u8>,
    pub(crate) own_tag: Option<u8>,
    /// Facts that were found out of the last of them, and that mostly hold again. Nothing for a call that is the only one:
    /// it takes less memory then.
    found: OnceCell<Box<Found>>,
}

/// See [`Pattern::found`].
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) send: Cell<Option<MessageEnd>>,
    pub(crate) recv: Cell<Option<MessageEnd>>,
    buffers: Cell<Option<Buffers>>,
    /// Mailbox and lane of the message that was sent, and of the one that was received.
    pub(crate) sent: Cell<(At, At)>,
    pub(crate) received: Cell<(At, At)>,
}

/// Buffers among which there is nothing new: between these addresses, with no more elements than that, of which no more bytes
/// were received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Buffers {
    low: i64,
    high: i64,
    count: i64,
    got: u64,
}

impl Buffers {
    /// Is this one new, and the buffers with it. Where there are several addresses, the count of some of them says nothing of
    /// others: the least one holds for all.
    fn with(self, new: Buffers) -> (bool, Buffers) {
        let is_new = new.low < self.low || new.high > self.high || new.count > self.count || new.got > self.got;
        let (low, high) = (self.low.min(new.low), self.high.max(new.high));
        let (count, got) = if low == high {
            (self.count.max(new.count), self.got.max(new.got))
        } else {
            (self.count.min(new.count), self.got.min(new.got))
        };
        (is_new, Buffers { low, high, count, got })
    }
}

/// One half of a message, by the arguments of its call that those like it share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageEnd {
    pub(crate) comm: CommIx,
    /// As in [`Target`].
    pub(crate) peer: i32,
    /// One element; `None`: it is not known.
    pub(crate) one: Option<Amount>,
    /// It holds as long as this is [`crate::model::Model::epoch`].
    pub(crate) epoch: u32,
}

impl Pattern {
    /// Makes it that of another call, in the memory that it has. What is left in the call means nothing.
    #[inline]
    pub(crate) fn fill(&mut self, call: &mut Call<Args>) {
        let Pattern { ins, outs, .. } = self;
        ins.take_from(&mut call.ins);
        outs.take_from(&mut call.outs);
        let described = Described::of(call.func, ins);
        (self.func, self.site, self.polls) = (call.func, call.site, call.polls);
        (self.arg_places, self.fields) = (described.arg_places, described.fields);
        (self.slot, self.written, self.given) = (described.slot, described.written, described.given);
        (self.own_count, self.own_tag) = (described.own_count, described.own_tag);
        self.found.take();
    }

    /// There is another call like it: what is found out of it is of use to those that follow.
    #[inline]
    pub(crate) fn comes_again(&self) {
        self.found.get_or_init(Box::default);
    }

    /// An integer argument of one of the calls.
    pub(crate) fn common_int(&self, place: Place) -> Option<i64> {
        int(&self.ins, place)
    }

    /// Which varying values are the variable of the request that a call makes, and its handle.
    pub(crate) fn made_places(&self) -> (Option<u8>, Option<u8>) {
        (self.slot, self.written)
    }

    /// A call with its values.
    pub(crate) fn as_call(&self) -> Call<Args> {
        let mut call = Call::with(self.func, self.ins.clone(), self.outs.clone());
        (call.site, call.polls) = (self.site, self.polls);
        call
    }

    /// See [`Pattern::found`].
    #[inline]
    pub(crate) fn found(&self) -> Option<&Found> {
        self.found.get().map(|found| &**found)
    }

    #[inline(always)]
    pub(crate) fn new(func: FnId, site: Id, ins: Args, outs: Args, polls: u32) -> Pattern {
        let Described { arg_places, fields, slot, written, given, own_count, own_tag } = Described::of(func, &ins);
        let found = OnceCell::new();
        Pattern { func, arg_places, site, ins, outs, polls, fields, slot, written, given, own_count, own_tag, found }
    }
}

/// A pattern as far as the row of its function describes it.
struct Described {
    arg_places: &'static ArgPlaces,
    fields: &'static [Field],
    slot: Option<u8>,
    written: Option<u8>,
    given: Option<(u8, u8)>,
    own_count: Option<u8>,
    own_tag: Option<u8>,
}

impl Pattern {
    /// The varying values of the call that it was made of.
    // Inlined: see [`varying_of`].
    #[inline(always)]
    pub(crate) fn varying(&self) -> Varying {
        varying_of(self.fields, &self.ins, &self.outs)
    }
}

impl Described {
    #[inline(always)]
    fn of(func: FnId, ins: &Args) -> Described {
        let (arg_places, fields) = (arg_places(func), varying_fields(func));
        let (place, own) = (usize::from(arg_places.request), arg_places.own);
        let is_given = ins.slot(place).is_some();
        let slot = (!is_given && own.variable != NONE && ins.int(place).is_some()).then_some(own.variable);
        let given = (is_given && own.slot != NONE && own.handle != NONE).then_some((own.slot, own.handle));
        let written = (own.written != NONE).then_some(own.written);
        let is_int = |&at: &u8| fields.get(usize::from(at)).is_some_and(|field| ins.int(field.place).is_some());
        let VaryingPlaces { count, tag, .. } = arg_places.varying;
        let (own_count, own_tag) = (count.filter(is_int), tag.filter(is_int));
        Described { arg_places, fields, slot, written, given, own_count, own_tag }
    }
}

impl Deref for Origin {
    type Target = Pattern;

    fn deref(&self) -> &Pattern {
        &self.pattern
    }
}

impl Origin {
    /// Does a one-sided access bring a result to its origin?
    pub(crate) fn brings_result(&self) -> bool {
        self.arg_places.recv.buf != NONE
    }

    /// Does it have a buffer where no call that is like it had one, or more in it?
    #[inline]
    pub(crate) fn is_new_buffer(&self) -> bool {
        // A varying value that is not a buffer's is looked at more often than it need be.
        let at = if self.fields.is_empty() { 0 } else { self.varying[0] };
        let Some(found) = self.found() else { return true };
        let count = self.own_count.map_or(0, |count| self.varying[usize::from(count)]);
        let got = self.varied_status().and_then(|status| status.bytes).unwrap_or(0);
        let here = Buffers { low: at, high: at, count, got };
        let (is_new, known) = found.buffers.get().map_or((true, here), |known| known.with(here));
        if is_new {
            found.buffers.set(Some(known));
        }
        is_new
    }

    /// The buffers about which calls like it have nothing new: see [`Origin::is_new_buffer`]. Between which addresses, with how
    /// many elements and bytes received.
    pub(crate) fn known_buffers(&self, side: Side) -> ((i64, i64), i64, u64) {
        match self.found().and_then(|found| found.buffers.get()) {
            Some(Buffers { low, high, count, got }) if self.own_count.is_some() => ((low, high), count, got),
            _ => {
                let at = self.int(side.buf).unwrap_or(0);
                let status = self.status_at(&self.outs, self.arg_places.status, 0);
                let got = status.and_then(|status| status.bytes).unwrap_or(0);
                ((at, at), self.int(side.count).unwrap_or(0), got)
            }
        }
    }

    pub(crate) fn event(&self) -> u64 {
        call_event(self.index)
    }

    /// Handles of the requests that it is given, with the address of the first.
    #[inline]
    pub(crate) fn requests(&self) -> (u64, &[i64]) {
        match (self.given, self.arg_places.request) {
            (Some((slot, handle)), _) => {
                (self.varying[usize::from(slot)] as u64, std::slice::from_ref(&self.varying[usize::from(handle)]))
            }
            (None, NONE) => (0, &[]),
            (None, place) => self.ins.requests(place.into()),
        }
    }

    /// An integer argument, address or handle, at its place.
    #[inline]
    pub(crate) fn int(&self, place: Place) -> Option<i64> {
        if place == NONE {
            return None;
        }
        let common = self.ins.int(place.into())?;
        Some(self.varied(place.into()).unwrap_or(common))
    }

    /// An argument at its place.
    #[inline]
    pub(crate) fn value(&self, place: Place) -> Arg<'_> {
        if place == NONE { Arg::None } else { self.arg(place.into()) }
    }

    /// As [`Origin::value`], of a parameter by its number.
    #[inline]
    pub(crate) fn arg(&self, place: usize) -> Arg<'_> {
        match (self.ins.get(place), self.varied(place)) {
            (Arg::Int(_), Some(own)) => Arg::Int(own),
            (Arg::Request { slot, .. }, Some(handle)) => Arg::Request { slot: self.varied_slot(slot), handle },
            (value, _) => value,
        }
    }

    /// The integer, address or handle that a parameter was given, if that varies.
    #[inline]
    fn varied(&self, place: usize) -> Option<i64> {
        self.arg_places.varying.argument(place).map(|at| self.varying[at])
    }

    /// Where the handle of a request is kept that the call was given: `common` in another call like it.
    fn varied_slot(&self, common: u64) -> u64 {
        let own = self.arg_places.own.slot;
        if own == NONE { common } else { self.varying[usize::from(own)] as u64 }
    }

    /// The status at its return, if that varies.
    #[inline]
    fn varied_status(&self) -> Option<Status> {
        varying_status(self.arg_places.varying.status?.into(), &self.varying)
    }

    /// The arguments; where calls that are alike differ, those of one of them.
    pub(crate) fn common_ins(&self) -> &Args {
        &self.ins
    }

    /// A value at the return, as the call returned these.
    #[inline]
    pub(crate) fn result<'a>(&self, outs: &'a Args, place: Place) -> Arg<'a> {
        match value(outs, place) {
            Arg::Status(status) if std::ptr::eq(outs, &self.outs) => {
                Arg::Status(self.varied_status().unwrap_or(status))
            }
            value => value,
        }
    }

    /// The status at a place, or in an array there, as the call returned these values.
    #[inline]
    pub(crate) fn status_at(&self, outs: &Args, place: Place, i: usize) -> Option<Status> {
        match self.result(outs, place) {
            Arg::Status(status) => Some(status),
            Arg::Statuses(all) => all.get(i).copied(),
            _ => None,
        }
    }

    /// The variable of the request that it made, and the handle, as it returned these values.
    #[inline]
    pub(crate) fn new_request(&self, outs: &Args) -> (u64, i64) {
        let own = |field: Option<u8>| field.map(|field| self.varying[usize::from(field)]);
        let slot = own(self.slot).or_else(|| self.int(self.arg_places.request)).unwrap_or(0);
        let written = own(self.written.filter(|_| std::ptr::eq(outs, &self.outs)));
        (slot as u64, written.or_else(|| int(outs, self.arg_places.request)).unwrap_or(0))
    }

    /// When the call returned; `u64::MAX` while it has not.
    pub(crate) fn end(&self) -> u64 {
        self.end.get()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.func.name()
    }
}

impl Origin {
    /// Was this call, by another thread, still going on when `later` began? Clocks of processors may differ by `slack`
    /// ticks.
    pub(crate) fn overlaps(&self, later: &Origin, slack: u64) -> bool {
        self.thread != later.thread && self.time <= later.time && self.end() > later.time.saturating_add(slack)
    }

    pub(crate) fn is_concurrent_with(&self, other: &Origin) -> bool {
        self.overlaps(other, 0) || other.overlaps(self, 0)
    }
}

/// Where a send goes or a receive or probe looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) comm: CommIx,
    /// World rank, or ANY_SOURCE.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
}

pub(crate) fn value(values: &Args, place: Place) -> Arg<'_> {
    if place == NONE { Arg::None } else { values.get(place.into()) }
}

/// An integer argument or handle by the name of its parameter.
pub(crate) fn row_int(origin: &Origin, name: &str) -> Option<i64> {
    origin.int(origin.func.row().param(name)? as Place)
}

/// An integer argument or handle at its place.
#[inline]
pub fn int(values: &Args, place: Place) -> Option<i64> {
    if place == NONE { None } else { values.int(place.into()) }
}

/// A call of `origin` as the readable notation needs it.
pub(crate) fn as_call(origin: &Origin) -> Call {
    let mut call = Call::new(origin.func);
    call.thread = origin.thread;
    call.index = origin.index;
    call.site = origin.site;
    call.ins = with_varying(origin.fields, &origin.varying, &origin.ins);
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_with_more_in_it_is_new_wherever_others_had_as_much() {
        let buffer = |at, count, got| Buffers { low: at, high: at, count, got };
        let mut known = buffer(100, 10, 0);
        let mut is_new = |one| {
            let (is_new, with) = known.with(one);
            known = if is_new { with } else { known };
            is_new
        };
        // At one address the most counts.
        assert!(!is_new(buffer(100, 7, 0)) && is_new(buffer(100, 80, 0)) && !is_new(buffer(100, 80, 0)));
        assert!(is_new(buffer(100, 80, 3)) && !is_new(buffer(100, 80, 2)));
        // Another variable behind it, with fewer: that it had so many is not known.
        assert!(is_new(buffer(200, 10, 0)) && !is_new(buffer(200, 10, 0)) && !is_new(buffer(150, 9, 0)));
        assert!(is_new(buffer(200, 11, 0)) && is_new(buffer(150, 80, 0)) && is_new(buffer(99, 1, 0)));
    }
}
