//! Leaps over laps: where every rank does the same again and again, and the engine finds after one lap of all of them what it
//! found after the lap before, the laps to come are only counted, as long as they go on alike. See
//! [`crate::engine`].
//!
//! ```text
//! Plain    what was read is handed over at once, until all ranks repeat themselves
//! Seeking  ranks are led on one by one to where nothing of a lap is under way, then through one lap and another
//! Leaping  laps are counted; the last one is kept back, to be handed over when one of the ranks does something else
//! ```
//!
//! A lap may differ from the one before it in buffers, counts and tags of messages, and in statuses. Then it is counted if its
//! messages go together ([`super::messages`]); if they do not, it is handed over call by call, and if the engine is as before
//! behind it, laps are counted again.

use super::batch::Next;
use super::elsewhere::LapsAfar;
use super::elsewhere::counting::{CountOrder, LapsOfRank};
use super::messages::{Listing, Messages};
use super::rounds::Span;
use super::{Batch, Feed, Turn};
use crate::engine::{CallSeen, Counts, InFlight, SeenBuffers, Snapshot, WholeCalls};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// Events that are held back at most while laps are sought or counted: of a thousand ranks two laps of a hundred calls, and more
/// than a turn.
const MOST_HELD: usize = 1 << 19;

/// Events that are handed over before laps are sought again, at first and after many times in vain.
const FIRST_PAUSE: usize = 1 << 12;

const LONGEST_PAUSE: usize = 1 << 22;

/// So often each rank is led through its round before it is given up.
const MOST_ROUNDS: usize = 32;

/// One turn in so many is looked at how many events are held back.
const OFTEN: u32 = 16;

/// Operations that stay under way while laps are gone through.
const MOST_LEFT: usize = 1 << 6;

/// So often a lap may have to be handed over call by call after fewer than [`WORTHWHILE`] that were counted, before the search
/// is given up. Its messages do not go together, or it has a finding.
const MOST_MISFITS: u32 = 16;

const WORTHWHILE: usize = 8;

/// So many laps are counted here, at first, before others count them where they read them; so many times as many if there came one
/// that they could not tell of before they had counted so many.
const WORTH_ASKING: usize = 8;

const LONGER_IN_VAIN: usize = 8;

const WORTH_HAVING_ASKED: u64 = 256;

/// The events of a rank that were read and not handed over.
pub(super) struct Source {
    rank: i32,
    batches: VecDeque<Batch>,
    held: usize,
    /// Memory that the batches hold beside the events, in events.
    memory_cost: usize,
    /// Spans of the events that are held, and of those that were handed over last.
    spans: VecDeque<Span>,
    /// Events of the first span that were handed over.
    passed: usize,
    /// Events of the rank that were handed over or counted.
    taken: u64,
    /// The number of the last batch that was taken and kept where it was read.
    last_afar: Option<u64>,
    /// There may be more to come.
    more: bool,
    /// Calls of its round when laps were begun to be sought.
    round_len: usize,
    /// Events handed over in this lap, and those of a whole one.
    gone: usize,
    lap: usize,
    /// The next call to be looked at: the place of its batch, and its own there; and those in front of it that came whole.
    glance: (usize, Next),
    whole: WholeCalls,
}

impl Source {
    pub(super) fn rank(&self) -> i32 {
        self.rank
    }

    fn is_live(&self) -> bool {
        self.more || self.held > 0
    }

