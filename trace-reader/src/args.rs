//! The values of a call in one direction in a form that needs no memory of its own for the calls that programs make most:
//! integers and handles stand side by side, by their places. [`Value`]s are what is spelled and shown.

use crate::call::{Call, Value};
use thin_vec::ThinVec;
use trace_format::mpi::{FnId, Status};
use trace_format::record::{STATUS_BYTES, pack_status, unpack_status};

/// Places that have room for an integer.
pub(crate) const PLACES: usize = 8;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// How many parameters there are.
    pub(crate) params: u8,
    /// Bit by place: there is a number.
    pub(crate) known: u8,
    pub(crate) numbers: [i64; PLACES],
    pub(crate) extra: Extra,
    /// Values that have no other room, by place.
    pub(crate) rest: ThinVec<(u8, Value)>,
}

/// The value of one parameter that has more than a number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Extra {
    #[default]
    Nothing,
    /// Where the handle of a request is kept.
    Slot(u8, u64),
    Status(u8, [u8; STATUS_BYTES]),
}

/// The value of one parameter: a [`Value`] that borrows its arrays and text, variant by variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg<'a> {
    /// Not recorded in this direction, or the call has not returned.
    None,
    /// An integer, an address, the id of an object, or the raw handle of a request or message.
    Int(i64),
    /// A request passed by reference.
    Request {
        /// Address of the variable that holds the handle; 0: not known.
        slot: u64,
        /// The raw handle.
        handle: i64,
    },
    /// An array of requests.
    Requests {
        /// Address of the first handle; 0: not known.
        base: u64,
        /// The raw handles, in the order of the array.
        handles: &'a [i64],
    },
    /// An array of integers, addresses or ids of objects.
    Ints(&'a [i64]),
    /// A status in neutral form.
    Status(Status),
    /// An array of statuses in neutral form.
    Statuses(&'a [Status]),
    /// Text, such as the name of a port.
    Str(&'a str),
}

impl<'a> From<&'a Value> for Arg<'a> {
    fn from(value: &'a Value) -> Arg<'a> {
        match value {
            Value::None => Arg::None,
            Value::Int(v) => Arg::Int(*v),
            Value::Request { slot, handle } => Arg::Request { slot: *slot, handle: *handle },
            Value::Requests { base, handles } => Arg::Requests { base: *base, handles },
            Value::Ints(all) => Arg::Ints(all),
            Value::Status(status) => Arg::Status(*status),
            Value::Statuses(all) => Arg::Statuses(all),
            Value::Str(text) => Arg::Str(text),
        }
    }
}

impl From<Arg<'_>> for Value {
    fn from(arg: Arg) -> Value {
        match arg {
            Arg::None => Value::None,
            Arg::Int(v) => Value::Int(v),
            Arg::Request { slot, handle } => Value::Request { slot, handle },
            Arg::Requests { base, handles } => Value::Requests { base, handles: handles.to_vec() },
            Arg::Ints(all) => Value::Ints(all.to_vec()),
            Arg::Status(status) => Value::Status(status),
            Arg::Statuses(all) => Value::Statuses(all.to_vec()),
            Arg::Str(text) => Value::Str(text.to_owned()),
        }
    }
}

impl<'a> Arg<'a> {
    /// The integer, or 0 where there is none.
    pub fn int(self) -> i64 {
        match self {
            Arg::Int(v) | Arg::Request { handle: v, .. } => v,
            _ => 0,
        }
    }

    /// The integers of an array; none if it is no array.
    pub fn ints(self) -> &'a [i64] {
        match self {
            Arg::Ints(all) | Arg::Requests { handles: all, .. } => all,
            _ => &[],
        }
    }
}

impl Default for Args {
    #[inline(always)]
    fn default() -> Args {
        Args { params: 0, known: 0, numbers: [0; PLACES], extra: Extra::Nothing, rest: ThinVec::new() }
    }
}

impl Args {
    /// Values of a function with `params` parameters (255 at most), all of them [`Arg::None`].
    pub fn new(params: usize) -> Args {
        Args { params: u8::try_from(params).unwrap_or(u8::MAX), ..Args::default() }
    }

