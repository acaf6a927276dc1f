//! Keys of calls: calls with one key have all values in common but times, and are given the same requests.
//!
//! Handles of requests are not compared: libraries give other ones each time. What matters of them is which request a call
//! is given: the one whose handle was written last to the variable that it is given.

use crate::arg_places::{ArgPlaces, NONE, arg_places};
use foldhash::quality::{FixedState, FoldHasher};
use std::hash::{BuildHasher, Hash, Hasher};
use trace_format::mpi::{Class, Many, Start};
use trace_reader::args::{Arg, Args};
use trace_reader::call::Call;
use trace_reader::reader::{Field, Part, Repeat, varying_fields};

/// The values that calls must have in common: all but their times, and handles of requests.
pub(super) type CallKey = [u64; 4];

/// Handles in keys: of nobody, and the one that was written last to the variable.
const NULL: u64 = 0;

const LAST_WRITTEN: u64 = 1;

/// The memory of a call, for those that come as it.
pub(super) struct Kept {
    /// Hash of its values, without a call's own ones and without handles of requests.
    hash: u64,
    pub(super) fields: &'static [Field],
    requests: Requests,
    arg_places: &'static ArgPlaces,
}

/// The requests that a call has to do with.
enum Requests {
    None,
    /// It makes one: variable and handle.
    Makes(u64, i64),
    /// It makes one: the second and the third of its own values are variable and handle.
    MakesOwn,
    /// It completes one: these are the first and the second.
    GivenOwn,
    /// It is given these, at an address, and completes those at these places.
    Given(u64, Vec<i64>, Vec<usize>),
}

/// Where an element of an array of requests is; 0: nobody says where the array is.
fn element(base: u64, i: usize, stride: u64) -> u64 {
    if base == 0 { 0 } else { base.wrapping_add(i as u64 * stride) }
}

impl Requests {
    /// The variables that a call has to do with.
    fn addresses(&self, repeat: &Repeat, stride: u64, mut each: impl FnMut(u64)) {
        match self {
            Requests::None => {}
            Requests::Makes(address, _) => each(*address),
            Requests::MakesOwn => each(repeat.varying[1] as u64),
            Requests::GivenOwn => each(repeat.varying[0] as u64),
            Requests::Given(base, handles, _) => (0..handles.len()).for_each(|i| each(element(*base, i, stride))),
        }
    }
}

/// A variable for a handle.
#[derive(Clone, Copy, Default)]
pub(super) struct Variable {
    address: u64,
    /// The handle that was written there last; 0: nothing, or it is completed.
    handle: i64,
    persistent: bool,
}

/// The variables of a rank that hold handles of requests.
pub(super) struct Variables {
    /// By the last bits of their addresses: where two share a place, the one written first is forgotten.
    all: Vec<Variable>,
    /// The only thread.
    thread: Option<u16>,
    /// Bytes from one element of an array of requests to the next.
    stride: u64,
}

impl Kept {
    /// As [`Kept::of`], by the likeness of the call ([`trace_reader::reader::Sink::wants_likeness`]); `None` if its requests are
    /// not among its own values.
    #[inline(always)]
    pub(super) fn alike(call: &Call<Args>, likeness: u64) -> Option<Kept> {
        let (arg_places, fields) = (arg_places(call.func), varying_fields(call.func));
        let requests = match arg_places.request {
            NONE => Requests::None,
            place => own_requests(fields, place.into())?,
        };
        Some(Kept { hash: likeness, fields, requests, arg_places })
    }

    pub(super) fn of(call: &Call<Args>) -> Kept {
        let (arg_places, fields) = (arg_places(call.func), varying_fields(call.func));
        let request = usize::from(arg_places.request);
        let mut hasher = FixedState::default().build_hasher();
        (call.func as u16, call.site, call.polls).hash(&mut hasher);
        let is_own = |place: usize, written: bool| {
            fields.iter().any(|field| field.place == place && field.part.is_result() == written)
        };
        let mut requests = match (arg_places.request, own_requests(fields, request)) {
            (NONE, _) => Requests::None,
            (_, Some(own)) => own,
            (place, None) => match (call.ins.get(place.into()), call.outs.int(place.into())) {
                (Arg::Int(variable), Some(handle)) => Requests::Makes(variable as u64, handle),
                (Arg::Request { slot, handle }, _) => Requests::Given(slot, vec![handle], Vec::new()),
                (Arg::Requests { base, handles }, _) => Requests::Given(base, handles.to_vec(), Vec::new()),
                _ => Requests::None,
            },
        };
        for place in 0..call.ins.len() {
            let is_request = place == request && !matches!(requests, Requests::None);
            match call.ins.get(place) {
                // Which handles these are is said by the rest of the key.
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
            *completed = completed_by(arg_places, handles.len(), &call.outs);
        }
        Kept { hash: hasher.finish(), fields, requests, arg_places }
    }
}

impl Variables {
    /// Room for so many; `stride`: see [`Variables`].
    pub(super) fn new(len: usize, stride: u64) -> Variables {
        Variables { all: vec![Variable::default(); len], thread: None, stride }
    }

