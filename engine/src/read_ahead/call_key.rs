//! Keys of calls: calls with one key have all values in common but times, and are given the same requests.
//!
//! Handles of requests are not compared: libraries give other ones each time. What matters of them is which request a call
//! is given: the one whose handle was written last to the variable that it is given.
//!
//! Buffers, counts and tags of messages, and statuses, are *details*: a key has a word of their own for them, so that calls can be
//! told to be alike but for these. Those of a receive that takes a message from anywhere, or with any tag, are no details: they
//! decide what it takes.

use crate::arg_places::{ArgPlaces, NONE, arg_places};
use foldhash::quality::{FixedState, FoldHasher};
use smallvec::{SmallVec, smallvec};
use std::hash::{BuildHasher, Hash, Hasher};
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::mpi::{Class, Dir, FnId, Kind, Many, Start, Status};
use trace_reader::args::{Arg, Args};
use trace_reader::call::Call;
use trace_reader::reader::{Field, Part, Repeat, varying_fields};

/// The values that calls must have in common: all but their times, and handles of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CallKey {
    shape: [u64; 3],
    details: u64,
}

impl CallKey {
    /// Like no other: of the event with this number.
    pub(super) fn of_other(at: usize) -> CallKey {
        CallKey { shape: [0, at as u64, u64::MAX], details: 0 }
    }

    /// Do all calls with this key have something in common?
    pub(super) fn is_of_call(&self) -> bool {
        self.shape[0] != 0
    }

    /// Do the calls differ in nothing but details?
    // Word by word: what has just been made in registers is not read back as a whole.
    #[inline(always)]
    pub(super) fn is_alike(&self, other: &CallKey) -> bool {
        let differ = |i: usize| self.shape[i] ^ other.shape[i];
        differ(0) | differ(1) | differ(2) == 0
    }

    #[inline(always)]
    pub(super) fn has_details_of(&self, other: &CallKey) -> bool {
        self.details == other.details
    }

    #[inline(always)]
    pub(super) fn is_same(&self, other: &CallKey) -> bool {
        self.is_alike(other) && self.has_details_of(other)
    }
}

/// Handles in keys: of nobody, and the one that was written last to the variable.
const NULL: u64 = 0;

const LAST_WRITTEN: u64 = 1;

/// The memory of a call, for those that come as it.
pub(super) struct Kept {
    /// Hash of its values, without a call's own ones and without handles of requests.
    hash: u64,
    /// Hash of those details that are not among its own values.
    details: u64,
    /// Details are as good as any other value.
    is_exact: bool,
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
    /// It is given these, at an address, and completes some.
    Given(u64, SmallVec<[i64; 8]>, Completed),
}

/// Which of the requests that a call is given it completes.
pub(super) enum Completed {
    All,
    /// The requests at these places.
    Some(Vec<usize>),
}

/// Where an element of an array of requests is; 0: nobody says where the array is.
fn element(base: u64, i: usize, stride: u64) -> u64 {
    if base == 0 { 0 } else { base.wrapping_add(i as u64 * stride) }
}

