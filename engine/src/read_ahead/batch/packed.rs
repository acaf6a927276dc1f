//! Batches on their way from another process: who takes them reads of them what is asked for. Where laps are counted these are the
//! values that calls of rounds have of their own; times, and what came whole, are read when the engine is to be given them.
//!
//! ```text
//! entries   byte with the bits below, [distance], [slot, thread, class, index], differences of own values
//!           7: another entry: number << 1 | 1 (calls of rounds), or << 1 (events that came whole)
//!           5: the distance is another one than that of the repeat before
//!           6: slot, thread and class are said, and the index as its difference from the expected one
//!           0 to 4: own values that differ from those of the repeat at this distance in front of it
//! whole     byte (see `Weight`), block with the event
//! times     of all repeats
//! ```

use super::{Afar, Batch, Entry, Room, Series, Span, Times};
use crate::engine::is_looked_into;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use trace_reader::reader::{Keeps, LeanEvent, RankEvent, Repeat};
use trace_reader::unpack::CallTimes;
use trace_reader::wire::{Reader, Writer};

const OTHER_ENTRY: u8 = 1 << 7;
const IS_SAID: u8 = 1 << 6;
const OTHER_DISTANCE: u8 = 1 << 5;

/// A batch that another process has written, as far as it was not read.
pub(super) struct Packed {
    entries: Box<[u8]>,
    /// The entries are those of the batch; only times are missing.
    is_listed: bool,
    rounds: Vec<Arc<[Repeat]>>,
    whole: Box<[u8]>,
    whole_events: Vec<WholeEvent>,
    times: Box<[u8]>,
}

/// An event that came whole.
pub(super) enum WholeEvent {
    /// A call in which nothing is looked for where laps are counted.
    Light,
    LookedInto(Box<LeanEvent>),
    NoCall,
}

impl Packed {
    /// The number of events that came whole.
    pub(super) fn whole(&self) -> usize {
        self.whole_events.len()
    }

    /// One of these, by its place.
    pub(super) fn whole_event(&self, place: usize) -> Option<&WholeEvent> {
        self.whole_events.get(place)
    }

    /// The same, if it is looked into.
    pub(super) fn looked_into(&mut self, place: usize) -> Option<&mut LeanEvent> {
        match self.whole_events.get_mut(place)? {
            WholeEvent::LookedInto(event) => Some(event),
            WholeEvent::Light | WholeEvent::NoCall => None,
        }
    }
}

/// As [`WholeEvent`], on the way.
#[repr(u8)]
enum Weight {
    Light,
    LookedInto,
    NoCall,
}

/// The rounds of each rank that came last, by its place: both ends of the way remember them, and a round comes in turn after turn.
#[derive(Default)]
pub struct LastRounds(FxHashMap<usize, Vec<Arc<[Repeat]>>>);

impl LastRounds {
    fn position(&self, place: usize, round: &Arc<[Repeat]>) -> Option<usize> {
        // Places and times of a round are those of a series.
        let in_common = |repeat: &Repeat| (repeat.slot, repeat.thread, repeat.class, repeat.varying);
        let is_as = |known: &Arc<[Repeat]>| known.iter().map(in_common).eq(round.iter().map(in_common));
        self.0.get(&place)?.iter().position(|known| Arc::ptr_eq(known, round) || is_as(known))
    }

    fn get(&self, place: usize, position: usize) -> Option<Arc<[Repeat]>> {
        self.0.get(&place)?.get(position).cloned()
    }

    /// These came last.
    fn set(&mut self, place: usize, rounds: Vec<Arc<[Repeat]>>) {
        if !rounds.is_empty() {
            self.0.insert(place, rounds);
        }
    }
}

/// The repeats of a batch, as far as they were written or read.
#[derive(Default)]
struct Known {
    /// How far in front of the last repeat the one was from which it differed.
    distance: usize,
    /// The index of the next call, if it is the next one of its thread.
    index: u64,
}

impl Batch {
    /// Writes it down for another process. Nothing of it was taken yet.
    pub(in super::super) fn write(&self, place: usize, last: &mut LastRounds, out: &mut Writer) {
        out.smalls([self.afar.as_ref().map_or(0, |afar| afar.number + 1), self.memory_cost as u64, self.len as u64]);
        out.small(self.spans.len() as u64);
        for Span { round_len, len, varied, goes_on } in &self.spans {
            out.smalls([*round_len, *len, *varied, usize::from(*goes_on)].map(|number| number as u64));
        }
        if let Some(afar) = &self.afar {
            out.small(afar.to_keep.len() as u64);
            return afar.to_keep.iter().for_each(|event| out.event(event));
        }
        let mut known: Vec<Arc<[Repeat]>> = Vec::new();
        for Series { round, .. } in &self.rounds {
            if !known.iter().any(|k| Arc::ptr_eq(k, round)) {
                known.push(Arc::clone(round));
            }
        }
        out.small(known.len() as u64);
        for round in &known {
            match last.position(place, round) {
                Some(position) => out.small((position as u64) << 1 | 1),
                None => {
                    out.small((round.len() as u64) << 1);
                    round.iter().for_each(|repeat| out.repeat(repeat));
                }
            }
        }
        out.small(self.singly as u64);
        let mut entries = Writer::default();
        let times = self.write_entries(&known, &mut entries);
        out.block(&entries.bytes());
        out.block(&whole_events(&self.events));
        out.block(&times);
        out.small(self.times.calls as u64);
        let mut times = Writer::default();
        times.times(&self.times.unpacked);
        out.block(&times.bytes());
        last.set(place, known);
    }

