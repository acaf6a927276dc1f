//! The operations of a part that most programs have: a send or a receive of one run of bytes, completed about in the order in
//! which they were begun, while one thread alone calls MPI. They are in a short list, and not in the table of requests and the
//! index of pending memory, which cost several times as much. Whoever wants anything else of them than their completion finds
//! them there: [`super::shards::Part::with`] moves them over first.

use super::operation::Operation;
use super::state::Ended;
use std::ops::Range;
use trace_format::requests::place_among;

/// More operations than that are moved over.
const MOST: usize = 128;
/// Places of the ends that are remembered.
const ENDS: usize = 256;

/// An operation in the list.
pub(super) struct Entry {
    pub(super) handle: u64,
    /// Address of the variable that the call wrote the handle to; 0 if another call has written the same one there since.
    pub(super) slot: u64,
    /// Its memory.
    low: u64,
    high: u64,
    writes: bool,
    /// Others have, or had, its handle at the same time ([`trace_format::requests::Requests::share`]).
    pub(super) is_shared: bool,
    /// One of those with its handle was completed, so that its memory is the program's again.
    pub(super) is_released: bool,
    /// `None`: it is over.
    pub(super) operation: Option<Box<Operation>>,
}

impl Entry {
    const NONE: Entry = Entry {
        handle: 0,
        slot: 0,
        low: 0,
        high: 0,
        writes: false,
        is_shared: false,
        is_released: false,
        operation: None,
    };

    fn has(&self, handle: u64) -> bool {
        self.handle == handle && self.operation.is_some()
    }

    /// Do they use a byte of memory, and one of them writes?
    fn meets(&self, span: &Range<u64>, writes: bool) -> bool {
        self.low.max(span.start) < self.high.min(span.end) && (writes || self.writes) && !self.is_released
    }
}

/// A range that holds all memory of the operations that read, or write.
#[derive(Clone, Copy)]
struct Bounds {
    low: u64,
    high: u64,
}

impl Bounds {
    const NOTHING: Bounds = Bounds { low: u64::MAX, high: 0 };

    #[inline(always)]
    fn meet(self, span: &Range<u64>) -> bool {
        self.low < span.end && span.start < self.high
    }
}

/// See the module.
pub(super) struct Lane {
    first: usize,
    end: usize,
    /// Operations between these that are not over.
    count: usize,
    reads: Bounds,
    writes: Bounds,
    /// Bits by which a handle that is in the list is known; others may have them, too.
    handles: u64,
    /// A handle of several operations, all of which are released; 0: none.
    settled: u64,
    entries: [Entry; MOST],
    /// How the last request with a handle ended.
    ends: [(u64, Option<Ended>); ENDS],
}

#[inline(always)]
fn bit_of(handle: u64) -> u64 {
    1 << place_among(u64::BITS as usize, handle)
}

#[inline(always)]
fn end_of(handle: u64) -> usize {
    place_among(ENDS, handle)
}