    /// `returned`: what the batch stands for, if that came before it.
    fn push(&mut self, mut batch: Batch, returned: Option<Batch>) {
        for span in batch.take_spans() {
            match self.spans.back_mut() {
                Some(last) if span.goes_on && last.round_len == span.round_len => {
                    if span.varied > 0 {
                        last.varied = last.len + span.varied;
                    }
                    last.len += span.len;
                }
                _ => self.spans.push_back(span),
            }
        }
        if let Some(number) = batch.number_afar() {
            self.last_afar = Some(number);
        }
        if let Some(returned) = returned {
            // Nothing was left out of it.
            batch.comes_back(returned, |_| {});
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
        self.taken += events as u64;
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

    /// So many laps are to come until the calls of all others at hand are the same as those of the lap before them.
    fn varied_laps(&self) -> usize {
        // A call that is the same as the one a round before it is as the one a lap before it when all rounds between are, too.
        let until = |span: &Span| span.varied + self.lap.saturating_sub(self.round_len);
        let varied = self.spans.front().map_or(0, |span| until(span).saturating_sub(self.passed));
        varied.div_ceil(self.lap.max(1))
    }

    /// Begins to look at the calls that are handed over next.
    fn begin_to_look(&mut self) {
        self.glance = (0, self.batches.front_mut().map(Batch::place).unwrap_or_default());
        self.whole.clear();
    }

    /// Looks at the calls of a lap, behind those that were looked at.
    pub(super) fn look_through_lap(&mut self, mut each: impl FnMut(CallSeen, &WholeCalls)) {
        let (batch, next) = &mut self.glance;
        let whole = &mut self.whole;
        let mut left = self.lap;
        while left > 0
            && let Some(here) = self.batches.get(*batch)
        {
            left -= here.look(next, left, |call| {
                if let CallSeen::Whole(call) = call {
                    whole.note(call);
                }
                each(call, whole);
            });
            if left > 0 {
                *batch += 1;
                *next = self.batches.get_mut(*batch).map(Batch::place).unwrap_or_default();
            }
        }
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

    /// The next events are left out: their cost.
    fn leave_out(&mut self, events: usize, feed: &mut Feed) -> usize {
        let (mut left, memory_cost) = (events, self.memory_cost);
        while let Some(batch) = self.batches.front_mut() {
            left -= batch.leave_out(left, |event| feed.engine.keep(self.rank, event));
            if left == 0 {
                break;
            }
            self.drop_first();
        }
        self.pass(events);
        events + memory_cost - self.memory_cost
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
    Leaping(Box<Leap>),
}

/// How laps are counted.
struct Leap {
    snapshot: Snapshot,
    /// The counts before and after a lap.
    from: Counts,
    to: Counts,
    /// `None`: only laps are counted that are the same as the one before them.
    messages: Option<Messages>,
    /// Laps that were counted, and with how many of them it is worth to have others count them.
    counted: usize,
    ask_at: usize,
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
    /// One that did not repeat itself when that was looked at last, or that was led on last, or of which no lap was at hand.
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
    /// See [`MOST_MISFITS`].
    misfits: u32,
    /// Turns after which something was held back.
    turns: u32,
    seen: SeenBuffers,
    /// Laps are to be counted where they are read.
    afar: Option<LapsAfar>,
    /// So often that was said, and how many laps are counted here before it is said again.
    periods: u64,
    worth_asking: usize,
    /// Batches that came back before the turns with which they belong.
    returned: FxHashMap<(usize, u64), Batch>,
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
            taken: 0,
            last_afar: None,
            more: true,
            round_len: 0,
            gone: 0,
            lap: 0,
            glance: Default::default(),
            whole: WholeCalls::default(),
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
            misfits: 0,
            turns: 0,
            seen: SeenBuffers::default(),
            afar: None,
            periods: 0,
            worth_asking: WORTH_ASKING,
            returned: FxHashMap::default(),
        }
    }

    /// Takes the events that one turn has read of one rank.
    pub(super) fn take(&mut self, turn: Turn, feed: &mut Feed) {
        let Some(source) = self.sources.get_mut(turn.place) else { return };
        source.more = turn.more;
        if let (Some(afar), Some(laps), Some(helpers)) = (&mut self.afar, turn.laps, &feed.helpers) {
            afar.note(helpers.of(turn.place), *laps);
        }
        let returned = turn.batch.number_afar().and_then(|number| self.returned.remove(&(turn.place, number)));
        source.push(turn.batch, returned);
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
                Step::Wait if matches!(self.state, State::Plain) || !self.holds_too_much() => return,
                Step::Wait | Step::GiveUp => return self.give_up(feed),
            }
        }
    }

    /// Looked at now and then: one turn holds little.
    fn holds_too_much(&mut self) -> bool {
        self.turns = self.turns.wrapping_add(1);
        self.turns.is_multiple_of(OFTEN)
            && self.sources.iter().map(|s| s.held + s.memory_cost).sum::<usize>() > MOST_HELD
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
        self.bring_back(feed);
        self.hand_over_all(feed);
    }

