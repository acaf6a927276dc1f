//! Events as bytes, on their way from a process that has read them to another one. Most are calls, and their numbers stand there as
//! they are: the time that a call takes on the way counts, and hardly its length. Anything else goes through the codec of
//! definitions. Not for files: both ends are the same build.

use crate::args::{Args, Extra, PLACES};
use crate::call::{Call, Outcome};
use crate::reader::{LeanEvent, RankEvent, Repeat};
use crate::unpack::CallTimes;
use serde::{Serialize, de::DeserializeOwned};
use thin_vec::ThinVec;
use trace_format::codec;
use trace_format::definition::Definition;
use trace_format::mpi::FnId;
use trace_format::pack::bytes::{unzigzag, zigzag};
use trace_format::record::STATUS_BYTES;
use trace_format::system::SystemEvent;

/// Bytes that are written one behind the other.
#[derive(Default)]
pub struct Writer(Vec<u8>);

/// Reads what a [`Writer`] has written; `None` where it is cut off or damaged.
pub struct Reader<'a>(&'a [u8]);

impl Writer {
    /// Writes into memory that was used before.
    pub fn into_memory(mut memory: Vec<u8>) -> Writer {
        memory.clear();
        Writer(memory)
    }

    /// All that was written.
    pub fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// A number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Numbers one behind the other.
    #[inline]
    pub fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        numbers.into_iter().for_each(|number| self.number(number));
    }

    /// A byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A number that is mostly small: seven bits a byte.
    #[inline]
    pub fn small(&mut self, mut number: u64) {
        while number >= 1 << 7 {
            self.byte(number as u8 | 1 << 7);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// Numbers that are mostly small.
    #[inline]
    pub fn smalls<const N: usize>(&mut self, numbers: [u64; N]) {
        numbers.into_iter().for_each(|number| self.small(number));
    }

    /// A difference that is mostly small, up or down.
    #[inline]
    pub fn difference(&mut self, difference: u64) {
        self.small(zigzag(difference));
    }

    /// Text, or what else has a codec. An item that is too long for it is damage for the reader.
    pub fn item<T: Serialize>(&mut self, item: &T) {
        let start = self.0.len();
        if codec::append(item, &mut self.0).is_err() {
            self.0.truncate(start);
            self.0.extend_from_slice(&[0; 4]);
        }
    }

    fn args(&mut self, args: &Args) {
        let Args { params, known, numbers, extra, rest } = args;
        let extra_kind = match extra {
            Extra::Nothing => 0,
            Extra::Slot(..) => 1,
            Extra::Status(..) => 2,
        };
        self.0.extend_from_slice(&[*params, *known, extra_kind, u8::from(!rest.is_empty())]);
        for number in (0..PLACES).filter(|place| known & 1 << place != 0).map(|place| numbers[place]) {
            self.number(number.cast_unsigned());
        }
        match extra {
            Extra::Nothing => {}
            Extra::Slot(place, slot) => {
                self.byte(*place);
                self.number(*slot);
            }
            Extra::Status(place, status) => {
                self.byte(*place);
                self.0.extend_from_slice(status);
            }
        }
        if !rest.is_empty() {
            self.item(&&rest[..]);
        }
    }

    /// An event.
    pub fn event(&mut self, event: &LeanEvent) {
        match event {
            RankEvent::Call(call) => {
                self.byte(0);
                self.call(call);
            }
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                self.byte(1);
                self.numbers([u64::from(*thread), *index, *time, u64::from(*class), u64::from(*polls)]);
                self.args(outs);
            }
            RankEvent::Definition(definition) => {
                self.byte(2);
                self.item(definition);
            }
            RankEvent::System { thread, time, event } => {
                self.byte(3);
                self.numbers([u64::from(*thread), *time]);
                self.item(event);
            }
        }
    }

    fn call(&mut self, call: &Call<Args>) {
        let Call { func, thread, index, site, t_call, t_return, outcome, polls, slot, ins, outs } = call;
        let class = match outcome {
            Outcome::Open => OPEN,
            Outcome::Returned(class) => u32::from(*class),
        };
        let slot = slot.map_or(NO_SLOT, u32::from);
        let words = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let head = [
            words((func.index() as u32) << 16 | u32::from(*thread), *site),
            words(class, *polls),
            u64::from(slot),
            *index,
            *t_call,
            *t_return,
        ];
        self.numbers(head);
        self.args(ins);
        self.args(outs);
    }

    /// A repeat.
    pub fn repeat(&mut self, repeat: &Repeat) {
        let Repeat { slot, thread, class, index, t_call, t_return, varying } = repeat;
        self.number(u64::from(*slot) | u64::from(*thread) << 16 | u64::from(*class) << 32);
        self.numbers([*index, *t_call, *t_return]);
        self.numbers(varying.map(i64::cast_unsigned));
    }

    /// Bytes that another writer has written, say.
    pub fn block(&mut self, bytes: &[u8]) {
        self.small(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Times of calls in a row: mostly three bytes a call.
    pub fn times(&mut self, times: &[CallTimes]) {
        let mut before = 0u64;
        for (t_call, t_return) in times {
            self.small(t_call.wrapping_sub(before));
            self.small(t_return.wrapping_sub(*t_call));
            before = *t_return;
        }
    }
}

const OPEN: u32 = u32::MAX;
const NO_SLOT: u32 = u32::MAX;

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    /// A number.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// A number of things that come, each of at least so many bytes: there is room for no more than were written. See
    /// [`Writer::small`].
    pub fn count(&mut self, bytes_of_each: usize) -> Option<usize> {
        let count = usize::try_from(self.small()?).ok()?;
        (count <= self.0.len() / bytes_of_each.max(1)).then_some(count)
    }

    /// A byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    /// See [`Writer::small`].
    #[inline]
    pub fn small(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = self.take()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 1 << 7 {
                return Some(number);
            }
        }
        None
    }

    /// See [`Writer::smalls`].
    #[inline]
    pub fn smalls<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.small()?;
        }
        Some(numbers)
    }

    /// See [`Writer::difference`].
    #[inline]
    pub fn difference(&mut self) -> Option<u64> {
        self.small().map(unzigzag)
    }

    /// Was everything read?
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// See [`Writer::item`].
    pub fn item<T: DeserializeOwned>(&mut self) -> Option<T> {
        codec::take(&mut self.0)?.ok()
    }

    fn args(&mut self) -> Option<Args> {
        let [params, known, extra_kind, has_rest] = self.take()?;
        let mut numbers = [0; PLACES];
        for place in (0..PLACES).filter(|place| known & 1 << place != 0) {
            numbers[place] = self.number()?.cast_signed();
        }
        let extra = match extra_kind {
            0 => Extra::Nothing,
            1 => Extra::Slot(self.take::<1>()?[0], self.number()?),
            _ => Extra::Status(self.take::<1>()?[0], self.take::<STATUS_BYTES>()?),
        };
        let rest = if has_rest == 0 { ThinVec::new() } else { self.item::<Vec<_>>()?.into_iter().collect() };
        Some(Args { params, known, numbers, extra, rest })
    }

    /// An event.
    pub fn event(&mut self) -> Option<LeanEvent> {
        Some(match self.take()? {
            [0] => RankEvent::Call(self.call()?),
            [1] => {
                let [thread, index, time, class, polls] = self.numbers()?;
                let (thread, class, polls) = (thread as u16, class as u16, polls as u32);
                RankEvent::Return { thread, index, time, class, polls, outs: self.args()? }
            }
            [2] => RankEvent::Definition(self.item::<Definition>()?),
            _ => {
                let [thread, time] = self.numbers()?;
                RankEvent::System { thread: thread as u16, time, event: self.item::<SystemEvent>()? }
            }
        })
    }

    /// A list of what `one` reads, each of which is at least a byte long, behind their number ([`Writer::small`]).
    pub fn list<T>(&mut self, mut one: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count(1)?;
        (0..count).map(|_| one(self)).collect()
    }

    #[inline]
    fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn call(&mut self) -> Option<Call<Args>> {
        let [what, outcome, slot, index, t_call, t_return] = self.numbers()?;
        let class = outcome as u32;
        Some(Call {
            func: FnId::from_index((what as u32 >> 16) as usize)?,
            thread: what as u16,
            index,
            site: (what >> 32) as u32,
            t_call,
            t_return,
            outcome: if class == OPEN { Outcome::Open } else { Outcome::Returned(class as u16) },
            polls: (outcome >> 32) as u32,
            slot: (slot as u32 != NO_SLOT).then_some(slot as u16),
            ins: self.args()?,
            outs: self.args()?,
        })
    }

    /// A repeat.
    pub fn repeat(&mut self) -> Option<Repeat> {
        let [what, index, t_call, t_return] = self.numbers()?;
        let varying = self.numbers()?.map(u64::cast_signed);
        let (slot, thread, class) = (what as u16, (what >> 16) as u16, (what >> 32) as u16);
        Some(Repeat { slot, thread, class, index, t_call, t_return, varying })
    }

    /// See [`Writer::block`].
    pub fn block(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.small()?).ok()?;
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(block)
    }

    /// Times of so many calls in a row.
    pub fn times(&mut self, calls: usize) -> Option<Vec<CallTimes>> {
        // Each is two bytes at least.
        let mut times = Vec::with_capacity(calls.min(self.0.len() / 2));
        let mut before = 0u64;
        for _ in 0..calls {
            let t_call = before.wrapping_add(self.small()?);
            before = t_call.wrapping_add(self.small()?);
            times.push((t_call, before));
        }
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Value;
    use trace_format::mpi::Status;

    /// The values of each kind of parameter, and none.
    fn calls() -> Vec<LeanEvent> {
        let status = Status { source: 3, tag: 4, bytes: Some(6), cancelled: false };
        let values = [
            Value::Int(-7),
            Value::Request { slot: 8, handle: 9 },
            Value::Requests { base: 10, handles: vec![11, 12] },
            Value::Ints(vec![13, -14]),
            Value::Status(status),
            Value::Statuses(vec![status, status]),
            Value::Str("port".into()),
        ];
        let with = |value: &Value| {
            let mut call = Call::new(FnId::MPI_Sendrecv);
            (call.thread, call.index, call.site, call.t_call, call.t_return) = (1, u64::MAX, 2, 3, 4);
            (call.outcome, call.polls, call.slot) = (Outcome::Returned(5), 6, Some(u16::MAX));
            call.ins[2] = value.clone();
            call.ins[11] = value.clone();
            call.outs[11] = value.clone();
            LeanEvent::from(RankEvent::Call(call))
        };
        let open = RankEvent::Call(Call::new(FnId::MPI_Barrier)).into();
        values.iter().map(with).chain([open]).collect()
    }

    #[test]
    fn events_arrive_as_they_were_sent_and_cut_ones_not_at_all() {
        let mut events = calls();
        let outs = Args::new(2);
        events.push(RankEvent::Return { thread: 1, index: 2, time: 3, class: 4, polls: 5, outs });
        events.push(RankEvent::Definition(Definition::Stack { id: 7, frames: vec![1, u64::MAX] }));
        events.push(RankEvent::System { thread: 1, time: 2, event: SystemEvent::Exit { status: 3 } });
        for event in &events {
            let mut writer = Writer::default();
            writer.event(event);
            let bytes = writer.bytes();
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.event().as_ref(), Some(event));
            assert!(reader.0.is_empty());
            (0..bytes.len()).for_each(|cut| assert_eq!(Reader::new(&bytes[..cut]).event(), None, "{cut} {event:?}"));
        }
    }

    #[test]
    fn times_may_go_back() {
        let times = [(5, 7), (7, 7), (3, u64::MAX), (0, 1 << 40)];
        let mut writer = Writer::default();
        writer.times(&times);
        let bytes = writer.bytes();
        assert_eq!(Reader::new(&bytes).times(4).as_deref(), Some(&times[..]));
        assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).times(4), None);
    }

    #[test]
    fn a_block_is_as_long_as_it_says() {
        let mut writer = Writer::default();
        writer.block(b"two");
        writer.block(b"");
        let bytes = writer.bytes();
        let mut reader = Reader::new(&bytes);
        assert_eq!([reader.block(), reader.block(), reader.block()], [Some(&b"two"[..]), Some(b""), None]);
        assert_eq!(Reader::new(&bytes[..3]).block(), None);
    }

    #[test]
    fn a_repeat_arrives_as_it_was_sent() {
        let varying = [-1, 2, i64::MIN, 3, -4];
        let repeat = Repeat { slot: 1, thread: 2, class: 3, index: 4, t_call: 5, t_return: 6, varying };
        let mut writer = Writer::default();
        writer.repeat(&repeat);
        assert_eq!(Reader::new(&writer.bytes()).repeat(), Some(repeat));
    }
}
