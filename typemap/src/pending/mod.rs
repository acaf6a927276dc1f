//! The memory of operations that have begun and not ended.

mod linear;
mod memo;
mod sorted;
mod spans;
mod strided;

use crate::buffer::{Buffer, Form};
use crate::vector::Vector;
use linear::Linear;
use memo::Memo;
use sorted::{Entry, Links};
use spans::{Span, Spans};
use std::num::NonZeroU32;
use strided::{GroupId, Strided};

/// Steps that one search may spend on irregular buffers.
const MAX_STEPS: u32 = 1 << 17;

/// An entry of [`Pending`]. Keys ascend in the order of insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    order: u64,
    slot: NonZeroU32,
}

/// An index of the buffers of pending operations. In a program without mistakes, whose buffers do not conflict,
/// finding that costs a time logarithmic in their number; also for columns of a matrix, which interleave.
#[derive(Debug)]
pub struct Pending<T> {
    /// Entries by number minus 1.
    slots: Vec<Slot<T>>,
    free: Vec<NonZeroU32>,
    next_order: u64,
    reads: AccessIndex,
    writes: AccessIndex,
    memo: Memo,
}

#[derive(Debug)]
struct Slot<T> {
    order: u64,
    links: Links,
    index_place: IndexPlace,
    writes: bool,
    buffer: Buffer,
    /// `None` in free slots.
    value: Option<T>,
}

/// The index that an entry is in.
#[derive(Debug, Clone, Copy)]
enum IndexPlace {
    Nowhere,
    /// The place in the short list.
    Linear(u32),
    Runs,
    Column(GroupId),
    Others,
}

/// The buffers that are read, or those that are written.
#[derive(Debug)]
struct AccessIndex {
    /// Runs of bytes are here as long as there is place, then in `runs`.
    linear: Linear,
    runs: Spans,
    columns: Strided,
    /// Irregular ones, and columns for which there was no place.
    others: Spans,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Pending::new()
    }
}

fn slot<T>(slots: &[Slot<T>], number: NonZeroU32) -> Option<&Slot<T>> {
    slots.get(number.get() as usize - 1)
}

fn slot_mut<T>(slots: &mut [Slot<T>], number: NonZeroU32) -> Option<&mut Slot<T>> {
    slots.get_mut(number.get() as usize - 1)
}

impl<T> Pending<T> {
    /// An empty index.
    pub const fn new() -> Pending<T> {
        Pending {
            slots: Vec::new(),
            free: Vec::new(),
            next_order: 0,
            reads: AccessIndex::new(),
            writes: AccessIndex::new(),
            memo: Memo::new(),
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the buffer of an operation that reads it, or that `writes` (and maybe reads) it.
    #[inline(always)]
    pub fn insert(&mut self, buffer: Buffer, writes: bool, value: T) -> Key {
        let order = self.next_order;
        self.next_order += 1;
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                let free = Slot {
                    order,
                    links: Links::default(),
                    index_place: IndexPlace::Nowhere,
                    writes,
                    buffer: Buffer::bytes(0, 0),
                    value: None,
                };
                self.slots.push(free);
                NonZeroU32::new(self.slots.len() as u32).unwrap_or(NonZeroU32::MAX)
            }
        };
        let side = if writes { &mut self.writes } else { &mut self.reads };
        // Mostly there are only a few runs. Here, so that what was found is not read again from where it was just
        // written.
        let (index_place, before) = match side.insert_linear(&buffer, number) {
            Some(place) => (IndexPlace::Linear(place), None),
            None => side.insert(&buffer, number),
        };
        if let Some(before) = before.and_then(|b| slot_mut(&mut self.slots, b)) {
            before.links.after = Some(number);
        }
        if let Some(slot) = slot_mut(&mut self.slots, number) {
            let links = Links { before, after: None };
            *slot = Slot { order, links, index_place, writes, buffer, value: Some(value) };
        }
        Key { order, slot: number }
    }

    /// The value of an entry that is still there.
    pub fn get(&self, key: Key) -> Option<&T> {
        slot(&self.slots, key.slot).filter(|s| s.order == key.order)?.value.as_ref()
    }

    /// Takes an entry out. `None` if that was done before.
    pub fn remove(&mut self, key: Key) -> Option<T> {
        let slot = slot_mut(&mut self.slots, key.slot).filter(|s| s.order == key.order)?;
        let value = slot.value.take()?;
        let (links, index_place) = (std::mem::take(&mut slot.links), slot.index_place);
        let side = if slot.writes { &mut self.writes } else { &mut self.reads };
        let moved = side.remove(&slot.buffer, index_place, key.slot, links);
        slot.buffer = Buffer::bytes(0, 0);
        if let Some(moved) = moved.and_then(|m| slot_mut(&mut self.slots, m)) {
            moved.index_place = index_place;
        }
        if let Some(before) = links.before.and_then(|b| slot_mut(&mut self.slots, b)) {
            before.links.after = links.after;
        }
        if let Some(after) = links.after.and_then(|a| slot_mut(&mut self.slots, a)) {
            after.links.before = links.before;
        }
        self.free.push(key.slot);
        Some(value)
    }

