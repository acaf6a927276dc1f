//! Stretches: parts of a run, between two moments at which nothing is under way, of which the engine need not be given the
//! calls. For programs whose ranks decide anew what they do next: there are no laps to be counted, but most calls are sound.
//!
//! Ranks are led on one by one, each as far as others need it, as in a library that promises nothing (a send waits for its
//! receive, a collective operation for all), until no rank has a request left or waits for anything. What led there is a stretch:
//!
//! - Each send has met its receive, by communicator, ranks, tag and order (MPI 4.1 section 3.5); where a receive takes
//!   messages from anywhere or with any tag, by its status. Both halves have one type signature, and there is room for what came.
//! - Each request was completed, and whoever waited waited for something that came: no order of events leads to a deadlock,
//!   with the messages that receives have taken.
//! - Whatever else may be said of a call was said when the engine was given one that differs from it in buffers, count, tag and
//!   status alone, or else it is given this one: a stretch with a call, or with calls that make a collective operation together,
//!   that is like none of those in which nothing was found, is handed over call by call.
//!
//! So the engine would be as before behind it. The last stretch is kept back, to be handed over before anything else that is.

mod lanes;
mod meetings;
mod walker;

use super::laps::Source;
use crate::engine::{Engine, SeenBuffers};
use lanes::Lanes;
use meetings::Meetings;
use rustc_hash::{FxHashMap, FxHashSet};
use walker::Walker;

/// So many calls of each rank that goes on are in a stretch at least, in the mean.
const SHORTEST: usize = 16;

/// Most likenesses of calls that are remembered, of all ranks, if these are not more for each than the second.
const MOST_LIKENESSES: usize = 1 << 20;

const LIKENESSES_OF_EACH: usize = 1 << 10;

/// Something that a rank waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cond {
    /// The message with this number of a lane is sent.
    Sent(u32, u32),
    /// There is a receive for it.
    Received(u32, u32),
    /// All have come to this operation of a communicator.
    Full(u32, u32),
    Always,
}

/// The deeds of a rank in a stretch: as `Rank::counts` has them, and receives and probes that took what they liked.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub(super) counts: [u64; 5],
    pub(super) open: u64,
}

impl Done {
    pub(super) fn calls(&self) -> u64 {
        self.counts[0]
    }
}

/// How far the ranks were led on.
pub(super) enum Gone {
    /// Nothing is under way.
    Quiet,
    /// More has to be read.
    Wait,
    /// Something else has to look at what comes.
    Lost,
}

/// Lists and tables of all ranks, as calls need them.
struct Common {
    lanes: Lanes,
    meetings: Meetings,
    /// Buffers of calls that the engine was given.
    seen: SeenBuffers,
    /// The stretch has something about it that the engine has to look at.
    is_new: bool,
    /// New likenesses in it: of which rank.
    likenesses: FxHashSet<(usize, u64)>,
}

/// See the module.
pub(super) struct Stretches {
    walkers: Vec<Walker>,
    common: Common,
    /// Ranks to be led on: each but the first one since the one below waited for it when it came there.
    stack: Vec<usize>,
    /// The rank that is looked at next, and whether one before it in this pass had to be led on.
    cursor: usize,
    has_led: bool,
    /// Calls that each rank is led through at least.
    goal: u64,
    /// The counts of the last stretch, which is kept back.
    kept_back: Option<Vec<Done>>,
}

impl Stretches {
    /// Begins where nothing is under way.
    pub(super) fn new(sources: &[Source], engine: &Engine) -> Stretches {
        let walkers = sources.iter().map(|source| Walker::new(source, engine.request_stride(source.rank()))).collect();
        let common = Common {
            lanes: Lanes::default(),
            meetings: Meetings::default(),
            seen: SeenBuffers::default(),
            is_new: false,
            likenesses: FxHashSet::default(),
        };
        Stretches { walkers, common, stack: Vec::new(), cursor: 0, has_led: false, goal: 1, kept_back: None }
    }

    /// Has the stretch something about it that the engine has to look at?
    pub(super) fn is_new(&self) -> bool {
        self.common.is_new
    }

    /// The counts of the stretch, of each rank: as `Rank::counts` has them.
    pub(super) fn done(&self) -> Vec<Done> {
        self.walkers.iter().map(|walker| walker.done).collect()
    }

    /// The stretch is over, and this one is kept back; gives the one before it.
    pub(super) fn keep_back(&mut self, done: Option<Vec<Done>>) -> Option<Vec<Done>> {
        std::mem::replace(&mut self.kept_back, done)
    }

    pub(super) fn seen(&mut self) -> &mut SeenBuffers {
        &mut self.common.seen
    }

