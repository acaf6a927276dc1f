//! Finds out where a rank does the same again and again: calls that are as those were that it made some number of calls before
//! ([`super::call_key`]), but for details, or the same altogether.

use super::call_key::{CallKey, Kept, Variables};
use trace_reader::args::Args;
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::{Repeat, varying_of};

/// Calls that are remembered of all ranks together.
const REMEMBERED: usize = 1 << 18;

/// Calls that are remembered of one rank at most, and at least.
const MOST: usize = 1 << 13;

const FEWEST: usize = 1 << 8;

/// With more ranks no call is remembered.
const MOST_RANKS: usize = 1 << 12;

/// Room for calls at first.
const FIRST_ROOM: usize = 1 << 5;

/// One call in so many may look through all that are remembered for a round.
const OFTEN: usize = 16;

/// A rank is looked at for so many times as many events as are remembered. If it did not repeat itself, some are left out:
/// first so many times as many, then twice that each time, and so many times at most.
const AWAKE: usize = 4;

const SHORTEST_SLEEP: usize = 4;

const LONGEST_SLEEP: usize = 32;

/// So many events in a row that are as those before them, and no fewer than a round, are worth to be looked for.
const WORTH: usize = 64;

/// A round is looked for that is so many times as long at most, if it leaves no details that differ.
const LONGER: usize = 64;

/// So many events are compared for that.
const COMPARED: usize = 64;

/// Events of a rank in a row that have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Each of them is as the event was that came so many before it, but for details; 0: no such thing is known of them.
    pub(super) round_len: usize,
    pub(super) len: usize,
    /// Behind so many of them, details are the same, too.
    pub(super) varied: usize,
    /// It goes on from the span before it.
    pub(super) goes_on: bool,
}

/// Looks at the events of one rank.
pub(super) struct RoundFinder {
    /// The last ones; their number is a power of two. It grows, as most runs of many ranks are short.
    ring: Vec<CallKey>,
    /// So many are remembered at most.
    most: usize,
    /// How many events were written down there.
    at: usize,
    /// How many came since, which are the same as those a round before them.
    unwritten: usize,
    /// Events of the span at hand, and how many of the last of these are the same as those a round before them.
    alike: usize,
    same: usize,
    /// The place of the one that the next should be like, and after how many they come again.
    next: usize,
    round_len: usize,
    /// Events of the span at hand that differ in details, and after how many a longer round is looked for.
    varied: usize,
    patience: usize,
    /// When a round was looked for last.
    looked: Option<usize>,
    /// Events in front of which the rank is known to repeat itself, or to do so not.
    judged: usize,
    /// It has repeated itself since.
    repeats: bool,
    /// How many times as many events as are remembered are left out next, if any are.
    sleep: usize,
    spans: Vec<Span>,
    kept: Vec<Option<Kept>>,
    variables: Variables,
}

impl RoundFinder {
    /// Are rounds looked for if there are so many ranks?
    pub(super) fn is_for(ranks: usize) -> bool {
        ranks <= MOST_RANKS
    }

    /// For a rank of so many; `None` if there are too many.
    pub(super) fn of_one_of(ranks: usize, stride: u64) -> Option<RoundFinder> {
        let share = (REMEMBERED / ranks.max(1)).clamp(FEWEST, MOST);
        let most = if share.is_power_of_two() { share } else { share.next_power_of_two() / 2 };
        Self::is_for(ranks)
            .then(|| RoundFinder::new(vec![CallKey::default(); FIRST_ROOM], most, Variables::new(most, stride)))
    }

    fn new(ring: Vec<CallKey>, most: usize, variables: Variables) -> RoundFinder {
        let (spans, kept) = (Vec::new(), Vec::new());
        RoundFinder {
            ring,
            most,
            at: 0,
            unwritten: 0,
            alike: 0,
            same: 0,
            next: 0,
            round_len: 0,
            varied: 0,
            patience: 0,
            looked: None,
            judged: 0,
            repeats: false,
            sleep: SHORTEST_SLEEP,
            spans,
            kept,
            variables,
        }
    }

