//! Finds out where a rank does the same again and again: calls that are, with all their values, as those were that it made
//! some number of calls before.
//!
//! Handles of requests are not compared: libraries give other ones each time. What matters of them is which request a call
//! is given: the one whose handle was written last to the variable that it is given.

use crate::engine::shape::{NONE, Shape, shape};
use std::hash::{DefaultHasher, Hash, Hasher};
use trace_format::args::{Arg, Args};
use trace_format::call::{Call, Outcome};
use trace_format::mpi::{Class, Many, Start};
use trace_format::reader::{Again, Field, Part, own_fields, own_of};

/// Of all ranks together so many of the last calls are remembered.
const REMEMBERED: usize = 1 << 18;
/// Of one rank at most, and at least: with more ranks nothing is.
const MOST: usize = 1 << 13;
const FEWEST: usize = 1 << 8;
/// Of this many calls one may look through all that are remembered for a period.
const OFTEN: usize = 16;

/// Events of a rank in a row that have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Each of them is as the event was that came so many before it; 0: no such thing is known of them.
    pub(super) period: usize,
    pub(super) len: usize,
    /// It goes on from the span before it.
    pub(super) goes_on: bool,
}

/// What calls have to have in common: all but their times, and handles of requests.
type Token = [u64; 4];

/// Handles in tokens: of nobody, and the one that was written last to the variable.
const NULL: u64 = 0;
const LAST_WRITTEN: u64 = 1;

/// What is remembered of a call for those that come as it.
struct Kept {
    /// Of its values but for those that are a call's own, and handles of requests.
    hash: u64,
    fields: &'static [Field],
    requests: Requests,
    shape: &'static Shape,
}

/// What requests a call has to do with.
#[derive(Clone)]
enum Requests {
    None,
    /// It makes one: variable and handle.
    Makes(u64, i64),
    /// It makes one, or is given one and completes it: places of variable and handle among its own values.
    MakesOwn(usize, usize),
    GivenOwn(usize, usize),
    /// It is given these, at an address, and completes those at these places.
    Given(u64, Vec<i64>, Vec<usize>),
}

/// A variable for a handle.
#[derive(Clone, Copy, Default)]
struct Variable {
    address: u64,
    /// What was written there last; 0: nothing, or it is completed.
    handle: i64,
    persistent: bool,
}

/// Looks at the events of one rank.
pub(super) struct Periods {
    /// The last ones; their number is a power of two.
    ring: Vec<Token>,
    at: usize,
    period: usize,
    /// When a period was looked for last.
    looked: Option<usize>,
    spans: Vec<Span>,
    thread: Option<u16>,
    kept: Vec<Option<Kept>>,
    variables: Vec<Variable>,
    /// Bytes from one element of an array of requests to the next.
    stride: u64,
}

impl Periods {
    /// For a rank of so many; `None` if there are too many.
    pub(super) fn of_one_of(ranks: usize, stride: u64) -> Option<Periods> {
        let share = (REMEMBERED / ranks.max(1)).min(MOST);
        let len = if share.is_power_of_two() { share } else { share.next_power_of_two() / 2 };
        (len >= FEWEST).then(|| Periods {
            ring: vec![Token::default(); len],
            at: 0,
            period: 0,
            looked: None,
            spans: Vec::new(),
            thread: None,
            kept: Vec::new(),
            variables: vec![Variable::default(); len],
            stride,
        })
    }

    /// The next event is no call that has returned.
    pub(super) fn other(&mut self) {
        self.note(None);
    }

    /// The next event is a call like one that was kept.
    #[inline]
    pub(super) fn again(&mut self, again: &Again) {
        let token = self.token(again);
        self.note(token);
    }

    /// The next event is a call, to be kept at a place.
    pub(super) fn call(&mut self, slot: Option<u16>, call: &Call<Args>) {
        let Outcome::Returned(class) = call.outcome else { return self.other() };
        let kept = self.kept_of(call);
        let again = Again {
            slot: slot.unwrap_or(0),
            thread: call.thread,
            class,
            index: call.index,
            t_call: call.t_call,
            t_return: call.t_return,
            own: own_of(kept.fields, &call.ins, &call.outs),
        };
        let token = self.token_of(&kept, &again);
        if let Some(place) = slot.map(usize::from) {
            if self.kept.len() <= place {
                self.kept.resize_with(place + 1, || None);
            }
            self.kept[place] = Some(kept);
        }
        self.note(token);
    }