    /// The stretch is over. `is_sound`: the engine has looked at it and found nothing.
    pub(super) fn begin_anew(&mut self, is_sound: bool) {
        let common = &mut self.common;
        let most = (MOST_LIKENESSES / self.walkers.len().max(1)).max(LIKENESSES_OF_EACH);
        if is_sound {
            common.meetings.are_known();
            for (place, likeness) in common.likenesses.drain() {
                self.walkers[place].is_known(likeness, most);
            }
        }
        if common.is_new {
            // More may be known of buffers now.
            self.walkers.iter_mut().for_each(Walker::forget_shapes);
        }
        common.likenesses.clear();
        common.is_new = false;
        common.lanes.clear();
        common.meetings.clear();
        self.walkers.iter_mut().for_each(|walker| walker.done = Done::default());
        (self.cursor, self.has_led, self.goal) = (0, false, 1);
    }

    /// Leads ranks on, each as far as others need it.
    pub(super) fn lead_on(
        &mut self,
        sources: &mut [Source],
        places: &FxHashMap<i32, usize>,
        engine: &mut Engine,
    ) -> Gone {
        loop {
            let Some(&top) = self.stack.last() else {
                match self.choose(sources) {
                    Some(place) => self.push(place),
                    None => return Gone::Quiet,
                }
                continue;
            };
            let Stretches { walkers, common, stack, .. } = self;
            if let Some(cond) = walkers[top].blocked_on(common) {
                match common.culprit(cond) {
                    Some(place) if walkers[place].is_on_stack => {
                        if !self.go_back_from(place) {
                            return Gone::Lost;
                        }
                    }
                    Some(place) => self.push(place),
                    None => return Gone::Lost,
                }
                continue;
            }
            let is_over = match stack.len().checked_sub(2).map(|below| stack[below]) {
                Some(below) => walkers[below].waits.last().is_none_or(|cond| common.is_met(*cond)),
                None => walkers[top].is_through(&sources[top], self.goal),
            };
            if is_over {
                walkers[top].is_on_stack = false;
                stack.pop();
                continue;
            }
            match walkers[top].go(top, &mut sources[top], places, engine, common) {
                Ok(()) => {}
                Err(what) => return what,
            }
        }
    }

    /// The last rank on the stack waits for this one, which is on it as well. Goes back to the first one, from rank to rank as
    /// they wait for each other, that waits for nothing any more, or for one that is not on the stack: others may have gone on
    /// since they were put there. False: they wait for each other in a circle, if messages wait for their receives.
    fn go_back_from(&mut self, mut place: usize) -> bool {
        let Stretches { walkers, common, stack, .. } = self;
        let mut steps = 0;
        while let Some(cond) = walkers[place].blocked_on(common) {
            match common.culprit(cond) {
                Some(next) if walkers[next].is_on_stack => place = next,
                Some(_) => break,
                None => return false,
            }
            steps += 1;
            if steps > stack.len() {
                return false;
            }
        }
        let Some(last) = stack.iter().position(|on_stack| *on_stack == place) else { return false };
        for above in stack.drain(last + 1..) {
            walkers[above].is_on_stack = false;
        }
        true
    }

    fn push(&mut self, place: usize) {
        self.walkers[place].is_on_stack = true;
        self.stack.push(place);
    }

    /// A rank that has to be led on; `None`: nothing is under way, and the stretch is long enough.
    fn choose(&mut self, sources: &[Source]) -> Option<usize> {
        loop {
            let walkers = &mut self.walkers;
            while let Some(walker) = walkers.get_mut(self.cursor) {
                let place = self.cursor;
                self.cursor += 1;
                if walker.blocked_on(&self.common).is_some() || !walker.is_through(&sources[place], self.goal) {
                    self.has_led = true;
                    return Some(place);
                }
            }
            self.cursor = 0;
            if !std::mem::take(&mut self.has_led) {
                let calls: u64 = walkers.iter().map(|walker| walker.done.calls()).sum();
                let live = sources.iter().filter(|source| source.is_live()).count();
                if calls as usize >= SHORTEST * live {
                    return None;
                }
                self.goal *= 2;
                self.has_led = true;
            }
        }
    }
}

impl Common {
    #[inline]
    fn is_met(&self, cond: Cond) -> bool {
        match cond {
            Cond::Sent(lane, number) => self.lanes.is_sent(lane, number),
            Cond::Received(lane, number) => self.lanes.is_received(lane, number),
            Cond::Full(meeting, number) => self.meetings.is_full(meeting, number),
            Cond::Always => true,
        }
    }

    /// The rank, by its place, that has to go on for this.
    fn culprit(&mut self, cond: Cond) -> Option<usize> {
        match cond {
            Cond::Sent(lane, _) => Some(self.lanes.ends(lane).0),
            Cond::Received(lane, _) => Some(self.lanes.ends(lane).1),
            Cond::Full(meeting, number) => self.meetings.absent(meeting, number),
            Cond::Always => None,
        }
    }
}
