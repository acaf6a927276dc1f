//! A batch: the events of one rank that one turn has read, until the engine takes them one by one. Most are repeats.

mod packed;

use super::rounds::{RoundFinder, Span};
use crate::engine::CallSeen;
pub use packed::LastRounds;
use packed::{Packed, WholeEvent};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use trace_reader::args::Args;
use trace_reader::call::Call;
use trace_reader::reader::{EventRef, Keeps, LeanEvent, RankEvent, Repeat, Rounds, Sink};
use trace_reader::unpack::CallTimes;
use trace_reader::wire::Reader;

/// So many calls of rounds take as much memory as an event, and less time.
const LIGHT: usize = 8;

/// See the module.
pub(super) struct Batch {
    keeps: Keeps,
    /// All of it in its order.
    entries: Vec<Entry>,
    events: Vec<LeanEvent>,
    rounds: Vec<Series>,
    times: Times,
    /// The events take so much memory: see [`LeanEvent::memory_cost`].
    memory_cost: usize,
    /// How many all entries stand for, and how many of them came one by one.
    len: usize,
    singly: usize,
    next: Next,
    /// The last call of a round that was taken.
    repeat: Repeat,
    /// Looks for rounds while the rank is read.
    finder: Option<Box<RoundFinder>>,
    spans: SmallVec<[Span; 1]>,
    home: Option<Home>,
    /// Set as long as nobody wants to have what another process has read.
    packed: Option<Box<Packed>>,
    /// Set if the process that has read it keeps it.
    afar: Option<Box<Afar>>,
}

/// A batch that is kept where it was read.
struct Afar {
    /// Its number among those of its rank.
    number: u64,
    /// Calls in it that are to be kept when it is left out.
    to_keep: Vec<LeanEvent>,
}

/// Where the memory of a batch goes back to: the thread that has filled it frees and fills it with less ado than another one.
pub(super) type Home = Sender<Room>;

/// The memory of a batch.
#[derive(Default)]
pub(super) struct Room {
    entries: Vec<Entry>,
    events: Vec<LeanEvent>,
}

impl Room {
    /// Has it room for anything, and for not more than so much of a kind?
    pub(super) fn is_for_at_most(&self, most: usize) -> bool {
        let room = self.entries.capacity().max(self.events.capacity());
        (1..=most).contains(&room)
    }

    /// Empties it.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.events.clear();
    }

    /// Makes room for so many events that come whole, and entries, if it has none.
    pub(super) fn prepare(&mut self, events: usize, entries: usize) {
        if self.entries.capacity() == 0 {
            self.entries.reserve_exact(entries);
        }
        if self.events.capacity() == 0 {
            self.events.reserve_exact(events);
        }
    }
}

enum Entry {
    /// So many of the events.
    Whole(usize),
    Repeat(Repeat),
    /// So many calls: the next of the rounds.
    Rounds(usize),
}

/// Rounds of a loop: see [`Rounds`].
struct Series {
    round: Arc<[Repeat]>,
    index: u64,
    /// Where these begin among all times of the batch.
    from: usize,
}

impl Series {
    /// The call at this place of the rounds, as far as it is as those before it.
    fn as_before(&self, place: usize) -> &Repeat {
        &self.round[place % self.round.len()]
    }
}

/// Times of the calls in rounds. Those that another process has read are unpacked when they are wanted: where laps are counted
/// nobody wants them.
#[derive(Default)]
struct Times {
    calls: usize,
    unpacked: Vec<CallTimes>,
    packed: Box<[u8]>,
}

impl Times {
    fn extend(&mut self, times: &[CallTimes]) {
        self.calls += times.len();
        self.unpacked.extend_from_slice(times);
    }

    #[inline]
    fn at(&mut self, place: usize) -> CallTimes {
        if !self.packed.is_empty() {
            self.unpack();
        }
        self.unpacked[place]
    }

    #[cold]
    fn unpack(&mut self) {
        let packed = std::mem::take(&mut self.packed);
        let times = Reader::new(&packed).times(self.calls);
        debug_assert!(times.is_some(), "times of calls were damaged on the way");
        self.unpacked = times.unwrap_or_default();
        self.unpacked.resize(self.calls, (0, 0));
    }
}

