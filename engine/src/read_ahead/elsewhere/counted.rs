//! Laps that others count, as the process with the engine sees them.

use super::super::Source;
use super::counting::LapSums;
use super::{CountOrder, Returned, Wish, Wishes};
use std::cell::RefCell;
use std::collections::VecDeque;

/// The processes that read, and the way to them.
pub(in super::super) struct Helpers<'a> {
    pub(in super::super) sources: &'a RefCell<Vec<Source>>,
    /// By place, which of the sources the rank comes from.
    pub(in super::super) source_of: &'a [usize],
    pub(in super::super) wishes: Wishes,
}

impl Helpers<'_> {
    /// Which of them reads the rank at this place.
    pub(in super::super) fn of(&self, place: usize) -> usize {
        self.source_of.get(place).copied().unwrap_or(0)
    }

    pub(in super::super) fn count(&self, orders: Vec<CountOrder>) {
        self.wish(Wish::Count(orders));
    }

    /// So many laps of the last order are counted: one of the helpers is to know it.
    pub(in super::super) fn counted(&self, helper: usize, laps: u64) {
        self.wish(Wish::Counted(helper, laps));
    }

    fn wish(&self, wish: Wish) {
        // Nobody may be there any more: then all has come that will.
        _ = self.wishes.wishes.send(wish);
    }

    /// All that they keep. Turns that come in front of it wait.
    pub(in super::super) fn bring_back(&self) -> Vec<Returned> {
        self.wish(Wish::BringBack);
        // If nobody answers, all have been told to stop, and have given back what they kept.
        let is_any = self.wishes.answers.recv().unwrap_or(true);
        let mut sources = self.sources.borrow_mut();
        sources.iter_mut().flat_map(|source| source.bring_back(is_any)).collect()
    }
}

/// Laps that others count.
pub(in super::super) struct LapsAfar {
    /// Tells orders apart.
    period: u64,
    /// Laps that were counted here since the order.
    counted: u64,
    /// The first lap that others count, when they have begun.
    from: Option<u64>,
    /// The number of the lap whose sums are the first ones.
    first: u64,
    helpers: Vec<Helper>,
}

/// A helper that counts laps.
struct Helper {
    /// `None`: it has no rank that goes round.
    sums: Option<VecDeque<(u64, bool)>>,
    /// Events that were counted, by their cost, since it was told of that.
    untold: usize,
}

/// A helper is told after so many of its events were counted. It keeps some 32 times as many at most, so that few orders wait for
/// one that is sending.
const WORTH_TELLING: usize = 1 << 15;

impl LapsAfar {
    /// The orders that were given last, to all helpers.
    pub(in super::super) fn new(period: u64, orders: &[CountOrder]) -> LapsAfar {
        let helper = |order: &CountOrder| Helper { sums: (!order.ranks.is_empty()).then(VecDeque::new), untold: 0 };
        LapsAfar { period, counted: 0, from: None, first: 0, helpers: orders.iter().map(helper).collect() }
    }

    /// A helper has said this.
    pub(in super::super) fn note(&mut self, helper: usize, said: LapSums) {
        if said.period != self.period {
            return;
        }
        if self.from.is_none() {
            (self.from, self.first) = (Some(said.from), said.from);
        }
        if let Some(sums) = self.helpers.get_mut(helper).and_then(|helper| helper.sums.as_mut()) {
            sums.extend(said.laps);
        }
    }

    /// So many of the next laps are here.
    pub(in super::super) fn here(&self) -> usize {
        self.from.map_or(usize::MAX, |from| from.saturating_sub(self.counted) as usize)
    }

    /// Do the sums say of the lap that begins so many laps behind those that were counted that its messages go together?
    pub(in super::super) fn is_sound(&self, ahead: usize) -> bool {
        let place = (self.counted + ahead as u64).checked_sub(self.first).filter(|_| self.from.is_some());
        let Some(place) = place.map(|place| place as usize) else { return false };
        let mut all = 0u64;
        for sums in self.helpers.iter().filter_map(|helper| helper.sums.as_ref()) {
            match sums.get(place) {
                Some((sum, true)) => all = all.wrapping_add(*sum),
                _ => return false,
            }
        }
        all == 0
    }

    /// A helper keeps so much, by its cost, that was counted.
    pub(in super::super) fn add(&mut self, helper: usize, cost: usize) {
        self.helpers.get_mut(helper).into_iter().for_each(|helper| helper.untold += cost);
    }

    /// Counts laps. Gives the helpers that are to know of it, and how many there are now.
    pub(in super::super) fn count(&mut self, laps: usize) -> impl Iterator<Item = (usize, u64)> {
        self.counted += laps as u64;
        while self.first < self.counted && self.from.is_some() {
            self.first += 1;
            self.helpers.iter_mut().filter_map(|helper| helper.sums.as_mut()).for_each(|sums| _ = sums.pop_front());
        }
        let counted = self.counted;
        let helpers = self.helpers.iter_mut().enumerate().filter(|_| self.from.is_some());
        helpers.filter_map(move |(place, helper)| {
            (helper.untold >= WORTH_TELLING).then(|| {
                helper.untold = 0;
                (place, counted)
            })
        })
    }

    /// Laps that others have counted.
    pub(in super::super) fn counted_afar(&self) -> u64 {
        self.from.map_or(0, |from| self.counted.saturating_sub(from))
    }
}