    /// The times of the repeats among the entries.
    fn write_entries(&self, known_rounds: &[Arc<[Repeat]>], out: &mut Writer) -> Vec<u8> {
        let place_of = |round| known_rounds.iter().position(|k| Arc::ptr_eq(k, round)).unwrap_or(0);
        let mut times: Vec<CallTimes> = Vec::with_capacity(self.entries.len());
        let mut repeats: Vec<&Repeat> = Vec::with_capacity(self.entries.len());
        // The last one of each slot.
        let mut last: FxHashMap<u16, usize> = FxHashMap::default();
        let mut known = Known::default();
        out.small(self.entries.len() as u64);
        for entry in &self.entries {
            match entry {
                Entry::Repeat(repeat) => {
                    let number = repeats.len();
                    let before = last.insert(repeat.slot, number);
                    let distance = before.map_or(0, |before| number - before);
                    let before = before.map(|before| repeats[before]);
                    write_repeat(repeat, (distance, before), &mut known, out);
                    times.push((repeat.t_call, repeat.t_return));
                    repeats.push(repeat);
                }
                Entry::Whole(events) => {
                    out.byte(OTHER_ENTRY);
                    out.small((*events as u64) << 1);
                    known.index = known.index.wrapping_add(*events as u64);
                }
                Entry::Rounds(calls) => {
                    out.byte(OTHER_ENTRY);
                    out.small((*calls as u64) << 1 | 1);
                    known.index = known.index.wrapping_add(*calls as u64);
                }
            }
        }
        out.small(self.rounds.len() as u64);
        for Series { round, index, from } in &self.rounds {
            out.smalls([place_of(round) as u64, *index, *from as u64]);
        }
        let mut packed = Writer::default();
        packed.times(&times);
        packed.bytes()
    }

    /// A batch that another process has written. `None`: it was damaged on the way.
    pub(in super::super) fn read(
        keeps: Keeps,
        place: usize,
        last: &mut LastRounds,
        bytes: &mut Reader,
    ) -> Option<Batch> {
        let [afar, memory_cost, len] = bytes.smalls()?;
        let spans = bytes.list(|bytes| {
            let [round_len, len, varied, goes_on] = bytes.smalls()?.map(|size| size as usize);
            Some(Span { round_len, len, varied, goes_on: goes_on != 0 })
        })?;
        let mut batch = Batch::new(keeps, Room::default(), None, None);
        (batch.memory_cost, batch.len, batch.spans) = (memory_cost as usize, len as usize, spans.into());
        if let Some(number) = afar.checked_sub(1) {
            let to_keep = bytes.list(|bytes| bytes.event())?;
            batch.afar = Some(Box::new(Afar { number, to_keep }));
            return Some(batch);
        }
        let rounds: Vec<Arc<[Repeat]>> = bytes.list(|bytes| {
            let number = bytes.small()?;
            if number & 1 == 1 {
                return last.get(place, (number >> 1) as usize);
            }
            (0..number >> 1).map(|_| bytes.repeat()).collect::<Option<Vec<Repeat>>>().map(Arc::from)
        })?;
        batch.singly = bytes.small()? as usize;
        let [entries, whole, times] = [bytes.block()?, bytes.block()?, bytes.block()?].map(Box::from);
        let round_times = Times { calls: bytes.small()? as usize, packed: bytes.block()?.into(), unpacked: Vec::new() };
        last.set(place, rounds.clone());
        batch.times = round_times;
        batch.packed =
            Some(Box::new(Packed { entries, is_listed: false, rounds, whole, whole_events: Vec::new(), times }));
        Some(batch)
    }

    /// Reads what is looked at where laps are counted, if that was not done.
    #[inline]
    pub(super) fn list(&mut self) {
        if self.packed.as_ref().is_some_and(|packed| !packed.is_listed) {
            // Damaged, there is nothing to be seen.
            _ = self.list_entries();
        }
    }