/// The place in a batch that is taken next, or looked at.
#[derive(Default, Clone)]
pub(super) struct Next {
    entry: usize,
    /// The call in the rounds at hand, or among the events, if that is the entry.
    call: usize,
    event: usize,
    rounds: usize,
    /// So many were taken.
    taken: usize,
}

impl Next {
    /// So many of the `calls` of the rounds at hand are taken.
    fn pass(&mut self, taken: usize, calls: usize) {
        self.taken += taken;
        self.call += taken;
        if self.call == calls {
            self.call = 0;
            self.rounds += 1;
            self.entry += 1;
        }
    }

    /// The next of so many events is taken: its place.
    #[inline]
    fn pass_event(&mut self, events: usize) -> usize {
        self.taken += 1;
        self.call += 1;
        if self.call == events {
            self.call = 0;
            self.entry += 1;
        }
        self.event += 1;
        self.event - 1
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(home) = self.home.take()
            && self.entries.capacity().max(self.events.capacity()) > 0
        {
            let (entries, events) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.events));
            // The thread may have ended.
            _ = home.send(Room { entries, events });
        }
    }
}

impl Sink for Batch {
    fn event(&mut self, event: LeanEvent) {
        match (&mut self.finder, &event) {
            (Some(finder), RankEvent::Call(call)) => finder.call(call, None),
            (Some(finder), _) => finder.other(),
            (None, _) => {}
        }
        self.memory_cost += event.memory_cost();
        self.add_whole();
        self.events.push(event);
    }

    fn wants_likeness(&self) -> bool {
        self.finder.is_some()
    }

    #[inline(always)]
    fn call<E>(&mut self, likeness: Option<u64>, fill: impl FnOnce(&mut Call<Args>) -> Result<(), E>) -> Result<(), E> {
        // In its place, not beside it: it is long.
        self.events.resize_with(self.events.len() + 1, || RankEvent::Call(Call::blank()));
        let Some(event) = self.events.last_mut() else { return Ok(()) };
        let RankEvent::Call(call) = event else { return Ok(()) };
        match fill(call) {
            Ok(()) => {
                self.finder.iter_mut().for_each(|finder| finder.call(call, likeness));
                self.memory_cost += event.memory_cost();
                self.add_whole();
                Ok(())
            }
            Err(what) => {
                self.events.pop();
                Err(what)
            }
        }
    }

    #[inline(always)]
    fn repeat(&mut self, repeat: Repeat) {
        self.finder.iter_mut().for_each(|finder| finder.repeat(&repeat));
        (self.len, self.singly) = (self.len + 1, self.singly + 1);
        self.entries.push(Entry::Repeat(repeat));
    }

    fn rounds(&mut self, Rounds { round, index, times }: Rounds) {
        self.finder.iter_mut().for_each(|finder| finder.rounds(times.len()));
        self.rounds.push(Series { round: Arc::clone(round), index, from: self.times.calls });
        self.times.extend(times);
        (self.len, self.singly) = (self.len + times.len(), self.singly + 1);
        self.entries.push(Entry::Rounds(times.len()));
    }

    fn keeps(&self) -> Keeps {
        self.keeps
    }

    fn round_len(&self) -> Option<usize> {
        self.finder.as_ref()?.round_len()
    }

    fn knows(&mut self, round: &[Repeat]) -> bool {
        self.finder.as_mut().is_some_and(|finder| finder.knows(round))
    }
}

impl Batch {
    /// `room`: nothing but memory, which goes back to `home`.
    pub(super) fn new(keeps: Keeps, room: Room, home: Option<Home>, finder: Option<Box<RoundFinder>>) -> Batch {
        let Room { entries, events } = room;
        Batch {
            keeps,
            entries,
            events,
            rounds: Vec::new(),
            times: Times::default(),
            memory_cost: 0,
            len: 0,
            singly: 0,
            next: Next::default(),
            repeat: Repeat::default(),
            finder,
            spans: SmallVec::new(),
            home,
            packed: None,
            afar: None,
        }
    }