    fn kept_of(&self, call: &Call<Args>) -> Kept {
        let (shape, fields) = (shape(call.func), own_fields(call.func));
        let request = usize::from(shape.request);
        let mut hasher = DefaultHasher::new();
        (call.func as u16, call.site, call.polls).hash(&mut hasher);
        let is_own = |place: usize, written: bool| {
            fields.iter().any(|field| field.place == place && (field.part == Part::Written) == written)
        };
        let own = |part: Part| fields.iter().position(|field| (field.place, field.part) == (request, part));
        let made = own(Part::Given).zip(own(Part::Written));
        let given = own(Part::Slot).zip(own(Part::Handle));
        let mut requests = match (shape.request, made, given) {
            (NONE, ..) => Requests::None,
            (_, Some((variable, handle)), _) => Requests::MakesOwn(variable, handle),
            (_, _, Some((variable, handle))) => Requests::GivenOwn(variable, handle),
            (place, ..) => match (call.ins.get(place.into()), call.outs.int(place.into())) {
                (Arg::Int(variable), Some(handle)) => Requests::Makes(variable as u64, handle),
                (Arg::Request { slot, handle }, _) => Requests::Given(slot, vec![handle], Vec::new()),
                (Arg::Requests { base, handles }, _) => Requests::Given(base, handles.to_vec(), Vec::new()),
                _ => Requests::None,
            },
        };
        for place in 0..call.ins.len() {
            let is_request = place == request && !matches!(requests, Requests::None);
            match call.ins.get(place) {
                // Which handles these are is said by the tokens.
                Arg::Request { slot, .. } if is_request => (slot, 1).hash(&mut hasher),
                Arg::Requests { base, handles } if is_request => (base, handles.len()).hash(&mut hasher),
                _ if is_own(place, false) => {}
                value => hash(value, &mut hasher),
            }
            if !is_own(place, true) && !is_request {
                hash(call.outs.get(place), &mut hasher);
            }
        }
        if let Requests::Given(_, handles, completed) = &mut requests {
            *completed = completed_by(shape, handles.len(), &call.outs);
        }
        Kept { hash: hasher.finish(), fields, requests, shape }
    }

    #[inline]
    fn token(&mut self, again: &Again) -> Option<Token> {
        let place = usize::from(again.slot);
        let kept = self.kept.get_mut(place)?.take()?;
        let token = self.token_of(&kept, again);
        self.kept[place] = Some(kept);
        token
    }

    /// `None`: nobody says what requests the call is given, or it is a rank of several threads.
    #[inline]
    fn token_of(&mut self, kept: &Kept, again: &Again) -> Option<Token> {
        if *self.thread.get_or_insert(again.thread) != again.thread {
            return None;
        }
        let which = kept.hash ^ u64::from(again.class) << 48;
        let mut own = again.own.map(|own| own as u64);
        match &kept.requests {
            Requests::None => {}
            Requests::Makes(address, handle) => self.write(*address, *handle, kept.shape),
            Requests::MakesOwn(variable, handle) => {
                self.write(own[*variable], again.own[*handle], kept.shape);
                own[*handle] = LAST_WRITTEN;
            }
            Requests::GivenOwn(variable, handle) => {
                own[*handle] = self.complete(own[*variable], again.own[*handle], again.class == 0)?;
            }
            Requests::Given(base, handles, completed) => {
                own[0] = self.look_at(*base, handles, completed, again.class == 0)?;
            }
        }
        let [a, b, c] = own;
        Some([which, a, b, c])
    }

    #[inline]
    fn variable(&mut self, address: u64) -> &mut Variable {
        let last = self.variables.len() - 1;
        let place = (address >> 2 ^ address >> 13) as usize & last;
        &mut self.variables[place]
    }

    #[inline]
    fn write(&mut self, address: u64, handle: i64, shape: &Shape) {
        let persistent = match shape.class {
            Class::Send(_, start) | Class::Recv(start) | Class::Collective(_, start) => start == Start::Persistent,
            _ => true,
        };
        *self.variable(address) = Variable { address, handle, persistent };
    }

    /// What a token has in the place of a handle that is given in a variable. `None`: nobody says what request it is.
    #[inline]
    fn complete(&mut self, address: u64, handle: i64, completes: bool) -> Option<u64> {
        if handle == 0 {
            return Some(NULL);
        }
        let variable = self.variable(address);
        if (variable.address, variable.handle) != (address, handle) || address == 0 {
            return None;
        }
        if completes && !variable.persistent {
            variable.handle = 0;
        }
        Some(LAST_WRITTEN)
    }