    /// Says how many parameters there are.
    #[inline(always)]
    pub(crate) fn has_params(&mut self, params: usize) {
        self.params = u8::try_from(params).unwrap_or(u8::MAX);
    }

    /// Takes the values of these, and leaves them memory that values had here. Most have no memory of their own, and are not
    /// written to: another processor may have made them.
    #[inline]
    pub fn take_from(&mut self, other: &mut Args) {
        (self.params, self.known, self.extra) = (other.params, other.known, other.extra);
        if other.known == 0 {
            self.numbers = [0; PLACES];
        } else {
            self.numbers = other.numbers;
        }
        if !(other.rest.is_empty() && self.rest.is_empty()) {
            std::mem::swap(&mut self.rest, &mut other.rest);
        }
    }

    /// How many parameters there are.
    pub fn len(&self) -> usize {
        self.params.into()
    }

    /// Has the function no parameters? Values that are not known count, too.
    pub fn is_empty(&self) -> bool {
        self.params == 0
    }

    /// Is there a number at this place?
    #[inline]
    fn has(&self, place: usize) -> bool {
        place < PLACES && self.known >> place & 1 != 0
    }

    /// Sets an integer or handle.
    #[inline]
    pub fn set_int(&mut self, place: usize, value: i64) {
        match self.numbers.get_mut(place) {
            Some(number) => {
                *number = value;
                self.known |= 1 << place;
            }
            None => self.set_rest(place, Value::Int(value)),
        }
    }

    /// Sets a request and where its handle is kept.
    #[inline]
    pub fn set_request(&mut self, place: usize, slot: u64, handle: i64) {
        if place < PLACES && self.extra == Extra::Nothing {
            self.set_int(place, handle);
            self.extra = Extra::Slot(place as u8, slot);
        } else {
            self.set_rest(place, Value::Request { slot, handle });
        }
    }

    /// Sets a status as it stands in a record.
    #[inline]
    pub(crate) fn set_status(&mut self, place: usize, packed: &[u8; STATUS_BYTES]) {
        match u8::try_from(place) {
            Ok(place) if self.extra == Extra::Nothing => self.extra = Extra::Status(place, *packed),
            _ => self.set_rest(place, Value::Status(unpack_status(packed))),
        }
    }

    fn set_rest(&mut self, place: usize, value: Value) {
        if let Ok(place) = u8::try_from(place) {
            self.rest.push((place, value));
        }
    }

    /// Sets a value that was not set before.
    pub fn set(&mut self, place: usize, value: Value) {
        match value {
            Value::None => {}
            Value::Int(v) => self.set_int(place, v),
            Value::Request { slot, handle } => self.set_request(place, slot, handle),
            Value::Status(status) if unpack_status(&pack_status(status)) == status => {
                self.set_status(place, &pack_status(status));
            }
            other => self.set_rest(place, other),
        }
    }

