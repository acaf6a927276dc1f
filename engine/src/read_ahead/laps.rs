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

mod in_stretches;
mod source;

use super::elsewhere::LapsAfar;
use super::elsewhere::counting::{CountOrder, LapsOfRank};
use super::messages::{Listing, Messages};
use super::stretches::Stretches;
use super::{Batch, Feed, Turn};
use crate::engine::{Counts, InFlight, SeenBuffers, Snapshot};
use in_stretches::Stretching;
use rustc_hash::FxHashMap;
pub(super) use source::Source;
use std::sync::atomic::Ordering;

/// Events that are held back at most while laps are sought or counted, or so many of each rank: two laps of a hundred calls, and
/// more than a turn.
const MOST_HELD: usize = 1 << 19;

const HELD_OF_EACH: usize = 1 << 9;

/// The same, for so many ranks.
pub(super) fn most_held(ranks: usize) -> usize {
    MOST_HELD.max(HELD_OF_EACH * ranks)
}

/// Events that are handed over before laps are sought again, at first and after many times in vain.
const FIRST_PAUSE: usize = 1 << 12;

const LONGEST_PAUSE: usize = 1 << 22;

/// So often each rank is led through its round before it is given up.
const MOST_ROUNDS: usize = 32;

/// After so many turns it is looked at how many events are held back.
pub(super) const TURNS_BETWEEN_LOOKS: u32 = 16;

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
    /// Ranks do not repeat themselves. They are led to where nothing is under way, and then on in stretches.
    Aligning,
    InStretches(Box<Stretches>, Snapshot),
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
    /// Events handed over, or counted in stretches, and when laps are sought again.
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
    stretching: Stretching,
    /// Batches that came back before the turns with which they belong.
    returned: FxHashMap<(usize, u64), Batch>,
}

impl Laps {
    pub(super) fn new(ranks: impl Iterator<Item = i32>) -> Laps {
        let sources: Vec<Source> = ranks.map(Source::new).collect();
        Laps {
            places: sources.iter().enumerate().map(|(place, source)| (source.rank, place)).collect(),
            stretching: Stretching::new(sources.len()),
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
            if self.fed >= self.next && self.all_repeat_themselves() {
                self.begin(feed);
            } else if self.stretching.may_begin(self.fed) && feed.may_leap() {
                self.begin_to_align();
            } else {
                return;
            }
        } else if matches!(self.state, State::Aligning | State::InStretches(..))
            && self.fed >= self.next
            && self.all_repeat_themselves()
        {
            self.give_up(feed);
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
        self.turns.is_multiple_of(TURNS_BETWEEN_LOOKS)
            && self.sources.iter().map(|s| s.held + s.memory_cost).sum::<usize>() > most_held(self.sources.len())
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
        self.budget = most_held(self.sources.len());
        self.state = State::Seeking(Search::Start);
    }

    fn give_up(&mut self, feed: &mut Feed) {
        self.bring_back(feed);
        let state = std::mem::replace(&mut self.state, State::Plain);
        self.hand_over_all(feed);
        match state {
            State::Aligning | State::InStretches(..) => self.stretching.leave(self.fed),
            State::Leaping(..) => {
                self.pause = FIRST_PAUSE;
                self.next = self.fed + self.pause;
            }
            _ => {
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                self.next = self.fed + self.pause;
            }
        }
    }

    fn step(&mut self, feed: &mut Feed) -> Step {
        match &self.state {
            State::Plain => Step::Wait,
            State::Leaping(..) => self.leap(feed),
            State::Aligning => self.align(feed),
            State::InStretches(..) => self.go_through_stretch(feed),
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
                    return match self.wanted(feed, |source| 4 * source.round_len) {
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
    fn wanted(&mut self, feed: &Feed, most: impl Fn(&Source) -> usize) -> Result<Option<usize>, ()> {
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
                (_, Some(place)) if self.tries <= most(&self.sources[place]) => return Ok(Some(place)),
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
        // Ranks are read in turns: the next one without a lap is near the last one.
        let has_none = |place: &usize| self.sources.get(*place).is_some_and(|s| s.alike() < 2 * s.lap);
        if let Some(place) = (self.one..self.sources.len()).chain(0..self.one).find(has_none)
            && self.sources.get(place).is_some_and(Source::goes_on)
        {
            self.one = place;
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