    #[inline(never)]
    fn look_at(&mut self, base: u64, handles: &[i64], completed: &[usize], completes: bool) -> Option<u64> {
        let stride = self.stride;
        let address = |i: usize| if base == 0 { 0 } else { base.wrapping_add(i as u64 * stride) };
        let mut nulls = DefaultHasher::new();
        for (i, handle) in handles.iter().enumerate() {
            if self.complete(address(i), *handle, false)? == NULL {
                i.hash(&mut nulls);
            }
        }
        for i in completed.iter().copied().filter(|_| completes) {
            self.complete(address(i), *handles.get(i)?, true)?;
        }
        Some(nulls.finish())
    }

    #[inline]
    fn note(&mut self, token: Option<Token>) {
        let mask = self.ring.len() - 1;
        let at = self.at;
        self.at += 1;
        // Like no other.
        let token = token.unwrap_or([0, at as u64, 0, u64::MAX]);
        let before = self.ring[at.wrapping_sub(self.period) & mask];
        self.ring[at & mask] = token;
        if self.period != 0 && before == token {
            self.count(self.period);
        } else {
            self.look(at, token);
        }
    }

    #[inline]
    fn count(&mut self, period: usize) {
        match self.spans.last_mut() {
            Some(span) if span.period == period => span.len += 1,
            _ => self.spans.push(Span { period, len: 1, goes_on: false }),
        }
    }

    /// Something else than was expected. Perhaps it and the one before it came together some time ago.
    #[inline(never)]
    fn look(&mut self, at: usize, token: Token) {
        let len = self.ring.len();
        let mut found = 0;
        if token[0] != 0 && self.looked.is_none_or(|looked| at >= looked + len / OFTEN) {
            self.looked = Some(at);
            let old = |back: usize| self.ring[at.wrapping_sub(back) & (len - 1)];
            let before = old(1);
            found = (1..at.min(len - 1)).find(|back| old(*back) == token && old(back + 1) == before).unwrap_or(0);
        }
        if found == 0 {
            return self.count(0);
        }
        self.period = found;
        self.spans.push(Span { period: found, len: 1, goes_on: false });
    }

    /// The spans of all events since the last time.
    pub(super) fn take(&mut self) -> Vec<Span> {
        let next = self.spans.last().map(|last| Span { len: 0, goes_on: true, ..*last });
        let mut spans = std::mem::replace(&mut self.spans, Vec::from_iter(next));
        spans.retain(|span| span.len > 0);
        spans
    }
}

/// The places of the requests that a call has completed, of so many.
fn completed_by(shape: &Shape, handles: usize, outs: &Args) -> Vec<usize> {
    let number = |place| if place == NONE { None } else { outs.int(usize::from(place)) };
    match shape.class {
        Class::Wait(Many::One | Many::All) => (0..handles).collect(),
        Class::Wait(Many::Any) => number(shape.index).and_then(|i| usize::try_from(i).ok()).into_iter().collect(),
        Class::Wait(Many::Some) if shape.indices != NONE => {
            let many = number(shape.index).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            let places = outs.get(usize::from(shape.indices)).ints();
            places.iter().take(many).filter_map(|i| usize::try_from(*i).ok()).collect()
        }
        _ => Vec::new(),
    }
}

