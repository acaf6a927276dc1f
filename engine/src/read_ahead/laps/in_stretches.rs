//! Where ranks do not repeat themselves: they are led to where nothing is under way, and then on in stretches
//! ([`super::super::stretches`]), of which most are counted.

use super::super::Feed;
use super::super::stretches::{Done, Gone, Stretches};
use super::{FIRST_PAUSE, LONGEST_PAUSE, Laps, State, Step, WORTHWHILE, most_held};
use std::sync::atomic::Ordering;

/// So often a rank is led on for one thing that is under way before stretches are looked at.
const MOST_TO_ALIGN: usize = 1 << 12;

/// With more operations in flight, and more than so many of each rank, these are not led on for what is under way.
const MOST_IN_FLIGHT: usize = 1 << 10;

const IN_FLIGHT_OF_EACH: usize = 8;

/// So many stretches, one after the other, may have to be handed over.
const MOST_HANDED: u32 = 64;

/// Events of each rank, in the mean, before stretches are looked at for the first time: laps are counted in less time.
const BEFORE_STRETCHES: usize = 1 << 11;

/// With more ranks than this nothing is held back.
const MOST_RANKS: usize = 1 << 12;

/// When stretches are looked at.
pub(super) struct Stretching {
    /// Events handed over or counted, behind which they are, and how many more it will be after the next time in vain.
    next: usize,
    pause: usize,
    /// Stretches, one after the other, that had to be handed over, and calls that were counted in others.
    handed: u32,
    counted: usize,
}

impl Stretching {
    pub(super) fn new(ranks: usize) -> Stretching {
        let next = if ranks <= MOST_RANKS { BEFORE_STRETCHES * ranks } else { usize::MAX };
        Stretching { next, pause: FIRST_PAUSE, handed: 0, counted: 0 }
    }

    /// Are they to be looked at behind so many events?
    pub(super) fn may_begin(&self, fed: usize) -> bool {
        fed >= self.next
    }

    /// Something else has to look at what comes.
    pub(super) fn leave(&mut self, fed: usize) {
        self.pause = match self.counted >= WORTHWHILE * self.pause {
            true => FIRST_PAUSE,
            false => (self.pause * 2).min(LONGEST_PAUSE),
        };
        self.next = fed + self.pause;
    }
}

impl Laps {
    /// From now on, ranks are led on to where nothing is under way. This and the two below are kept apart from what is done for
    /// each lap, whose code is quicker without them.
    #[inline(never)]
    pub(super) fn begin_to_align(&mut self) {
        (self.todo, self.left, self.tries) = (Vec::new(), Vec::new(), 0);
        self.budget = most_held(self.sources.len());
        (self.stretching.handed, self.stretching.counted) = (0, 0);
        self.state = State::Aligning;
    }

    /// Leads ranks on to where nothing is under way.
    #[inline(never)]
    pub(super) fn align(&mut self, feed: &mut Feed) -> Step {
        // Some ranks are far ahead of those that they talk with.
        if feed.engine.number_in_flight() > MOST_IN_FLIGHT.max(IN_FLIGHT_OF_EACH * self.sources.len()) {
            return Step::GiveUp;
        }
        match self.wanted(feed, |_| MOST_TO_ALIGN) {
            Err(()) => Step::GiveUp,
            Ok(Some(place)) => {
                let source = &mut self.sources[place];
                if source.held == 0 {
                    return if source.more { Step::Wait } else { Step::GiveUp };
                }
                if self.budget == 0 {
                    return Step::GiveUp;
                }
                source.hand_over(place, feed);
                self.budget -= 1;
                self.fed += 1;
                Step::Go
            }
            Ok(None) => self.begin_stretches(None, feed),
        }
    }

    /// Nothing is under way: what comes is looked at in stretches.
    fn begin_stretches(&mut self, stretches: Option<Box<Stretches>>, feed: &mut Feed) -> Step {
        let may_leave_out = feed.engine.may_leave_out()
            && self.sources.iter().all(|source| !source.is_live() || feed.engine.may_leap_over(source.rank));
        match feed.engine.snapshot() {
            Some(snapshot) if may_leave_out && snapshot.is_nothing_under_way() => {
                let stretches = stretches.unwrap_or_else(|| Box::new(Stretches::new(&self.sources, feed.engine)));
                self.state = State::InStretches(stretches, snapshot);
                Step::Go
            }
            _ => {
                self.state = State::Aligning;
                Step::GiveUp
            }
        }
    }

    /// Looks at the next stretch, and counts the one before it.
    #[inline(never)]
    pub(super) fn go_through_stretch(&mut self, feed: &mut Feed) -> Step {
        let State::InStretches(stretches, _) = &mut self.state else { return Step::GiveUp };
        match stretches.lead_on(&mut self.sources, &self.places, feed.engine) {
            Gone::Wait => return Step::Wait,
            Gone::Lost => return Step::GiveUp,
            Gone::Quiet => {}
        }
        let (done, is_new) = (stretches.done(), stretches.is_new());
        if done.iter().all(|done| done.calls() == 0) {
            return Step::Wait;
        }
        // This one has calls of each rank in it that was in that one, so that the engine sees the last ones of all.
        if let Some(before) = stretches.keep_back((!is_new).then(|| done.clone())) {
            for (place, before) in before.into_iter().enumerate().filter(|(_, before)| before.calls() > 0) {
                self.count_calls(place, before, feed);
            }
        }
        if !is_new {
            self.stretching.handed = 0;
            let State::InStretches(stretches, _) = &mut self.state else { return Step::GiveUp };
            stretches.begin_anew(true);
            return Step::Go;
        }
        let State::InStretches(mut stretches, snapshot) = std::mem::replace(&mut self.state, State::Aligning) else {
            return Step::GiveUp;
        };
        for (place, done) in done.iter().enumerate() {
            let source = &mut self.sources[place];
            for _ in 0..done.calls() {
                source.hand_over(place, feed);
                self.fed += 1;
                feed.engine.halves_of_last(source.rank).iter().for_each(|half| stretches.seen().add(half));
            }
        }
        self.stretching.handed += 1;
        let is_sound = feed.engine.snapshot().is_some_and(|behind| behind == snapshot);
        stretches.begin_anew(is_sound);
        if self.stretching.handed > MOST_HANDED {
            return Step::GiveUp;
        }
        self.begin_stretches(Some(stretches), feed)
    }

    /// Counts calls of a stretch.
    fn count_calls(&mut self, place: usize, done: Done, feed: &mut Feed) {
        let source = &mut self.sources[place];
        let calls = done.calls() as usize;
        feed.engine.count_calls(source.rank, done.counts, done.open);
        source.leave_out(calls, feed);
        feed.onlooker.leapt(place, done.calls());
        self.stretching.counted += calls;
        self.fed += calls;
        feed.counts_laps.store(true, Ordering::Relaxed);
    }
}
