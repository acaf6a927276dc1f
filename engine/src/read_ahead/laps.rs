//! Leaps over laps: where every rank does the same again and again, and the engine finds after one lap of all of them what it
//! found after the lap before, the laps to come are only counted, as long as they go on alike. See
//! [`crate::engine`].
//!
//! ```text
//! Plain    what was read is handed over at once, until all ranks repeat themselves
//! Seeking  ranks are led on one by one to where nothing of a lap is under way, then through one lap and another
//! Leaping  laps are counted; the last one is kept back, to be handed over when one of the ranks does something else
//! ```

use super::rounds::Span;
use super::{Batch, Feed, Turn};
use crate::engine::{Counts, InFlight, Snapshot};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Events that are held back at most while laps are sought or counted: of a thousand ranks two laps of a hundred calls, and more
/// than a turn.
const MOST_HELD: usize = 1 << 19;

/// Events that are handed over before laps are sought again, at first and after many times in vain.
const FIRST_PAUSE: usize = 1 << 12;

const LONGEST_PAUSE: usize = 1 << 22;

/// So often each rank is led through its round before it is given up.
const MOST_ROUNDS: usize = 32;

/// Operations that stay under way while laps are gone through.
const MOST_LEFT: usize = 1 << 6;

/// The events of a rank that were read and not handed over.
struct Source {
    rank: i32,
    batches: VecDeque<Batch>,
    held: usize,
    /// Memory that the batches hold beside the events, in events.
    memory_cost: usize,
    /// Spans of the events that are held, and of those that were handed over last.
    spans: VecDeque<Span>,
    /// Events of the first span that were handed over.
    passed: usize,
    /// There may be more to come.
    more: bool,
    /// Calls of its round when laps were begun to be sought.
    round_len: usize,
    /// Events handed over in this lap, and those of a whole one.
    gone: usize,
    lap: usize,
}

impl Source {
    fn is_live(&self) -> bool {
        self.more || self.held > 0
    }

    fn push(&mut self, mut batch: Batch) {
        for span in batch.take_spans() {
            match self.spans.back_mut() {
                Some(last) if span.goes_on && last.round_len == span.round_len => last.len += span.len,
                _ => self.spans.push_back(span),
            }
        }
        self.held += batch.left();
        self.memory_cost += batch.memory_cost();
        self.batches.push_back(batch);
    }

    fn drop_first(&mut self) {
        self.memory_cost -= self.batches.pop_front().map_or(0, |batch| batch.memory_cost());
    }

    /// Events are handed over, or counted.
    fn pass(&mut self, events: usize) {
        self.held -= events;
        self.passed += events;
        while let Some(first) = self.spans.front().filter(|first| self.spans.len() > 1 && self.passed >= first.len) {
            self.passed -= first.len;
            self.spans.pop_front();
        }
    }

    /// Has it gone through its loop at least twice?
    fn goes_round(&self) -> bool {
        self.spans.len() == 1 && self.spans[0].round_len > 0 && self.passed >= 2 * self.spans[0].round_len
    }

    /// Events at hand that go on as it did when laps were begun to be sought.
    fn alike(&self) -> usize {
        self.spans.front().filter(|span| span.round_len == self.round_len).map_or(0, |span| span.len - self.passed)
    }

    /// May there be more of these?
    fn goes_on(&self) -> bool {
        self.more && self.spans.len() == 1
    }

    /// Does the next call leave nothing behind but its operation?
    fn next_is_plain(&mut self, feed: &Feed) -> bool {
        let next = self.batches.iter_mut().find_map(Batch::peek);
        next.is_some_and(|event| feed.engine.is_plain(self.rank, &event))
    }

    /// The next event is handed over.
    fn hand_over(&mut self, place: usize, feed: &mut Feed) {
        while let Some(batch) = self.batches.front_mut() {
            if let Some(event) = batch.next() {
                feed.take((place, self.rank), event);
                return self.pass(1);
            }
            self.drop_first();
        }
    }

    /// All that is held is handed over: how many events.
    fn hand_over_all(&mut self, place: usize, feed: &mut Feed) -> usize {
        let held = self.held;
        self.memory_cost = 0;
        for mut batch in std::mem::take(&mut self.batches) {
            let events = batch.left();
            while let Some(event) = batch.next() {
                feed.take((place, self.rank), event);
            }
            self.pass(events);
        }
        held
    }

    /// The next events are left out.
    fn leave_out(&mut self, events: usize, feed: &mut Feed) {
        let mut left = events;
        while let Some(batch) = self.batches.front_mut() {
            left -= batch.leave_out(left, |event| feed.engine.keep(self.rank, event));
            if left == 0 {
                break;
            }
            self.drop_first();
        }
        self.pass(events);
    }
}