    /// Has laps counted where they are read, from somewhere on.
    fn ask(&mut self, feed: &Feed) {
        let State::Leaping(leap) = &self.state else { return };
        let (Some(helpers), Some(messages)) = (&feed.helpers, &leap.messages) else { return };
        if self.afar.is_some() || leap.counted < leap.ask_at {
            return;
        }
        let Some((halves, tags_stay)) = messages.halves_of_laps(feed.engine) else { return };
        self.periods += 1;
        let of_helper = |rank| self.places.get(&rank).map(|place| helpers.of(*place));
        let count = helpers.source_of.iter().max().map_or(0, |last| last + 1);
        let order = |helper| CountOrder {
            ranks: Vec::new(),
            tags_stay,
            seen: self.seen.of_ranks(|rank| of_helper(rank) == Some(helper)),
            from: 0,
            period: self.periods,
        };
        let mut orders: Vec<CountOrder> = (0..count).map(order).collect();
        for (place, (source, halves)) in self.sources.iter().zip(halves).enumerate().filter(|(_, (s, _))| s.lap > 0) {
            let modules = feed.engine.modules_of(source.rank);
            let laps = LapsOfRank { place, start: source.taken, lap: source.lap as u64, halves, modules };
            orders[helpers.of(place)].ranks.push(laps);
        }
        self.afar = Some(LapsAfar::new(self.periods, &orders));
        helpers.count(orders);
    }

    /// Laps are counted here again. All that was not counted is here.
    fn bring_back(&mut self, feed: &mut Feed) {
        if self.afar.take().is_none() {
            return;
        }
        let Some(helpers) = &feed.helpers else { return };
        let returned = helpers.bring_back();
        // Some of an earlier time may still be waited for.
        self.returned.extend(returned.into_iter().map(|(place, number, batch)| ((place, number), batch)));
        for (place, source) in self.sources.iter_mut().enumerate() {
            for batch in &mut source.batches {
                let back = batch.number_afar().and_then(|number| self.returned.remove(&(place, number)));
                if let Some(back) = back {
                    batch.comes_back(back, |event| feed.engine.keep(source.rank, event));
                }
            }
        }
        // The others were counted, or their turns are still to be taken.
        let last = |place: usize| self.sources.get(place).and_then(|source| source.last_afar);
        self.returned.retain(|(place, number), _| last(*place).is_none_or(|last| *number > last));
    }

    /// Sums did not tell that a lap is as it should be.
    fn doubt(&mut self) {
        let counted = self.afar.as_ref().map_or(0, LapsAfar::counted_afar);
        self.worth_asking = match counted >= WORTH_HAVING_ASKED {
            true => WORTH_ASKING,
            false => self.worth_asking.saturating_mul(LONGER_IN_VAIN),
        };
        if let State::Leaping(leap) = &mut self.state {
            leap.ask_at = leap.counted + self.worth_asking;
        }
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
        (self.todo, self.left, self.tries, self.misfits) = (Vec::new(), Vec::new(), 0, 0);
        self.seen = SeenBuffers::default();
        self.budget = MOST_HELD;
        self.state = State::Seeking(Search::Start);
    }

    fn give_up(&mut self, feed: &mut Feed) {
        self.bring_back(feed);
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
        // An operation that is under way could take messages of the lap, with other tags.
        let State::Seeking(Search::OnceMore(before, _)) = &self.state else { return Step::GiveUp };
        let mut listing = before.is_nothing_under_way().then(|| Listing::new(self.sources.len()));
        for (place, source) in self.sources.iter_mut().enumerate() {
            if !feed.engine.may_leap_over(source.rank) {
                return Step::GiveUp;
            }
            for at in 0..source.lap {
                if !source.next_is_plain(feed) {
                    return Step::GiveUp;
                }
                source.hand_over(place, feed);
                self.fed += 1;
                if let Some(listing) = &mut listing {
                    listing.note(source, place, at, feed.engine, &mut self.seen);
                }
            }
        }
        let State::Seeking(Search::OnceMore(snapshot, from)) = std::mem::replace(&mut self.state, State::Plain) else {
            return Step::GiveUp;
        };
        let Some(behind) = feed.engine.snapshot() else {
            self.state = State::Seeking(Search::Start);
            return Step::GiveUp;
        };
        if behind != snapshot {
            self.state = State::Seeking(Search::OnceMore(behind, feed.engine.counts()));
            // Behind a lap with a finding of its own, the next one may be as those before it.
            return if self.misfits > 0 && self.may_go_on_misfitting() { Step::Go } else { Step::GiveUp };
        }
        let (to, messages) = (feed.engine.counts(), listing.and_then(Listing::messages));
        feed.counts_laps.store(true, Ordering::Relaxed);
        self.state =
            State::Leaping(Box::new(Leap { snapshot, from, to, messages, counted: 0, ask_at: self.worth_asking }));
        Step::Go
    }