    /// Notes how the variables are that a call has to do with.
    pub(super) fn save(&self, kept: &Kept, repeat: &Repeat, saved: &mut Vec<(usize, Variable)>) {
        kept.requests.addresses(repeat, self.stride, |address| {
            let place = self.place(address);
            saved.push((place, self.all[place]));
        });
    }

    /// Makes them what they were when they were noted.
    pub(super) fn put_back(&mut self, saved: Vec<(usize, Variable)>) {
        saved.into_iter().rev().for_each(|(place, variable)| self.all[place] = variable);
    }

    #[cfg(test)]
    pub(super) fn handles(&self) -> impl Iterator<Item = i64> {
        self.all.iter().map(|variable| variable.handle)
    }

    /// `None`: nobody says what requests the call is given, or it is a rank of several threads.
    #[inline(always)]
    pub(super) fn key(&mut self, kept: &Kept, repeat: &Repeat) -> Option<CallKey> {
        if *self.thread.get_or_insert(repeat.thread) != repeat.thread {
            return None;
        }
        let [a, b, c, d, e] = repeat.varying.map(i64::cast_unsigned);
        let which = kept.hash ^ u64::from(repeat.class) << 48 ^ fold(d, e);
        Some(match &kept.requests {
            Requests::None => [which, a, b, c],
            Requests::MakesOwn => {
                self.write(b, c as i64, kept.arg_places);
                [which, a, b, LAST_WRITTEN]
            }
            Requests::GivenOwn => [which, a, self.complete(a, b as i64, repeat.class == 0)?, c],
            Requests::Makes(address, handle) => {
                self.write(*address, *handle, kept.arg_places);
                [which, a, b, c]
            }
            Requests::Given(base, handles, completed) => {
                [which, self.look_at(*base, handles, completed, repeat.class == 0)?, b, c]
            }
        })
    }

    #[inline]
    fn place(&self, address: u64) -> usize {
        (address >> 2 ^ address >> 13) as usize & (self.all.len() - 1)
    }

    #[inline]
    fn variable(&mut self, address: u64) -> &mut Variable {
        let place = self.place(address);
        &mut self.all[place]
    }

    #[inline]
    fn write(&mut self, address: u64, handle: i64, arg_places: &ArgPlaces) {
        let persistent = match arg_places.class {
            Class::Send(_, start) | Class::Recv(start) | Class::Collective(_, start) => start == Start::Persistent,
            _ => true,
        };
        *self.variable(address) = Variable { address, handle, persistent };
    }

    /// Stands in a key for a handle that is given in a variable. `None`: nobody says which request it is.
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
        let address = |i: usize| element(base, i, stride);
        let is_all = completes && completed.len() == handles.len();
        let mut nulls = 0u64;
        for (i, handle) in handles.iter().enumerate() {
            if self.complete(address(i), *handle, is_all)? == NULL {
                nulls = (nulls ^ i as u64 ^ 1 << 63).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
            }
        }
        for i in completed.iter().copied().filter(|_| completes && !is_all) {
            self.complete(address(i), *handles.get(i)?, true)?;
        }
        Some(nulls)
    }
}

/// A hash of two words; 0 if both are that.
#[inline(always)]
fn fold(d: u64, e: u64) -> u64 {
    d.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ e.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32)
}

/// Word by word: what has just been made in registers is not read back as a whole.
#[inline(always)]
pub(super) fn is_same(one: &CallKey, other: &CallKey) -> bool {
    let differ = |i: usize| one[i] ^ other[i];
    differ(0) | differ(1) | differ(2) | differ(3) == 0
}

/// The requests of a call, if they are among its own values; `request` is their parameter.
#[inline(always)]
fn own_requests(fields: &[Field], request: usize) -> Option<Requests> {
    let own = |at: usize, part: Part| fields.get(at).is_some_and(|f| (f.place, f.part) == (request, part));
    if own(1, Part::Given) && own(2, Part::Written) {
        return Some(Requests::MakesOwn);
    }
    (own(0, Part::Slot) && own(1, Part::Handle)).then_some(Requests::GivenOwn)
}

/// The places of the requests that a call has completed, of so many.
fn completed_by(arg_places: &ArgPlaces, handles: usize, outs: &Args) -> Vec<usize> {
    let number = |place| if place == NONE { None } else { outs.int(usize::from(place)) };
    match arg_places.class {
        Class::Wait(Many::One | Many::All) => (0..handles).collect(),
        Class::Wait(Many::Any) => number(arg_places.index).and_then(|i| usize::try_from(i).ok()).into_iter().collect(),
        Class::Wait(Many::Some) if arg_places.indices != NONE => {
            let many = number(arg_places.index).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            let places = outs.get(usize::from(arg_places.indices)).ints();
            places.iter().take(many).filter_map(|i| usize::try_from(*i).ok()).collect()
        }
        _ => Vec::new(),
    }
}

fn hash(value: Arg, hasher: &mut FoldHasher) {
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