/// Where the search for laps is.
enum Search {
    /// To where nothing of a lap is under way.
    Start,
    /// In a lap, whose length is not known.
    Lap,
    /// In a lap as the one before it, behind which this was found.
    OnceMore(Snapshot, Counts),
}

enum State {
    Plain,
    Seeking(Search),
    /// The counts before and after a lap.
    Leaping(Counts, Counts),
}

enum Step {
    Go,
    /// More has to be read.
    Wait,
    GiveUp,
}

/// See the module.
pub(super) struct Laps {
    sources: Vec<Source>,
    /// Places of the ranks.
    places: FxHashMap<i32, usize>,
    state: State,
    /// One that did not repeat itself when that was looked at last, or that was led on last.
    one: usize,
    /// Events handed over, and when laps are sought again.
    fed: usize,
    next: usize,
    pause: usize,
    /// The one that is to be over next is the last; how often a rank went on for it.
    todo: Vec<InFlight>,
    tries: usize,
    /// Operations that stay under way.
    left: Vec<InFlight>,
    /// How far the ranks may be led on.
    budget: usize,
}

impl Laps {
    pub(super) fn new(ranks: impl Iterator<Item = i32>) -> Laps {
        let source = |rank| Source {
            rank,
            batches: VecDeque::new(),
            held: 0,
            memory_cost: 0,
            spans: VecDeque::new(),
            passed: 0,
            more: true,
            round_len: 0,
            gone: 0,
            lap: 0,
        };
        let sources: Vec<Source> = ranks.map(source).collect();
        Laps {
            places: sources.iter().enumerate().map(|(place, source)| (source.rank, place)).collect(),
            sources,
            state: State::Plain,
            one: 0,
            fed: 0,
            next: 0,
            pause: FIRST_PAUSE,
            todo: Vec::new(),
            tries: 0,
            left: Vec::new(),
            budget: 0,
        }
    }

    /// Takes the events that one turn has read of one rank.
    pub(super) fn take(&mut self, turn: Turn, feed: &mut Feed) {
        let Some(source) = self.sources.get_mut(turn.place) else { return };
        source.more = turn.more;
        source.push(turn.batch);
        if matches!(self.state, State::Plain) {
            self.fed += source.hand_over_all(turn.place, feed);
            if !source.more {
                feed.is_over(source.rank);
            }
            if self.fed < self.next || !self.all_repeat_themselves() {
                return;
            }
            self.begin(feed);
        }
        loop {
            match self.step(feed) {
                Step::Go => {}
                Step::Wait if matches!(self.state, State::Plain) => return,
                Step::Wait if self.sources.iter().map(|s| s.held + s.memory_cost).sum::<usize>() <= MOST_HELD => return,
                Step::Wait | Step::GiveUp => return self.give_up(feed),
            }
        }
    }

    fn all_repeat_themselves(&mut self) -> bool {
        let do_not = |source: &Source| source.is_live() && !source.goes_round();
        if self.sources.get(self.one).is_some_and(do_not) {
            return false;
        }
        match self.sources.iter().position(do_not) {
            Some(one) => {
                self.one = one;
                false
            }
            None => true,
        }
    }

    /// Nothing more was read.
    pub(super) fn finish(&mut self, feed: &mut Feed) {
        self.hand_over_all(feed);
    }

    fn hand_over_all(&mut self, feed: &mut Feed) {
        for (place, source) in self.sources.iter_mut().enumerate() {
            self.fed += source.hand_over_all(place, feed);
        }
    }

    fn begin(&mut self, feed: &mut Feed) {
        self.next = self.fed + self.pause;
        let live = || self.sources.iter().filter(|s| s.is_live());
        if live().next().is_none() || !feed.may_leap() {
            return;
        }
        for source in &mut self.sources {
            let span = source.spans.front().filter(|_| source.is_live());
            (source.round_len, source.gone, source.lap) = (span.map_or(0, |span| span.round_len), 0, 0);
        }
        (self.todo, self.left, self.tries) = (Vec::new(), Vec::new(), 0);
        self.budget = MOST_HELD;
        self.state = State::Seeking(Search::Start);
    }