impl Completed {
    const NONE: Completed = Completed::Some(Vec::new());
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
        Some(Kept { hash: likeness, details: 0, is_exact: is_exact(call, arg_places), fields, requests, arg_places })
    }

    pub(super) fn of(call: &Call<Args>) -> Kept {
        let (arg_places, fields) = (arg_places(call.func), varying_fields(call.func));
        let request = usize::from(arg_places.request);
        let mut hasher = FixedState::default().build_hasher();
        let mut details = FixedState::default().build_hasher();
        (call.func as u16, call.site, call.polls).hash(&mut hasher);
        let is_own = |place: usize, written: bool| {
            fields.iter().any(|field| field.place == place && field.part.is_result() == written)
        };
        let mut requests = match (arg_places.request, own_requests(fields, request)) {
            (NONE, _) => Requests::None,
            (_, Some(own)) => own,
            (place, None) => match (call.ins.get(place.into()), call.outs.int(place.into())) {
                (Arg::Int(variable), Some(handle)) => Requests::Makes(variable as u64, handle),
                (Arg::Request { slot, handle }, _) => Requests::Given(slot, smallvec![handle], Completed::NONE),
                (Arg::Requests { base, handles }, _) => {
                    Requests::Given(base, SmallVec::from_slice(handles), Completed::NONE)
                }
                _ => Requests::None,
            },
        };
        for place in 0..call.ins.len() {
            let is_request = place == request && !matches!(requests, Requests::None);
            match call.ins.get(place) {
                // Which handles these are is said by the rest of the key.
                Arg::Request { slot, .. } if is_request => (slot, 1).hash(&mut hasher),
                Arg::Requests { base, handles } if is_request => (base, handles.len()).hash(&mut hasher),
                value if is_own(place, false) => std::mem::discriminant(&value).hash(&mut hasher),
                value if is_detail(call.func, place) => {
                    std::mem::discriminant(&value).hash(&mut hasher);
                    hash(value, &mut details);
                }
                value => hash(value, &mut hasher),
            }
            if !is_own(place, true) && !is_request {
                let value = call.outs.get(place);
                hash(value, if is_status(call.func, &value) { &mut details } else { &mut hasher });
            }
        }
        if let Requests::Given(.., completed) = &mut requests {
            *completed = completed_by(arg_places, &call.outs);
        }
        let (hash, details, is_exact) = (hasher.finish(), details.finish(), is_exact(call, arg_places));
        Kept { hash, details, is_exact, fields, requests, arg_places }
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
        let which = kept.hash ^ u64::from(repeat.class) << 48;
        // Addresses and handles come first, among them that of a buffer.
        let (one, other, details) = match &kept.requests {
            Requests::None => (0, 0, fold_more(fold(a, b), fold(c, d), e)),
            Requests::MakesOwn => {
                self.write(b, c as i64, kept.arg_places);
                (b, 0, fold_more(a, d, e))
            }
            Requests::GivenOwn => (a, self.complete(a, b as i64, repeat.class == 0)?, fold(c, d)),
            Requests::Makes(address, handle) => {
                self.write(*address, *handle, kept.arg_places);
                (a, b, fold(c, d))
            }
            Requests::Given(base, handles, completed) => {
                (self.look_at(*base, handles, completed, repeat.class == 0)?, b, fold(c, d))
            }
        };
        let details = kept.details ^ details;
        Some(match kept.is_exact {
            true => CallKey { shape: [which ^ details.wrapping_mul(ODD), one, other], details: 0 },
            false => CallKey { shape: [which, one, other], details },
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
    fn look_at(&mut self, base: u64, handles: &[i64], completed: &Completed, completes: bool) -> Option<u64> {
        let stride = self.stride;
        let address = |i: usize| element(base, i, stride);
        let is_all = completes && matches!(completed, Completed::All);
        let mut nulls = 0u64;
        for (i, handle) in handles.iter().enumerate() {
            if self.complete(address(i), *handle, is_all)? == NULL {
                nulls = (nulls ^ i as u64 ^ 1 << 63).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
            }
        }
        if let Completed::Some(completed) = completed
            && completes
        {
            for i in completed {
                self.complete(address(*i), *handles.get(*i)?, true)?;
            }
        }
        Some(nulls)
    }
}

/// An odd number that has nothing to do with anything.
const ODD: u64 = 0xa076_1d64_78bd_642f;

/// A hash of two words; 0 if both are that.
#[inline(always)]
fn fold(d: u64, e: u64) -> u64 {
    d.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ e.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32)
}

/// Does the parameter say where the data of a message are, how many, or its tag, or is it a status that a call looks into?
fn is_detail(func: FnId, place: usize) -> bool {
    let row = func.row();
    if looks_into_status(func) {
        return row.params.get(place).is_some_and(|param| param.kind == Kind::Status);
    }
    let is_message = match row.class {
        Class::Send(_, start) | Class::Recv(start) => start != Start::Persistent,
        Class::SendRecv(start) | Class::SendRecvReplace(start) => start != Start::Persistent,
        _ => false,
    };
    use Kind::{Buf, Count, LargeCount, RecvBuf, SendBuf, Tag};
    let is_one = |kind| matches!(kind, Buf | SendBuf | RecvBuf | Count | LargeCount | Tag);
    is_message && row.params.get(place).is_some_and(|param| is_one(param.kind))
}

/// Does a result say which message came?
fn is_status(func: FnId, value: &Arg) -> bool {
    let class = func.row().class;
    let tells_of_message = matches!(
        class,
        Class::Wait(_) | Class::Recv(_) | Class::SendRecv(_) | Class::SendRecvReplace(_) | Class::Probe(_)
    );
    tells_of_message && matches!(value, Arg::Status(_) | Arg::Statuses(_)) || looks_into_status(func)
}

/// Is it MPI_Get_count or one of its kin, which say what is in a status? Nothing else depends on what they say.
fn looks_into_status(func: FnId) -> bool {
    let row = func.row();
    row.class == Class::Local && row.params.iter().any(|param| (param.kind, param.dir) == (Kind::Status, Dir::In))
}

/// Does it matter what varies? It does if a call receives a message from anywhere, or with any tag, or is an access to a window.
fn is_exact(call: &Call<Args>, arg_places: &ArgPlaces) -> bool {
    arg_places.class == Class::Rma || wildcards(call, arg_places) != [false; 4]
}

/// Which of the partners and tags of a call are not named.
#[inline]
fn wildcards(call: &Call<Args>, arg_places: &ArgPlaces) -> [bool; 4] {
    let is = |place, any: i32| place != NONE && call.ins.int(usize::from(place)) == Some(any.into());
    let ArgPlaces { peer, tag, peer2, tag2, .. } = *arg_places;
    [is(peer, ANY_SOURCE), is(tag, ANY_TAG), is(peer2, ANY_SOURCE), is(tag2, ANY_TAG)]
}

/// A hash of all values but handles of requests and details: of a tag it matters whether it is named.
pub(super) fn likeness_of(call: &Call<Args>) -> u64 {
    let Kept { hash, arg_places, .. } = Kept::of(call);
    wildcards(call, arg_places).into_iter().fold(hash, |hash, is_any| fold(hash, is_any.into()))
}

/// A hash of three words.
#[inline(always)]
fn fold_more(one: u64, other: u64, third: u64) -> u64 {
    fold(one, other) ^ third.rotate_left(21).wrapping_mul(ODD)
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

/// The requests that a call has completed.
pub(super) fn completed_by(arg_places: &ArgPlaces, outs: &Args) -> Completed {
    let number = |place| if place == NONE { None } else { outs.int(usize::from(place)) };
    Completed::Some(match arg_places.class {
        Class::Wait(Many::One | Many::All) => return Completed::All,
        Class::Wait(Many::Any) => number(arg_places.index).and_then(|i| usize::try_from(i).ok()).into_iter().collect(),
        Class::Wait(Many::Some) if arg_places.indices != NONE => {
            let many = number(arg_places.index).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            let places = outs.get(usize::from(arg_places.indices)).ints();
            places.iter().take(many).filter_map(|i| usize::try_from(*i).ok()).collect()
        }
        _ => return Completed::NONE,
    })
}

/// All of a status in two words.
fn status_words(status: &Status) -> [u64; 2] {
    let Status { source, tag, bytes, cancelled } = *status;
    let known = u64::from(bytes.is_some()) | u64::from(cancelled) << 1;
    [u64::from(source as u32) << 32 | u64::from(tag as u32), bytes.unwrap_or(0) << 2 | known]
}

fn hash(value: Arg, hasher: &mut FoldHasher) {
    std::mem::discriminant(&value).hash(hasher);
    match value {
        Arg::None => {}
        Arg::Int(value) => value.hash(hasher),
        Arg::Request { slot, handle } => (slot, handle).hash(hasher),
        Arg::Requests { base, handles } => (base, handles).hash(hasher),
        Arg::Ints(values) => values.hash(hasher),
        Arg::Status(status) => status_words(&status).hash(hasher),
        Arg::Statuses(statuses) => {
            statuses.len().hash(hasher);
            statuses.iter().flat_map(status_words).for_each(|word| hasher.write_u64(word));
        }
        Arg::Str(text) => text.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FUNCTIONS;

    /// [`Variables::key`] takes varying values for details by their places.
    #[test]
    fn details_are_where_they_are_expected() {
        let mut some = [0; 3];
        for function in FUNCTIONS {
            let fields = varying_fields(function.id);
            let is_of_message = |field: &Field| field.part == Part::Given && is_detail(function.id, field.place);
            let is_status = |field: &Field| matches!(field.part, Part::Status(_));
            let details: Vec<bool> = fields.iter().map(|field| is_of_message(field) || is_status(field)).collect();
            let expected: &[bool] = match own_requests(fields, arg_places(function.id).request.into()) {
                _ if fields.is_empty() || arg_places(function.id).class == Class::Rma => continue,
                None => &[true; 5],
                Some(Requests::MakesOwn) => &[true, false, false, true, true],
                Some(_) => &[false, false, true, true, true],
            };
            some[details.iter().filter(|detail| !**detail).count()] += 1;
            assert_eq!(details, expected[..details.len()], "{}", function.name);
        }
        assert!(some[0] > 5 && some[2] > 5, "{some:?}");
    }
}