    /// The oldest entry that has a byte in common with `buffer`, if one of the two writes; and the address of such a
    /// byte. Like [`crate::common_byte`] it may miss some, where very irregular buffers interleave.
    #[inline]
    pub fn conflict(&self, buffer: &Buffer, writes: bool) -> Option<(&T, u64)> {
        let may_touch = self.writes.may_touch(buffer) || writes && self.reads.may_touch(buffer);
        if buffer.is_empty() || !may_touch {
            return None;
        }
        self.search(buffer, writes)
    }

    fn search(&self, buffer: &Buffer, writes: bool) -> Option<(&T, u64)> {
        let mut search = Search {
            slots: &self.slots,
            memo: &self.memo,
            buffer,
            vector: buffer.vector(),
            steps: MAX_STEPS,
            found: None,
        };
        search.side(&self.writes);
        if writes {
            search.side(&self.reads);
        }
        let found = search.found?;
        Some((slot(&self.slots, found.number)?.value.as_ref()?, found.address as u64))
    }
}

impl AccessIndex {
    const fn new() -> AccessIndex {
        AccessIndex { linear: Linear::new(), runs: Spans::new(), columns: Strided::new(), others: Spans::new() }
    }

    /// Quick, and certain if not: in most programs there are only a few runs.
    #[inline]
    fn may_touch(&self, buffer: &Buffer) -> bool {
        let only_linear = self.runs.is_empty() && self.columns.is_unused() && self.others.is_empty();
        !only_linear || self.linear.is_touched((buffer.low, buffer.high))
    }

    /// Answers the place of a run for which there was one in the short list.
    #[inline(always)]
    fn insert_linear(&mut self, buffer: &Buffer, number: NonZeroU32) -> Option<u32> {
        let is_run = !buffer.is_empty() && matches!(buffer.form(), Form::All);
        if is_run { self.linear.insert((buffer.low, buffer.high), number) } else { None }
    }

    /// Answers the home of another entry, and the entry of the same bytes before it.
    #[inline(never)]
    fn insert(&mut self, buffer: &Buffer, number: NonZeroU32) -> (IndexPlace, Entry) {
        let span = (buffer.low, buffer.high);
        if buffer.is_empty() {
            return (IndexPlace::Nowhere, None);
        }
        match buffer.form() {
            Form::All => return (IndexPlace::Runs, self.runs.insert(span, number)),
            Form::Vector(vector) => {
                if let Some((group, before)) = self.columns.insert(&vector, number) {
                    return (IndexPlace::Column(group), before);
                }
            }
            Form::Irregular => {}
        }
        (IndexPlace::Others, self.others.insert(span, number))
    }

    /// Answers an entry that has got the home of the removed one.
    fn remove(&mut self, buffer: &Buffer, index_place: IndexPlace, number: NonZeroU32, links: Links) -> Entry {
        let span = (buffer.low, buffer.high);
        match (index_place, buffer.form()) {
            (IndexPlace::Linear(place), _) => return self.linear.remove(place),
            (IndexPlace::Runs, _) => self.runs.remove(span, number, links),
            (IndexPlace::Column(group), Form::Vector(vector)) => self.columns.remove(group, &vector, number, links),
            (IndexPlace::Others, _) => self.others.remove(span, number, links),
            (IndexPlace::Nowhere | IndexPlace::Column(_), _) => {}
        }
        None
    }
}

struct Found {
    order: u64,
    number: NonZeroU32,
    address: i64,
}

struct Search<'a, T> {
    slots: &'a [Slot<T>],
    memo: &'a Memo,
    buffer: &'a Buffer,
    vector: Option<Vector>,
    steps: u32,
    /// The oldest one so far.
    found: Option<Found>,
}

impl<T> Search<'_, T> {
    fn side(&mut self, side: &AccessIndex) {
        let (span, vector) = ((self.buffer.low, self.buffer.high), self.vector);
        let as_vector = |span: Span| Vector::run(span.0, span.1);
        side.linear.touching(span, |run, number| self.try_vector(&as_vector(run), number));
        side.runs.touching(span, |item| {
            self.try_vector(&as_vector(item.key), item.head);
            // Between its rows there may be many other runs.
            vector.filter(|c| c.rows > 1).and_then(|c| c.next_byte(item.key.0))
        });
        side.columns.near(span, vector.as_ref(), |column, number| self.try_vector(column, number));
        side.others.touching(span, |item| {
            let mut next = Some(item.head);
            while let Some((number, slot)) = next.and_then(|n| Some((n, slot(self.slots, n)?))) {
                self.try_slot(number, slot);
                next = slot.links.after;
            }
            None
        });
    }

    fn is_older(&self, order: u64) -> bool {
        self.found.as_ref().is_none_or(|f| order < f.order)
    }

    /// Entries of the same bytes, the oldest of which is `number`.
    fn try_vector(&mut self, bytes: &Vector, number: NonZeroU32) {
        let Some(slot) = slot(self.slots, number).filter(|s| self.is_older(s.order)) else {
            return;
        };
        match &self.vector {
            Some(vector) => {
                if let Some(address) = vector.common(bytes) {
                    self.found = Some(Found { order: slot.order, number, address });
                }
            }
            None => self.try_slot(number, slot),
        }
    }

    fn try_slot(&mut self, number: NonZeroU32, slot: &Slot<T>) {
        if self.is_older(slot.order)
            && let Some(address) = self.memo.common_byte(self.buffer, &slot.buffer, &mut self.steps)
        {
            self.found = Some(Found { order: slot.order, number, address: address as i64 });
        }
    }
}