    #[cold]
    fn list_entries(&mut self) -> Option<()> {
        let packed = self.packed.as_mut()?;
        packed.is_listed = true;
        let mut bytes = Reader::new(&packed.whole);
        while !bytes.is_over() {
            let weight = bytes.byte()?;
            let event = bytes.block()?;
            packed.whole_events.push(match weight {
                w if w == Weight::Light as u8 => WholeEvent::Light,
                w if w == Weight::LookedInto as u8 => WholeEvent::LookedInto(Box::new(Reader::new(event).event()?)),
                _ => WholeEvent::NoCall,
            });
        }
        let mut bytes = Reader::new(&packed.entries);
        let (mut known, mut repeats) = (Known::default(), Vec::new());
        let count = bytes.count(1)?;
        self.entries.reserve_exact(count);
        for number in 0..count {
            let head = bytes.byte()?;
            self.entries.push(if head & OTHER_ENTRY != 0 {
                let number = bytes.small()?;
                known.index = known.index.wrapping_add(number >> 1);
                if number & 1 == 0 {
                    Entry::Whole((number >> 1) as usize)
                } else {
                    Entry::Rounds((number >> 1) as usize)
                }
            } else {
                if head & OTHER_DISTANCE != 0 {
                    known.distance = usize::try_from(bytes.small()?).ok()?;
                }
                let before = match known.distance {
                    0 => None,
                    distance => match self.entries.get(*repeats.get(repeats.len().checked_sub(distance)?)?)? {
                        Entry::Repeat(before) => Some(before),
                        _ => None,
                    },
                };
                let repeat = read_repeat(head, before, &mut known, &mut bytes)?;
                repeats.push(number);
                Entry::Repeat(repeat)
            });
        }
        self.rounds = bytes.list(|bytes| {
            let [round, index, from] = bytes.smalls()?;
            Some(Series { round: Arc::clone(packed.rounds.get(round as usize)?), index, from: from as usize })
        })?;
        let left_out = std::mem::take(&mut self.next.taken);
        self.leave_out(left_out, |_| {});
        Some(())
    }

    /// Somebody wants to have it as it is. `None`: it was damaged on the way.
    #[cold]
    pub(super) fn unpack(&mut self) -> Option<()> {
        self.list();
        let packed = self.packed.take()?;
        let repeats = || self.entries.iter().filter(|entry| matches!(entry, Entry::Repeat(_)));
        let times = Reader::new(&packed.times).times(repeats().count())?;
        let mut times = times.into_iter();
        for entry in &mut self.entries {
            if let Entry::Repeat(repeat) = entry {
                (repeat.t_call, repeat.t_return) = times.next()?;
            }
        }
        let mut bytes = Reader::new(&packed.whole);
        while !bytes.is_over() {
            bytes.byte()?;
            self.events.push(Reader::new(bytes.block()?).event()?);
        }
        Some(())
    }

    /// So many of the next ones are left out, of which nobody has seen anything. False: what is in them matters.
    #[inline]
    pub(super) fn passes_unseen(&mut self, next: usize) -> bool {
        let is_unseen = self.packed.as_ref().is_some_and(|packed| !packed.is_listed && packed.whole.is_empty());
        if is_unseen {
            self.next.taken += next;
        }
        is_unseen
    }
}

/// `before`: the last repeat of its slot, so far in front of it.
fn write_repeat(repeat: &Repeat, before: (usize, Option<&Repeat>), known: &mut Known, out: &mut Writer) {
    let (distance, before) = before;
    let Repeat { slot, thread, class, index, varying, .. } = *repeat;
    let blank = Repeat::default();
    let is_as_before = before.is_some_and(|before| (before.thread, before.class) == (thread, class));
    let before = before.unwrap_or(&blank);
    let differences: [u64; 5] =
        std::array::from_fn(|i| varying[i].cast_unsigned().wrapping_sub(before.varying[i].cast_unsigned()));
    let mut head = (0..5).filter(|i| differences[*i] != 0).map(|i| 1 << i).sum::<u8>();
    if distance != known.distance {
        head |= OTHER_DISTANCE;
    }
    let is_said = !is_as_before || index != known.index;
    if is_said {
        head |= IS_SAID;
    }
    out.byte(head);
    if distance != known.distance {
        out.small(distance as u64);
        known.distance = distance;
    }
    if is_said {
        out.smalls([slot, thread, class].map(u64::from));
        out.difference(index.wrapping_sub(known.index));
    }
    known.index = index.wrapping_add(1);
    differences.iter().filter(|difference| **difference != 0).for_each(|difference| out.difference(*difference));
}

/// As [`write_repeat`] has written it, without its times.
#[inline]
fn read_repeat(head: u8, before: Option<&Repeat>, known: &mut Known, bytes: &mut Reader) -> Option<Repeat> {
    let mut repeat = before.copied().unwrap_or_default();
    repeat.index = known.index;
    if head & IS_SAID != 0 {
        let [slot, thread, class] = bytes.smalls()?.map(|number| number as u16);
        (repeat.slot, repeat.thread, repeat.class) = (slot, thread, class);
        repeat.index = known.index.wrapping_add(bytes.difference()?);
    }
    known.index = repeat.index.wrapping_add(1);
    for (i, value) in repeat.varying.iter_mut().enumerate() {
        if head & 1 << i != 0 {
            *value = value.cast_unsigned().wrapping_add(bytes.difference()?).cast_signed();
        }
    }
    Some(repeat)
}

fn whole_events(events: &[LeanEvent]) -> Vec<u8> {
    let mut out = Writer::default();
    for event in events {
        out.byte(match event {
            RankEvent::Call(call) if is_looked_into(call) => Weight::LookedInto,
            RankEvent::Call(_) => Weight::Light,
            _ => Weight::NoCall,
        } as u8);
        let mut bytes = Writer::default();
        bytes.event(event);
        out.block(&bytes.bytes());
    }
    out.bytes()
}