    /// Stands for this one, which is kept here, somewhere else.
    pub(super) fn afar(&self, number: u64) -> Batch {
        let is_to_keep = |event: &&LeanEvent| matches!(event, RankEvent::Call(call) if call.slot.is_some());
        let to_keep = self.events.iter().filter(is_to_keep).cloned().collect();
        let mut batch = Batch::new(self.keeps, Room::default(), None, None);
        (batch.len, batch.memory_cost, batch.spans) = (self.len, self.memory_cost, self.spans.clone());
        batch.afar = Some(Box::new(Afar { number, to_keep }));
        batch
    }

    /// Its number, if it is kept somewhere else.
    pub(super) fn number_afar(&self) -> Option<u64> {
        self.afar.as_ref().map(|afar| afar.number)
    }

    /// Here is the batch for which it stands. `keep`: see [`Batch::leave_out`].
    pub(super) fn comes_back(&mut self, batch: Batch, keep: impl FnMut(&mut LeanEvent)) {
        let left_out = self.next.taken;
        *self = batch;
        self.spans = SmallVec::new();
        self.list();
        self.leave_out(left_out, keep);
    }

    /// The calls in it that came whole.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call<Args>> {
        self.events.iter().filter_map(|event| match event {
            RankEvent::Call(call) => Some(call),
            _ => None,
        })
    }

    #[inline]
    fn add_whole(&mut self) {
        (self.len, self.singly) = (self.len + 1, self.singly + 1);
        match self.entries.last_mut() {
            Some(Entry::Whole(events)) => *events += 1,
            _ => self.entries.push(Entry::Whole(1)),
        }
    }

    /// Everything was read; what looks for rounds goes on with the next batch.
    pub(super) fn close(&mut self) -> Option<Box<RoundFinder>> {
        let mut finder = self.finder.take();
        match &mut finder {
            Some(finder) => self.spans = finder.take().into(),
            None => self.spans.push(Span { round_len: 0, len: self.len, varied: self.len, goes_on: false }),
        }
        finder
    }

    pub(super) fn take_spans(&mut self) -> SmallVec<[Span; 1]> {
        std::mem::take(&mut self.spans)
    }

    /// The loop in which its rank was, if it goes on in that and in nothing else.
    pub(super) fn round(&self) -> Option<Span> {
        match self.spans[..] {
            [span @ Span { round_len: 1.., goes_on: true, .. }] => Some(span),
            _ => None,
        }
    }

    /// Does it go on in the loop in which its rank was, and in nothing else?
    pub(super) fn goes_round(&self) -> bool {
        self.round().is_some()
    }

    /// Events that came whole.
    pub(super) fn whole(&self) -> usize {
        self.events.len()
    }

    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Calls that came in rounds.
    #[cfg(test)]
    pub(super) fn in_rounds(&self) -> usize {
        self.times.calls
    }

    /// The memory that its whole events take: see [`LeanEvent::memory_cost`].
    pub(super) fn memory_cost(&self) -> usize {
        self.memory_cost
    }

    /// As how many events it counts where time and memory are shared out.
    pub(super) fn cost(&self) -> usize {
        1 + self.singly + self.times.calls / LIGHT + self.memory_cost
    }

    /// How many were not taken.
    pub(super) fn left(&self) -> usize {
        self.len - self.next.taken
    }

    pub(super) fn next(&mut self) -> Option<EventRef<'_>> {
        if self.packed.is_some() {
            self.unpack()?;
        }
        let next = &mut self.next;
        match self.entries.get(next.entry)? {
            Entry::Rounds(calls) => {
                let (series, place) = (self.rounds.get(next.rounds)?, next.call);
                let index = series.index.wrapping_add(place as u64);
                self.repeat = series.as_before(place).at(index, self.times.at(series.from + place));
                next.pass(1, *calls);
                Some(EventRef::Repeat(&self.repeat))
            }
            Entry::Repeat(repeat) => {
                next.entry += 1;
                next.taken += 1;
                Some(EventRef::Repeat(repeat))
            }
            Entry::Whole(events) => {
                let place = next.pass_event(*events);
                Some(EventRef::Whole(self.events.get_mut(place)?))
            }
        }
    }

    /// The next one, which is not taken; of a call of rounds what it has in common with those before it.
    pub(super) fn peek(&mut self) -> Option<EventRef<'_>> {
        if self.packed.is_some() {
            self.unpack()?;
        }
        let next = &self.next;
        Some(match self.entries.get(next.entry)? {
            Entry::Repeat(repeat) => EventRef::Repeat(repeat),
            Entry::Rounds(_) => EventRef::Repeat(self.rounds.get(next.rounds)?.as_before(next.call)),
            Entry::Whole(_) => EventRef::Whole(self.events.get_mut(next.event)?),
        })
    }

    /// Where the next one is, to look from there.
    pub(super) fn place(&mut self) -> Next {
        self.list();
        self.next.clone()
    }

    /// As [`Batch::place`], to look at everything there.
    pub(super) fn open(&mut self) -> Next {
        if self.packed.is_some() {
            self.unpack();
        }
        self.next.clone()
    }

    /// Is nothing behind this place?
    pub(super) fn is_at_end(&self, place: &Next) -> bool {
        place.taken >= self.len
    }

    /// Looks at so many calls from a place on, or at all that are there: how many. Of a call of rounds it shows what that has in
    /// common with those before it.
    #[inline]
    pub(super) fn look(&self, from: &mut Next, most: usize, mut each: impl FnMut(CallSeen)) -> usize {
        let (begin, end) = (from.taken, from.taken.saturating_add(most).min(self.len));
        while from.taken < end
            && let Some(entry) = self.entries.get(from.entry)
        {
            match entry {
                Entry::Repeat(repeat) => {
                    each(CallSeen::Repeat(repeat));
                    from.entry += 1;
                    from.taken += 1;
                }
                Entry::Whole(events) => match self.call_seen(from.pass_event(*events)) {
                    Some(call) => each(call),
                    // No call is like it.
                    None => break,
                },
                Entry::Rounds(calls) => {
                    let Some(series) = self.rounds.get(from.rounds) else { break };
                    each(CallSeen::Repeat(series.as_before(from.call)));
                    from.pass(1, *calls);
                }
            }
        }
        from.taken - begin
    }

    /// The call that came whole, by its place among these events.
    fn call_seen(&self, place: usize) -> Option<CallSeen<'_>> {
        let event = match &self.packed {
            None => self.events.get(place)?,
            Some(packed) => match packed.whole_event(place)? {
                WholeEvent::Light => return Some(CallSeen::Other),
                WholeEvent::LookedInto(event) => event,
                WholeEvent::NoCall => return None,
            },
        };
        match event {
            RankEvent::Call(call) => Some(CallSeen::Whole(call)),
            _ => None,
        }
    }

    /// The next ones, which are calls, are left out: so many, or all that are there. How many. `keep` is given those that came
    /// whole and may be kept.
    pub(super) fn leave_out(&mut self, most: usize, mut keep: impl FnMut(&mut LeanEvent)) -> usize {
        let out = most.min(self.len - self.next.taken);
        let end = self.next.taken + out;
        if let Some(afar) = &mut self.afar {
            self.next.taken = end;
            if end == self.len {
                afar.to_keep.iter_mut().for_each(&mut keep);
            }
            return out;
        }
        if self.packed.is_some() {
            if self.passes_unseen(out) {
                return out;
            }
            self.list();
        }
        let whole = self.packed.as_ref().map_or(self.events.len(), |packed| packed.whole());
        let next = &mut self.next;
        if next.event == whole && next.rounds == self.rounds.len() {
            next.entry += out;
            next.taken = end;
        }
        while next.taken < end
            && let Some(entry) = self.entries.get(next.entry)
        {
            if let Entry::Rounds(calls) = entry {
                next.pass((end - next.taken).min(calls - next.call), *calls);
                continue;
            }
            if let Entry::Whole(events) = entry {
                let place = next.pass_event(*events);
                match &mut self.packed {
                    None => self.events.get_mut(place).into_iter().for_each(&mut keep),
                    Some(packed) => packed.looked_into(place).into_iter().for_each(&mut keep),
                }
                continue;
            }
            next.entry += 1;
            next.taken += 1;
        }
        out
    }
}