    /// Knows of no event any more. Variables keep what was written to them: persistent requests are made once, and a handle
    /// that is given from where it was put then is still the one that was written there last.
    pub(super) fn anew(self) -> RoundFinder {
        RoundFinder { sleep: self.sleep, ..RoundFinder::new(self.ring, self.most, self.variables) }
    }

    /// The next event is no call that has returned.
    pub(super) fn other(&mut self) {
        self.note(None);
    }

    /// The next event is a call that repeats a kept one.
    #[inline(always)]
    pub(super) fn repeat(&mut self, repeat: &Repeat) {
        let kept = self.kept.get(usize::from(repeat.slot)).and_then(Option::as_ref);
        let key = kept.and_then(|kept| self.variables.key(kept, repeat));
        self.note(key);
    }

    /// The next event is a call that came whole. `likeness`: see [`trace_reader::reader::Sink::wants_likeness`].
    pub(super) fn call(&mut self, call: &Call<Args>, likeness: Option<u64>) {
        let Outcome::Returned(class) = call.outcome else { return self.other() };
        let kept = likeness.and_then(|likeness| Kept::alike(call, likeness)).unwrap_or_else(|| Kept::of(call));
        let repeat = Repeat {
            slot: call.slot.unwrap_or(0),
            thread: call.thread,
            class,
            index: call.index,
            t_call: call.t_call,
            t_return: call.t_return,
            varying: varying_of(kept.fields, &call.ins, &call.outs),
        };
        let key = self.variables.key(&kept, &repeat);
        if let Some(place) = call.slot.map(usize::from) {
            if self.kept.len() <= place {
                self.kept.resize_with(place + 1, || None);
            }
            self.kept[place] = Some(kept);
        }
        self.note(key);
    }

    /// After how many events the next ones come again, details and all, if they have done so once.
    pub(super) fn round_len(&self) -> Option<usize> {
        (self.round_len > 0 && self.same >= self.round_len).then_some(self.round_len)
    }

    /// Would the next calls be as those before them if they were these, which the last ones were, too? Then they always would
    /// be: a round leaves the variables of requests as the round before it has left them.
    pub(super) fn knows(&mut self, round: &[Repeat]) -> bool {
        if self.round_len().is_none_or(|round_len| !round.len().is_multiple_of(round_len)) || self.alike < round.len() {
            return false;
        }
        let mut before = Vec::new();
        let mut next = self.next;
        let is_known = round.iter().all(|repeat| {
            let kept = self.kept.get(usize::from(repeat.slot)).and_then(Option::as_ref);
            let Some(kept) = kept else { return false };
            self.variables.save(kept, repeat, &mut before);
            let expected = self.ring[next & (self.ring.len() - 1)];
            next += 1;
            if next == self.at {
                next -= self.round_len;
            }
            self.variables.key(kept, repeat).is_some_and(|key| key.is_same(&expected))
        });
        self.variables.put_back(before);
        is_known
    }

    /// So many calls of whole rounds are as those before them.
    pub(super) fn rounds(&mut self, calls: usize) {
        self.alike += calls;
        self.same += calls;
        self.unwritten += calls;
        self.count_more(self.round_len, calls);
    }

    #[inline(always)]
    fn note(&mut self, key: Option<CallKey>) {
        let mask = self.ring.len() - 1;
        if let Some(key) = key
            && self.round_len != 0
            && key.is_alike(&self.ring[self.next & mask])
        {
            self.alike += 1;
            if !key.has_details_of(&self.ring[self.next & mask]) {
                return self.differs(key);
            }
            self.same += 1;
            self.count(self.round_len);
            if self.same <= self.round_len {
                return self.write(key);
            }
            self.unwritten += 1;
            self.next += 1;
            if self.next == self.at {
                self.next -= self.round_len;
            }
            return;
        }
        self.other_than_expected(key);
    }

    #[inline]
    fn write(&mut self, key: CallKey) {
        if self.at == self.ring.len() {
            self.make_room(1);
        }
        let mask = self.ring.len() - 1;
        self.ring[self.at & mask] = key;
        self.at += 1;
        self.next = self.at - self.round_len;
    }