fn hash(value: Arg, hasher: &mut DefaultHasher) {
    std::mem::discriminant(&value).hash(hasher);
    match value {
        Arg::None => {}
        Arg::Int(value) => value.hash(hasher),
        Arg::Request { slot, handle } => (slot, handle).hash(hasher),
        Arg::Requests { base, handles } => (base, handles).hash(hasher),
        Arg::Ints(values) => values.hash(hasher),
        Arg::Status(status) => status.hash(hasher),
        Arg::Statuses(statuses) => statuses.hash(hasher),
        Arg::Str(text) => text.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::call::Value;
    use trace_format::mpi::FnId;

    /// A barrier on this communicator; the one on 99 has not returned.
    fn barrier(comm: u16) -> Call<Args> {
        let mut call = Call::new(FnId::MPI_Barrier);
        call.ins[0] = Value::Int(comm.into());
        call.outcome = if comm == 99 { Outcome::Open } else { Outcome::Returned(0) };
        call.map(Args::from)
    }

    fn spans_of(calls: impl Iterator<Item = Call<Args>>) -> Vec<(usize, usize)> {
        let mut periods = Periods::of_one_of(1, 8).unwrap();
        let mut all: Vec<Span> = Vec::new();
        let calls: Vec<_> = calls.collect();
        for some in calls.chunks(7) {
            some.iter().for_each(|call| periods.call(None, call));
            for span in periods.take() {
                match all.last_mut() {
                    Some(last) if span.goes_on => {
                        assert_eq!(last.period, span.period);
                        last.len += span.len;
                    }
                    _ => all.push(span),
                }
            }
        }
        assert_eq!(all.iter().map(|s| s.len).sum::<usize>(), calls.len());
        all.iter().map(|s| (s.period, s.len)).collect()
    }

    fn spans(comms: &[u16]) -> Vec<(usize, usize)> {
        spans_of(comms.iter().map(|comm| barrier(*comm)))
    }

    #[test]
    fn loops_are_found_and_where_they_end() {
        let mut calls: Vec<u16> = (0..600).map(|i| i + 200).collect();
        calls.extend([1, 2, 3].repeat(500));
        calls.extend([7; 1500]);
        let found = spans(&calls);
        assert!(found[0].0 == 0 && found[1].0 == 3 && found[1].1 > 900, "{found:?}");
        // One lap of the first loop is three of the second.
        assert_eq!(found.last(), Some(&(3, 1497)));
    }

    #[test]
    fn loops_in_loops_are_one() {
        let inner = [vec![1; 100], vec![2]].concat();
        let outer = [inner.repeat(10), vec![3]].concat();
        let found = spans(&outer.repeat(20));
        let (period, len) = found.last().unwrap();
        assert_eq!(*period, 1011);
        assert!(*len > 15 * 1011, "{found:?}");
    }

    #[test]
    fn what_is_like_no_other_ends_a_span() {
        let found = spans(&[vec![1; 2000], vec![99], vec![1; 3000]].concat());
        assert_eq!(found.last(), Some(&(1, 2999)));
        assert_eq!(found.iter().filter(|s| s.0 == 1).count(), 2, "{found:?}");
    }

    /// A receive that writes a handle to a variable.
    fn irecv(variable: i64, handle: i64) -> Call<Args> {
        let mut call = Call::new(FnId::MPI_Irecv);
        call.outcome = Outcome::Returned(0);
        for (place, value) in [0x5000, 1, 3, 0, 0, 1, variable].into_iter().enumerate() {
            call.ins[place] = Value::Int(value);
        }
        call.outs[6] = Value::Int(handle);
        call.map(Args::from)
    }

    fn wait(slot: u64, handle: i64) -> Call<Args> {
        let mut call = Call::new(FnId::MPI_Wait);
        call.outcome = Outcome::Returned(0);
        call.ins[0] = Value::Request { slot, handle };
        call.map(Args::from)
    }

    fn waitall(base: u64, handles: Vec<i64>) -> Call<Args> {
        let mut call = Call::new(FnId::MPI_Waitall);
        call.outcome = Outcome::Returned(0);
        call.ins[0] = Value::Int(handles.len() as i64);
        call.ins[1] = Value::Requests { base, handles };
        call.map(Args::from)
    }

    #[test]
    fn handles_may_change_as_long_as_the_same_requests_are_meant() {
        let lap = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), wait(0x108, i + 1), wait(0x100, i)];
        assert_eq!(spans_of((1..300).flat_map(lap)).last().map(|s| s.0), Some(4));
        let lap = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), waitall(0x100, vec![i, i + 1])];
        assert_eq!(spans_of((1..300).flat_map(lap)).last().map(|s| s.0), Some(3));
        // In turns the one and the other.
        let lap = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), wait(0x100 + i as u64 % 2 * 8, i + i % 2)];
        assert_eq!(spans_of((1..300).flat_map(lap)).last().map(|s| s.0), Some(6));
    }

    #[test]
    fn nothing_is_said_of_handles_that_are_elsewhere() {
        let moved = |i: i64| [irecv(0x100, i), wait(0x200, i)];
        let twice = |i: i64| [irecv(0x100, i), wait(0x100, i), wait(0x100, i)];
        let another = |i: i64| [irecv(0x100, i), waitall(0x100, vec![i, 77])];
        for found in [spans_of((1..300).flat_map(moved)), spans_of((1..300).flat_map(twice))] {
            assert!(found.iter().all(|s| s.1 < 4 || s.0 == 0), "{found:?}");
        }
        let found = spans_of((1..300).flat_map(another));
        assert!(found.iter().all(|s| s.1 < 4 || s.0 == 0), "{found:?}");
    }
}