    fn give_up(&mut self, feed: &mut Feed) {
        if matches!(std::mem::replace(&mut self.state, State::Plain), State::Leaping(..)) {
            self.pause = FIRST_PAUSE;
        } else {
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
        self.hand_over_all(feed);
        self.next = self.fed + self.pause;
    }

    fn step(&mut self, feed: &mut Feed) -> Step {
        match &self.state {
            State::Plain => Step::Wait,
            State::Leaping(..) => self.leap(feed),
            State::Seeking(Search::OnceMore(..)) => self.go_again(feed),
            State::Seeking(_) => self.lead_on(feed),
        }
    }

    /// Hands over an event of a rank, if it goes on as it did.
    fn hand_over_one(&mut self, place: usize, feed: &mut Feed) -> Step {
        let source = &mut self.sources[place];
        if source.alike() == 0 {
            return if source.goes_on() { Step::Wait } else { Step::GiveUp };
        }
        if self.budget == 0 {
            return Step::GiveUp;
        }
        source.hand_over(place, feed);
        source.gone += 1;
        self.budget -= 1;
        self.fed += 1;
        Step::Go
    }

    fn lead_on(&mut self, feed: &mut Feed) -> Step {
        let in_lap = matches!(self.state, State::Seeking(Search::Lap));
        // First each goes through its own loop, then on as far as others need it.
        let is_within = |s: &Source| in_lap && s.is_live() && (s.gone == 0 || !s.gone.is_multiple_of(s.round_len));
        if !self.sources.get(self.one).is_some_and(is_within) {
            match self.sources.iter().position(is_within) {
                Some(place) => self.one = place,
                None => {
                    return match self.wanted(feed) {
                        Err(()) => Step::GiveUp,
                        Ok(Some(place)) => self.hand_over_one(place, feed),
                        Ok(None) => self.arrive(in_lap, feed),
                    };
                }
            }
        }
        self.hand_over_one(self.one, feed)
    }

    /// Nothing is under way that is not always.
    fn arrive(&mut self, in_lap: bool, feed: &mut Feed) -> Step {
        let engine = &mut *feed.engine;
        let found = if in_lap {
            let Some(snapshot) = engine.snapshot() else { return Step::GiveUp };
            self.sources.iter_mut().for_each(|source| source.lap = source.gone);
            Search::OnceMore(snapshot, engine.counts())
        } else {
            self.budget = MOST_ROUNDS * self.sources.iter().filter(|s| s.is_live()).map(|s| s.round_len).sum::<usize>();
            Search::Lap
        };
        self.sources.iter_mut().for_each(|source| source.gone = 0);
        self.state = State::Seeking(found);
        Step::Go
    }

    /// The rank, by its place, that has to go on for something that is under way.
    fn wanted(&mut self, feed: &Feed) -> Result<Option<usize>, ()> {
        let engine = &*feed.engine;
        let mut was_listed = false;
        loop {
            let Some(what) = self.todo.last().copied() else {
                if std::mem::replace(&mut was_listed, true) {
                    return Err(());
                }
                self.todo = engine.in_flight_now();
                self.todo.retain(|what| !self.left.contains(what));
                if self.todo.is_empty() {
                    return Ok(None);
                }
                continue;
            };
            let rank = engine.wanted(what);
            let place = rank.and_then(|rank| self.places.get(&rank).copied());
            let place = place.filter(|place| self.sources[*place].is_live());
            self.tries += 1;
            match (rank, place) {
                (None, _) => {
                    self.todo.pop();
                    self.tries = 0;
                }
                (_, Some(place)) if self.tries <= 4 * self.sources[place].round_len => return Ok(Some(place)),
                // Whoever is wanted goes on and on without it.
                _ => {
                    self.todo.pop();
                    self.tries = 0;
                    self.left.push(what);
                    if self.left.len() > MOST_LEFT {
                        return Err(());
                    }
                }
            }
        }
    }

    /// All ranks go through the same lap once more.
    fn go_again(&mut self, feed: &mut Feed) -> Step {
        if let Some(source) = self.sources.iter().find(|source| source.alike() < source.lap) {
            return if source.goes_on() { Step::Wait } else { Step::GiveUp };
        }
        for (place, source) in self.sources.iter_mut().enumerate() {
            if !feed.engine.may_leap_over(source.rank) {
                return Step::GiveUp;
            }
            for _ in 0..source.lap {
                if !source.next_is_plain(feed) {
                    return Step::GiveUp;
                }
                source.hand_over(place, feed);
                self.fed += 1;
            }
        }
        let State::Seeking(Search::OnceMore(snapshot, counts)) = &self.state else { return Step::GiveUp };
        if feed.engine.snapshot().as_ref() != Some(snapshot) {
            return Step::GiveUp;
        }
        self.state = State::Leaping(counts.clone(), feed.engine.counts());
        Step::Go
    }

    /// Counts the laps that are at hand but for one.
    fn leap(&mut self, feed: &mut Feed) -> Step {
        let State::Leaping(from, to) = &self.state else { return Step::GiveUp };
        let going = self.sources.iter().filter(|source| source.lap > 0);
        let laps = going.clone().map(|source| source.alike() / source.lap).min().unwrap_or(0).saturating_sub(1);
        let goes_on = going.clone().all(Source::goes_on);
        if laps > 0 {
            feed.engine.count(from, to, laps as u64);
            for (place, source) in self.sources.iter_mut().enumerate().filter(|(_, source)| source.lap > 0) {
                let calls = laps * source.lap;
                source.leave_out(calls, feed);
                feed.onlooker.leapt(place, calls as u64);
            }
        }
        if goes_on { Step::Wait } else { Step::GiveUp }
    }
}