    /// Room for so many more, as far as they are remembered. Nothing was written over before, so that all stay where they are.
    #[cold]
    fn make_room(&mut self, more: usize) {
        let wanted = (self.at + more).next_power_of_two().min(self.most);
        if wanted > self.ring.len() {
            self.ring.resize(wanted, CallKey::default());
        }
    }

    /// It is as expected but for details.
    #[inline]
    fn differs(&mut self, key: CallKey) {
        if self.unwritten > 0 {
            self.write_down();
        }
        self.same = 0;
        self.write(key);
        self.count(self.round_len);
        if let Some(span) = self.spans.last_mut() {
            span.varied = span.len;
        }
        self.varied += 1;
        if self.varied >= self.patience {
            self.look_for_longer();
        }
    }

    /// Perhaps calls come again in all details after several rounds.
    #[inline(never)]
    fn look_for_longer(&mut self) {
        let (len, at, round_len) = (self.ring.len(), self.at, self.round_len);
        self.patience = (2 * self.patience).max(self.most / OFTEN).max(2 * LONGER * round_len);
        self.varied = 0;
        let known = self.alike.min(len - 1);
        let is_same = |back: usize| {
            let pair = |i: usize| (&self.ring[(at - i) & (len - 1)], &self.ring[(at - i - back) & (len - 1)]);
            (1..=COMPARED).map(pair).all(|(one, before)| one.is_same(before))
        };
        let longer = (2..=LONGER).map(|times| times * round_len);
        let found = longer.take_while(|back| back + COMPARED < known).find(|back| is_same(*back));
        if let Some(found) = found {
            self.repeats |= self.has_repeated();
            (self.round_len, self.alike, self.same) = (found, 0, 0);
            self.next = at - found;
        }
    }

    #[inline(never)]
    fn other_than_expected(&mut self, key: Option<CallKey>) {
        self.repeats |= self.has_repeated();
        self.write_down();
        (self.alike, self.same, self.varied, self.patience) = (0, 0, 0, 0);
        // Like no other.
        let key = key.unwrap_or(CallKey::of_other(self.at));
        self.look(self.at, key);
        self.write(key);
    }

    /// Writes down the events that were not, as many of the last as there is room for.
    fn write_down(&mut self) {
        if self.at + self.unwritten > self.ring.len() {
            self.make_room(self.unwritten);
        }
        let len = self.ring.len();
        let (from, unwritten) = (self.at, std::mem::take(&mut self.unwritten));
        self.at += unwritten;
        self.next = self.at - self.round_len;
        if unwritten <= len {
            for i in from..self.at {
                self.ring[i & (len - 1)] = self.ring[(i - self.round_len) & (len - 1)];
            }
            return;
        }
        let round: Vec<CallKey> = (from - self.round_len..from).map(|i| self.ring[i & (len - 1)]).collect();
        for i in self.at - len..self.at {
            self.ring[i & (len - 1)] = round[(i - from) % self.round_len];
        }
    }

    #[inline]
    fn count(&mut self, round_len: usize) {
        self.count_more(round_len, 1);
    }

    #[inline]
    fn count_more(&mut self, round_len: usize, len: usize) {
        match self.spans.last_mut() {
            Some(span) if span.round_len == round_len => span.len += len,
            _ => self.spans.push(Span { round_len, len, varied: 0, goes_on: false }),
        }
    }

    /// Something else than was expected. Perhaps it and the one before it came together some time ago.
    fn look(&mut self, at: usize, key: CallKey) {
        let len = self.ring.len();
        let mut found = 0;
        if key.is_of_call() && self.looked.is_none_or(|looked| at >= looked + self.most / OFTEN) {
            self.looked = Some(at);
            let old = |back: usize| &self.ring[at.wrapping_sub(back) & (len - 1)];
            let before = *old(1);
            let most = at.min(len - 1);
            let is_alike = |back: usize| old(back).is_alike(&key) && old(back + 1).is_alike(&before);
            found = (1..most).find(|back| is_alike(*back)).unwrap_or(0);
            // Rather a round in which details are the same.
            let is_same = |back: &usize| old(*back).is_same(&key) && old(back + 1).is_same(&before);
            if found > 0 {
                found = (found..most).step_by(found).take(LONGER).find(is_same).unwrap_or(found);
            }
        }
        if found == 0 {
            return self.count(0);
        }
        self.round_len = found;
        self.spans.push(Span { round_len: found, len: 1, varied: 1, goes_on: false });
    }