    /// The value at a place.
    #[inline]
    pub fn get(&self, place: usize) -> Arg<'_> {
        if self.has(place) {
            let number = self.numbers[place];
            return match self.extra {
                Extra::Slot(at, slot) if usize::from(at) == place => Arg::Request { slot, handle: number },
                _ => Arg::Int(number),
            };
        }
        match &self.extra {
            Extra::Status(at, packed) if usize::from(*at) == place => Arg::Status(unpack_status(packed)),
            _ => self.rest.iter().find(|r| usize::from(r.0) == place).map_or(Arg::None, |r| Arg::from(&r.1)),
        }
    }

    /// The integer, handle or request at a place.
    #[inline]
    pub fn int(&self, place: usize) -> Option<i64> {
        if self.has(place) {
            return Some(self.numbers[place]);
        }
        if self.rest.is_empty() {
            return None;
        }
        match self.get(place) {
            Arg::Int(v) | Arg::Request { handle: v, .. } => Some(v),
            _ => None,
        }
    }

    /// Where the handle of the one request at a place is kept.
    #[inline]
    pub fn slot(&self, place: usize) -> Option<u64> {
        match self.extra {
            Extra::Slot(at, slot) if usize::from(at) == place => Some(slot),
            _ if self.rest.is_empty() => None,
            _ => match self.get(place) {
                Arg::Request { slot, .. } => Some(slot),
                _ => None,
            },
        }
    }

    /// A word of the status at a place, as it stands in a record; 0 where there is none.
    #[inline]
    pub(crate) fn status_word(&self, place: usize, word: u8) -> i64 {
        let packed = match &self.extra {
            Extra::Status(at, packed) if usize::from(*at) == place => *packed,
            _ => match self.get(place) {
                Arg::Status(status) => pack_status(status),
                _ => return 0,
            },
        };
        packed.as_chunks::<8>().0.get(usize::from(word)).map_or(0, |word| i64::from_le_bytes(*word))
    }

    /// Handles of the request or the requests at a place, with the address of the first (0: not known).
    #[inline]
    pub fn requests(&self, place: usize) -> (u64, &[i64]) {
        if self.has(place) {
            let slot = match self.extra {
                Extra::Slot(at, slot) if usize::from(at) == place => slot,
                _ => 0,
            };
            return (slot, &self.numbers[place..=place]);
        }
        match self.rest.iter().find(|r| usize::from(r.0) == place).map(|r| &r.1) {
            Some(Value::Request { slot, handle }) => (*slot, std::slice::from_ref(handle)),
            Some(Value::Requests { base, handles }) => (*base, handles),
            Some(Value::Int(handle)) => (0, std::slice::from_ref(handle)),
            Some(Value::Ints(handles)) => (0, handles),
            _ => (0, &[]),
        }
    }

    /// The values that have no room of their own, by place.
    pub(crate) fn rest(&self) -> &[(u8, Value)] {
        &self.rest
    }

    /// The values of all parameters.
    pub fn iter(&self) -> impl Iterator<Item = Arg<'_>> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The values of all parameters as they are spelled and shown.
    pub fn to_values(&self) -> Vec<Value> {
        self.iter().map(Value::from).collect()
    }
}

impl From<Vec<Value>> for Args {
    fn from(values: Vec<Value>) -> Args {
        let mut args = Args::new(values.len());
        values.into_iter().enumerate().for_each(|(place, value)| args.set(place, value));
        args
    }
}

impl Call<Args> {
    /// A call of which nothing is known, to be filled in: its function means nothing either.
    #[inline(always)]
    pub fn blank() -> Call<Args> {
        Call::with(FnId::MPI_Init, Args::default(), Args::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_whatever_was_there() {
        let of = |values: &[Value]| Args::from(values.to_vec());
        let long = || Value::Ints(vec![1; 20]);
        let all =
            [of(&[]), of(&[Value::Int(1), Value::None]), of(&[Value::None, long()]), of(&[long(), Value::Int(2)])];
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
            let (mut taken, mut given) = (one.clone(), other.clone());
            taken.take_from(&mut given);
            assert_eq!(&taken, other);
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let status = |tag| Status { source: 1, tag, bytes: Some(8), cancelled: false };
        let strange = Status { source: 1, tag: 2, bytes: Some(u64::MAX), cancelled: false };
        let all = [
            Value::None,
            Value::Int(-3),
            Value::Request { slot: 7, handle: 9 },
            Value::Requests { base: 1, handles: vec![1, 2] },
            Value::Ints(vec![4, 5]),
            Value::Status(status(1)),
            Value::Status(strange),
            Value::Statuses(vec![status(2), strange]),
            Value::Str("port".into()),
        ];
        // Each pair of values at each pair of places.
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            for (i, j) in (0..20).flat_map(|i| (0..20).filter(move |j| i != *j).map(move |j| (i, j))) {
                let mut values = vec![Value::None; 20];
                (values[i], values[j]) = (a.clone(), b.clone());
                let args = Args::from(values.clone());
                assert_eq!(args.to_values(), values);
                assert_eq!(args.get(i), Arg::from(a));
                let int = |v: &Value| matches!(v, Value::Int(_) | Value::Request { .. }).then(|| v.int());
                assert_eq!((args.int(i), args.int(j)), (int(a), int(b)));
                let handles = match a {
                    Value::Int(v) | Value::Request { handle: v, .. } => vec![*v],
                    other => other.ints().to_vec(),
                };
                assert_eq!(args.requests(i).1, handles);
            }
        }
    }
}