impl Lane {
    pub(super) const fn new() -> Lane {
        Lane {
            first: 0,
            end: 0,
            count: 0,
            reads: Bounds::NOTHING,
            writes: Bounds::NOTHING,
            handles: 0,
            settled: 0,
            entries: [const { Entry::NONE }; MOST],
            ends: [const { (0, None) }; ENDS],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn live_mut(&mut self) -> &mut [Entry] {
        self.entries.get_mut(self.first..self.end).unwrap_or_default()
    }

    fn live(&self) -> &[Entry] {
        self.entries.get(self.first..self.end).unwrap_or_default()
    }

    /// Has an operation of the list this handle?
    pub(super) fn has(&self, handle: u64) -> bool {
        self.handles & bit_of(handle) != 0 && self.live().iter().any(|entry| entry.has(handle))
    }

    /// Does an operation of the list use this memory in a way that does not go with reading it, or `writes`?
    #[inline(always)]
    pub(super) fn meets(&self, span: &Range<u64>, writes: bool) -> bool {
        let may_meet = self.writes.meet(span) || writes && self.reads.meet(span);
        may_meet && !span.is_empty() && self.meets_any(span, writes)
    }

    #[inline(never)]
    fn meets_any(&self, span: &Range<u64>, writes: bool) -> bool {
        self.live().iter().any(|entry| entry.operation.is_some() && entry.meets(span, writes))
    }

    /// Puts an operation at the end; it comes back if that cannot be.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        (handle, slot): (u64, u64),
        (span, writes): (Range<u64>, bool),
        operation: Box<Operation>,
    ) -> Result<(), Box<Operation>> {
        if self.end == MOST && !self.made_room() || self.meets(&span, writes) {
            return Err(operation);
        }
        let bit = bit_of(handle);
        let is_shared = self.handles & bit != 0 && self.share(handle, slot);
        self.handles |= bit;
        let bounds = if writes { &mut self.writes } else { &mut self.reads };
        *bounds = Bounds { low: bounds.low.min(span.start), high: bounds.high.max(span.end) };
        if let Some(place) = self.entries.get_mut(self.end) {
            (place.handle, place.slot, place.low, place.high) = (handle, slot, span.start, span.end);
            (place.writes, place.is_shared, place.is_released) = (writes, is_shared, false);
            place.operation = Some(operation);
        }
        self.end += 1;
        self.count += 1;
        Ok(())
    }

    /// Another request gets this handle, which stands at `slot`. Has an operation of the list it?
    #[inline(never)]
    fn share(&mut self, handle: u64, slot: u64) -> bool {
        let mut is_shared = false;
        for entry in self.live_mut().iter_mut().filter(|entry| entry.has(handle)) {
            (is_shared, entry.is_shared) = (true, true);
            if entry.slot == slot {
                entry.slot = 0;
            }
        }
        if self.settled == handle {
            self.settled = 0;
        }
        is_shared
    }

    /// Moves the operations to the front. False if they fill half of the list.
    #[cold]
    fn made_room(&mut self) -> bool {
        if self.count > MOST / 2 {
            return false;
        }
        let mut end = 0;
        for from in self.first..self.end {
            if self.entries.get(from).is_some_and(|entry| entry.operation.is_some()) {
                self.entries.swap(end, from);
                end += 1;
            }
        }
        (self.first, self.end) = (0, end);
        true
    }

    /// Takes the operation out whose request is meant by `handle`, which stands at `slot`, and says whether there is no doubt.
    #[inline(always)]
    pub(super) fn take(&mut self, handle: u64, slot: u64) -> Option<(Box<Operation>, bool)> {
        let is_meant = |entry: &Entry| entry.handle == handle && (!entry.is_shared || entry.slot == slot && slot != 0);
        let place = match self.entries.get(self.first) {
            Some(first) if self.count != 0 && is_meant(first) => self.first,
            _ => self.place_of(handle, slot)?,
        };
        let entry = self.entries.get_mut(place)?;
        let (operation, is_shared) = (entry.operation.take()?, entry.is_shared);
        if is_shared && self.settled != handle {
            self.release(handle);
        }
        self.count -= 1;
        if self.count == 0 {
            self.forget_all();
        } else if place == self.first {
            let over = self.live().iter().take_while(|entry| entry.operation.is_none()).count();
            self.first += over;
        }
        Some((operation, !is_shared))
    }

    #[inline(never)]
    fn place_of(&self, handle: u64, slot: u64) -> Option<usize> {
        if self.handles & bit_of(handle) == 0 {
            return None;
        }
        let places = || self.live().iter().enumerate().filter(|(_, entry)| entry.has(handle));
        let stands_there = |(_, entry): &(usize, &Entry)| slot != 0 && entry.slot == slot;
        let (place, _) = places().find(stands_there).or_else(|| places().next())?;
        Some(self.first + place)
    }

    /// One of several requests with one handle is over: all of them are, as the library has it.
    #[inline(never)]
    fn release(&mut self, handle: u64) {
        for entry in self.live_mut().iter_mut().filter(|entry| entry.handle == handle) {
            entry.is_released = true;
            entry.operation.iter_mut().for_each(|operation| operation.is_disturbed = true);
        }
        self.settled = handle;
    }

    #[inline(always)]
    fn forget_all(&mut self) {
        (self.first, self.end, self.count) = (0, 0, 0);
        (self.reads, self.writes) = (Bounds::NOTHING, Bounds::NOTHING);
        (self.handles, self.settled) = (0, 0);
    }

    /// Takes all operations out, in the order in which they were begun.
    pub(super) fn drain(&mut self, mut each: impl FnMut(Entry)) {
        for entry in self.live_mut().iter_mut().filter(|entry| entry.operation.is_some()) {
            each(std::mem::replace(entry, Entry::NONE));
        }
        self.forget_all();
    }

    /// Remembers how a request of the list ended. Answers another handle with its end, which has to be remembered elsewhere from
    /// now on.
    #[inline(always)]
    pub(super) fn has_ended(&mut self, handle: u64, ended: Ended) -> Option<(u64, Ended)> {
        let place = self.ends.get_mut(end_of(handle))?;
        if place.0 == handle {
            place.1 = Some(ended);
            return None;
        }
        let (other, end) = std::mem::replace(place, (handle, Some(ended)));
        Some((other, end?))
    }

    /// How the last request of the list with this handle ended.
    pub(super) fn ended(&self, handle: u64) -> Option<Ended> {
        self.ends.get(end_of(handle)).filter(|(known, _)| *known == handle)?.1
    }

    /// A request with this handle that is not of the list has ended.
    #[inline(always)]
    pub(super) fn forget_end(&mut self, handle: u64) {
        if let Some(place) = self.ends.get_mut(end_of(handle)).filter(|place| place.0 == handle) {
            place.1 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::spot::Spot;
    use std::collections::BTreeSet;
    use trace_format::mpi::{Class, FnId, Start};
    use trace_format::requests::Requests;

    fn spot(call: u64) -> Spot {
        Spot { call, site: 0, func: FnId::MPI_Irecv, thread: 0 }
    }

    fn operation(call: u64) -> Box<Operation> {
        Box::new(Operation::new(Class::Recv(Start::Nonblocking), spot(call)))
    }

    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Which operation a handle means, whether that is certain, and whose memory is given back are as in the table of requests.
    #[test]
    fn it_answers_as_the_table_of_requests() {
        let mut guesses = 0;
        for seed in 0..400 {
            let (mut random, mut lane) = (numbers(seed), Lane::new());
            let (mut table, mut disturbed) = (Requests::<u64>::new(), BTreeSet::new());
            for call in 1..300 {
                // Handles with the same bits are among them.
                let (handle, slot) = (1 + 64 * random(3) + random(3), 8 * random(6));
                if random(2) == 0 {
                    let span = 0x1000 * call..0x1000 * call + random(3);
                    if lane.push((handle, slot), (span, false), operation(call)).is_err() {
                        assert!(lane.len() > MOST / 2);
                        continue;
                    }
                    let ix = table.add(handle, slot, call);
                    table.started(ix);
                } else {
                    let meant = table.meant(handle, slot);
                    if let Some((ix, false)) = meant {
                        let released = table.newly_sharing(ix).into_iter().filter_map(|ix| table.get(ix).copied());
                        disturbed.extend(released.collect::<Vec<_>>());
                        guesses += 1;
                    }
                    let expected = meant.and_then(|(ix, is_certain)| Some((table.remove(ix, ())?, is_certain)));
                    let taken = lane.take(handle, slot);
                    assert_eq!(
                        taken.as_ref().map(|(o, is_certain)| (o.made.call, *is_certain)),
                        expected,
                        "seed {seed}"
                    );
                    assert!(taken.is_none_or(|(o, certain)| certain || disturbed.contains(&o.made.call)));
                }
                assert!(lane.len() == table.len() && lane.has(handle) == table.knows(handle));
            }
            let mut left = Vec::new();
            lane.drain(|entry| left.extend(entry.operation.map(|o| (o.made.call, o.is_disturbed, entry.is_released))));
            let mut expected: Vec<u64> = table.iter().map(|(_, call)| *call).collect();
            expected.sort_unstable();
            assert!(left.iter().map(|(call, ..)| *call).eq(expected), "in the order in which they were begun");
            for (call, is_disturbed, is_released) in left {
                assert_eq!(
                    (is_disturbed, is_released),
                    (disturbed.contains(&call), disturbed.contains(&call)),
                    "seed {seed}"
                );
            }
            assert!(lane.is_empty());
        }
        assert!(guesses > 1000, "{guesses}");
    }

    /// Memory that operations have in common is seen, as long as they are under way.
    #[test]
    fn operations_that_meet_are_seen() {
        for seed in 0..400 {
            let (mut random, mut lane) = (numbers(seed), Lane::new());
            let mut all: Vec<(u64, Range<u64>, bool)> = Vec::new();
            for handle in 1..200 {
                if random(5) < 3 || all.is_empty() {
                    let start = 0x1000 + random(400);
                    let (span, writes) = (start..start + random(8), random(3) == 0);
                    let is_other = |(_, other, wrote): &(u64, Range<u64>, bool)| {
                        let common = span.start.max(other.start)..span.end.min(other.end);
                        (writes || *wrote) && !common.is_empty()
                    };
                    let expected = all.iter().any(is_other);
                    assert_eq!(lane.meets(&span, writes), expected, "seed {seed}");
                    let pushed = lane.push((handle, 8 * handle), (span.clone(), writes), operation(handle));
                    assert_eq!(pushed.is_err(), expected, "seed {seed}");
                    all.extend(pushed.is_ok().then_some((handle, span, writes)));
                } else {
                    let (handle, ..) = all.swap_remove(random(all.len() as u64) as usize);
                    assert!(lane.take(handle, 0).is_some_and(|(o, certain)| o.made.call == handle && certain));
                }
            }
        }
    }

    /// An end is remembered until another handle needs its place, and then handed out.
    #[test]
    fn no_end_is_lost() {
        let mut lane = Lane::new();
        let ended = |call| Ended { made: spot(call), by: spot(call), time: call };
        assert!(lane.has_ended(5, ended(1)).is_none() && lane.has_ended(5, ended(2)).is_none());
        assert_eq!(lane.ended(5).map(|ended| ended.time), Some(2));
        let other = (6..).find(|handle| end_of(*handle) == end_of(5)).unwrap();
        assert!(lane.ended(other).is_none());
        assert_eq!(lane.has_ended(other, ended(3)).map(|(handle, ended)| (handle, ended.time)), Some((5, 2)));
        assert!(lane.ended(5).is_none() && lane.ended(other).is_some());
        lane.forget_end(other);
        assert!(lane.ended(other).is_none());
    }
}