    /// Has it gone through its round again?
    fn has_repeated(&self) -> bool {
        self.alike >= self.round_len.max(WORTH)
    }

    /// The rank did not repeat itself for long: so many events may be left out.
    pub(super) fn may_sleep(&mut self) -> Option<usize> {
        let (len, seen) = (self.most, self.at + self.unwritten);
        if seen < self.judged + AWAKE * len {
            return None;
        }
        self.judged = seen;
        if std::mem::take(&mut self.repeats) || self.has_repeated() {
            self.sleep = SHORTEST_SLEEP;
            return None;
        }
        let sleep = self.sleep;
        self.sleep = (2 * sleep).min(LONGEST_SLEEP);
        Some(sleep * len)
    }

    /// The spans of all events since the last time.
    pub(super) fn take(&mut self) -> Vec<Span> {
        let next = self.spans.last().map(|last| Span { len: 0, varied: 0, goes_on: true, ..*last });
        let mut spans = std::mem::replace(&mut self.spans, Vec::from_iter(next));
        spans.retain(|span| span.len > 0);
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::super::watch::Watch;
    use super::*;
    use trace_format::mpi::FnId;
    use trace_reader::call::Value;
    use trace_reader::reader::varying_fields;

    /// A barrier on this communicator; the one on 99 has not returned.
    fn barrier(comm: u16) -> Call<Args> {
        let mut call = Call::new(FnId::MPI_Barrier);
        call.ins[0] = Value::Int(comm.into());
        call.outcome = if comm == 99 { Outcome::Open } else { Outcome::Returned(0) };
        call.map(Args::from)
    }

    fn spans_of(calls: impl Iterator<Item = Call<Args>>) -> Vec<(usize, usize)> {
        let mut finder = RoundFinder::of_one_of(1, 8).unwrap();
        let mut all: Vec<Span> = Vec::new();
        let calls: Vec<_> = calls.collect();
        for some in calls.chunks(7) {
            some.iter().for_each(|call| finder.call(call, None));
            for span in finder.take() {
                match all.last_mut() {
                    Some(last) if span.goes_on => {
                        assert_eq!(last.round_len, span.round_len);
                        last.len += span.len;
                    }
                    _ => all.push(span),
                }
            }
        }
        assert_eq!(all.iter().map(|s| s.len).sum::<usize>(), calls.len());
        all.iter().map(|s| (s.round_len, s.len)).collect()
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
        // One round of the first loop is three of the second.
        assert_eq!(found.last(), Some(&(3, 1497)));
    }

    #[test]
    fn who_does_not_repeat_itself_is_looked_at_now_and_then() {
        let mut watch = Watch::new(RoundFinder::of_one_of(1 << 10, 8).map(Box::new));
        let (mut looked_at, mut begun_anew) = (0, 0);
        let mut turn = |calls: &[u16]| {
            let (mut finder, anew) = watch.begin();
            begun_anew += usize::from(anew);
            if let Some(finder) = &mut finder {
                calls.iter().for_each(|comm| finder.call(&barrier(*comm), None));
                looked_at += calls.len();
                finder.take();
            }
            watch.end(finder, calls.len());
            (looked_at, begun_anew)
        };
        let mut first = 100;
        // Two after two are as those before them.
        let mut irregular = || -> Vec<u16> {
            first += 16;
            (first..first + 16).flat_map(|i| [i, 1, 2]).take(32).collect()
        };
        let turns = |times: usize| 0..FEWEST * times / 32;
        for _ in turns(AWAKE + SHORTEST_SLEEP + AWAKE + 2 * SHORTEST_SLEEP) {
            turn(&irregular());
        }
        let looked_at = FEWEST * 2 * AWAKE + 32;
        assert_eq!(turn(&[3; 32]), (looked_at, 2));
        // A loop is looked at for ever.
        for _ in 0..1000 {
            turn(&[3; 32]);
        }
        assert_eq!(turn(&[3; 32]), (looked_at + 1001 * 32, 2));
    }

    #[test]
    fn loops_in_loops_are_one() {
        let inner = [vec![1; 100], vec![2]].concat();
        let outer = [inner.repeat(10), vec![3]].concat();
        // Inner loops that are longer than what is remembered, in between.
        let found = spans(&[outer.repeat(4), vec![1; 20_000], outer.repeat(20)].concat());
        let (round_len, len) = found.last().unwrap();
        assert_eq!(*round_len, 1011);
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
        let one_round = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), wait(0x108, i + 1), wait(0x100, i)];
        assert_eq!(spans_of((1..300).flat_map(one_round)).last().map(|s| s.0), Some(4));
        let one_round = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), waitall(0x100, vec![i, i + 1])];
        assert_eq!(spans_of((1..300).flat_map(one_round)).last().map(|s| s.0), Some(3));
        // In turns the one and the other.
        let one_round = |i: i64| [irecv(0x100, i), irecv(0x108, i + 1), wait(0x100 + i as u64 % 2 * 8, i + i % 2)];
        assert_eq!(spans_of((1..300).flat_map(one_round)).last().map(|s| s.0), Some(6));
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

    /// The round of these calls, of which each is kept in the place with its number.
    fn round(calls: &[Call<Args>]) -> Vec<Repeat> {
        let repeat = |(slot, call): (usize, &Call<Args>)| Repeat {
            slot: slot as u16,
            varying: varying_of(varying_fields(call.func), &call.ins, &call.outs),
            ..Repeat::default()
        };
        calls.iter().enumerate().map(repeat).collect()
    }

    #[test]
    fn a_round_is_known_if_it_could_come_again_with_the_same_handles() {
        let give = |finder: &mut RoundFinder, calls: &[Call<Args>]| {
            let kept = |(slot, call): (usize, &Call<Args>)| Call { slot: Some(slot as u16), ..call.clone() };
            calls.iter().enumerate().map(kept).for_each(|call| finder.call(&call, None));
        };
        let persistent = 0x300;
        for rises in [false, true] {
            let mut finder = RoundFinder::of_one_of(1, 8).unwrap();
            let handle = |i: i64| 5 + if rises { i } else { 0 };
            let one_round = |i: i64| {
                let (other, one) = (irecv(0x108, 70), wait(0x100, handle(i)));
                [other, one, irecv(0x100, handle(i + 1)), wait(0x108, 70), wait(persistent, 9)]
            };
            let mut init = irecv(persistent as i64, 9);
            init.func = FnId::MPI_Recv_init;
            give(&mut finder, &[init, irecv(0x100, handle(0))]);
            (0..400).for_each(|i| give(&mut finder, &one_round(i)));
            assert_eq!(finder.round_len(), Some(5));
            let variables = |finder: &RoundFinder| -> Vec<_> { finder.variables.handles().collect() };
            let before = variables(&finder);
            let last = round(&one_round(399));
            // A handle that rises was written by the round before, and is not there any more.
            assert_eq!(finder.knows(&last), !rises);
            assert!(!finder.knows(&last[..2]), "no whole round");
            let long = last.repeat(400);
            assert!(!finder.knows(&long), "it did not come so often");
            // To ask changes nothing.
            assert_eq!(variables(&finder), before);
            let before = finder.alike;
            give(&mut finder, &one_round(400));
            assert_eq!(finder.alike, before + 5);
            // Nor do rounds that come again.
            if !rises {
                finder.rounds(500);
                give(&mut finder, &one_round(401));
                assert_eq!(finder.alike, before + 510);
            }
            let events = 2 + 2005 + if rises { 0 } else { 505 };
            assert_eq!(finder.take().iter().map(|span| span.len).sum::<usize>(), events);
        }
    }
}