    /// Counts the laps that are at hand but for one.
    fn leap(&mut self, feed: &mut Feed) -> Step {
        let State::Leaping(leap) = &mut self.state else { return Step::GiveUp };
        let has_none = |source: &Source| source.alike() < 2 * source.lap;
        if self.sources.get(self.one).is_some_and(|source| has_none(source) && source.goes_on()) {
            return Step::Wait;
        }
        let going = self.sources.iter().filter(|source| source.lap > 0);
        let at_hand = going.clone().map(|source| source.alike() / source.lap).min().unwrap_or(0).saturating_sub(1);
        let varied = going.clone().map(Source::varied_laps).max().unwrap_or(0).min(at_hand);
        let goes_on = going.clone().all(Source::goes_on);
        let (mut sound, here) = (0, self.afar.as_ref().map_or(varied, |afar| afar.here().min(varied)));
        if here > 0 {
            self.sources.iter_mut().for_each(Source::begin_to_look);
            while sound < here
                && leap.messages.as_mut().is_some_and(|m| m.go_together(&mut self.sources, feed.engine, &self.seen))
            {
                sound += 1;
            }
        }
        let is_seen = sound < here;
        while !is_seen && sound < varied && self.afar.as_ref().is_some_and(|afar| afar.is_sound(sound)) {
            sound += 1;
        }
        let laps = if sound == varied { at_hand } else { sound };
        if laps > 0 {
            leap.counted += laps;
            feed.engine.count(&leap.from, &leap.to, laps as u64);
            for (place, source) in self.sources.iter_mut().enumerate().filter(|(_, source)| source.lap > 0) {
                let calls = laps * source.lap;
                let cost = source.leave_out(calls, feed);
                if let (Some(afar), Some(helpers)) = (&mut self.afar, &feed.helpers) {
                    afar.add(helpers.of(place), cost);
                }
                feed.onlooker.leapt(place, calls as u64);
            }
            if let (Some(afar), Some(helpers)) = (&mut self.afar, &feed.helpers) {
                afar.count(laps).for_each(|(helper, counted)| helpers.counted(helper, counted));
            }
        }
        if sound < varied && !is_seen {
            self.doubt();
            self.bring_back(feed);
            return Step::Go;
        }
        if sound < varied {
            return self.go_through_misfit(feed);
        }
        self.ask(feed);
        self.one = self.sources.iter().position(has_none).unwrap_or(0);
        if goes_on { Step::Wait } else { Step::GiveUp }
    }

    /// The messages of the next lap do not go together, or nobody knows.
    fn go_through_misfit(&mut self, feed: &mut Feed) -> Step {
        self.bring_back(feed);
        let State::Leaping(leap) = std::mem::replace(&mut self.state, State::Seeking(Search::Start)) else {
            return Step::GiveUp;
        };
        if leap.counted >= WORTHWHILE {
            self.misfits = 0;
        }
        if leap.messages.is_none() || !self.may_go_on_misfitting() {
            return Step::GiveUp;
        }
        self.state = State::Seeking(Search::OnceMore(leap.snapshot, feed.engine.counts()));
        Step::Go
    }

    /// Another lap is handed over call by call: is it worth to go on after it?
    fn may_go_on_misfitting(&mut self) -> bool {
        self.misfits += 1;
        self.misfits <= MOST_MISFITS
    }
}
