//! The events of one rank on their way to the engine, while laps are sought or counted.

use super::super::Feed;
use super::super::batch::{Batch, Next};
use super::super::rounds::Span;
use crate::engine::{CallSeen, WholeCalls};
use std::collections::VecDeque;

/// The events of a rank that were read and not handed over.
pub(in super::super) struct Source {
    pub(super) rank: i32,
    pub(super) batches: VecDeque<Batch>,
    /// Batches that are gone.
    gone_batches: usize,
    pub(super) held: usize,
    /// Memory that the batches hold beside the events, in events.
    pub(super) memory_cost: usize,
    /// Spans of the events that are held, and of those that were handed over last.
    pub(super) spans: VecDeque<Span>,
    /// Events of the first span that were handed over.
    pub(super) passed: usize,
    /// Events of the rank that were handed over or counted.
    pub(super) taken: u64,
    /// The number of the last batch that was taken and kept where it was read.
    pub(super) last_afar: Option<u64>,
    /// There may be more to come.
    pub(super) more: bool,
    /// Calls of its round when laps were begun to be sought.
    pub(super) round_len: usize,
    /// Events handed over in this lap, and those of a whole one.
    pub(super) gone: usize,
    pub(super) lap: usize,
    /// The next call to be looked at: the place of its batch, and its own there; and those in front of it that came whole.
    pub(super) glance: (usize, Next),
    pub(super) whole: WholeCalls,
}

impl Source {
    pub(super) fn new(rank: i32) -> Source {
        Source {
            rank,
            batches: VecDeque::new(),
            gone_batches: 0,
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
        }
    }

    pub(in super::super) fn rank(&self) -> i32 {
        self.rank
    }

    /// The number of the first batch that is here, of all that came.
    pub(in super::super) fn first_batch(&self) -> usize {
        self.gone_batches
    }

    /// A batch by its number.
    pub(in super::super) fn batch(&mut self, number: usize) -> Option<&mut Batch> {
        self.batches.get_mut(number.checked_sub(self.gone_batches)?)
    }

    pub(in super::super) fn may_be_more(&self) -> bool {
        self.more
    }

    pub(in super::super) fn is_live(&self) -> bool {
        self.more || self.held > 0
    }

    /// `returned`: what the batch stands for, if that came before it.
    pub(super) fn push(&mut self, mut batch: Batch, returned: Option<Batch>) {
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

    pub(super) fn drop_first(&mut self) {
        self.gone_batches += 1;
        self.memory_cost -= self.batches.pop_front().map_or(0, |batch| batch.memory_cost());
    }

    /// Events are handed over, or counted.
    pub(super) fn pass(&mut self, events: usize) {
        self.held -= events;
        self.passed += events;
        self.taken += events as u64;
        while let Some(first) = self.spans.front().filter(|first| self.spans.len() > 1 && self.passed >= first.len) {
            self.passed -= first.len;
            self.spans.pop_front();
        }
    }

    /// Has it gone through its loop at least twice?
    pub(super) fn goes_round(&self) -> bool {
        self.spans.len() == 1 && self.spans[0].round_len > 0 && self.passed >= 2 * self.spans[0].round_len
    }

    /// Events at hand that go on as it did when laps were begun to be sought.
    pub(super) fn alike(&self) -> usize {
        self.spans.front().filter(|span| span.round_len == self.round_len).map_or(0, |span| span.len - self.passed)
    }

    /// So many laps are to come until the calls of all others at hand are the same as those of the lap before them.
    pub(super) fn varied_laps(&self) -> usize {
        // A call that is the same as the one a round before it is as the one a lap before it when all rounds between are, too.
        let until = |span: &Span| span.varied + self.lap.saturating_sub(self.round_len);
        let varied = self.spans.front().map_or(0, |span| until(span).saturating_sub(self.passed));
        varied.div_ceil(self.lap.max(1))
    }

    /// Begins to look at the calls that are handed over next.
    pub(super) fn begin_to_look(&mut self) {
        self.glance = (0, self.batches.front_mut().map(Batch::place).unwrap_or_default());
        self.whole.clear();
    }

    /// Looks at the calls of a lap, behind those that were looked at.
    pub(in super::super) fn look_through_lap(&mut self, mut each: impl FnMut(CallSeen, &WholeCalls)) {
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
    pub(super) fn goes_on(&self) -> bool {
        self.more && self.spans.len() == 1
    }

    /// Does the next call leave nothing behind but its operation?
    pub(super) fn next_is_plain(&mut self, feed: &Feed) -> bool {
        let next = self.batches.iter_mut().find_map(Batch::peek);
        next.is_some_and(|event| feed.engine.is_plain(self.rank, &event))
    }

    /// The next event is handed over.
    pub(super) fn hand_over(&mut self, place: usize, feed: &mut Feed) {
        while let Some(batch) = self.batches.front_mut() {
            if let Some(event) = batch.next() {
                feed.take((place, self.rank), event);
                return self.pass(1);
            }
            self.drop_first();
        }
    }

    /// All that is held is handed over: how many events.
    pub(super) fn hand_over_all(&mut self, place: usize, feed: &mut Feed) -> usize {
        let held = self.held;
        self.memory_cost = 0;
        self.gone_batches += self.batches.len();
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
    pub(super) fn leave_out(&mut self, events: usize, feed: &mut Feed) -> usize {
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
