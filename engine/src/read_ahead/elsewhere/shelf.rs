//! The events that a process has read and keeps, since another one counts them only.

use super::super::Turn;
use super::super::batch::Batch;
use super::super::laps::{TURNS_BETWEEN_LOOKS, most_held};
use super::counting::{CountOrder, LapSums, LapsOfRank, Positions};
use super::{Share, Turns};
use crate::arg_places::Place;
use crate::engine::{CallSeen, Known, SeenBuffers, WholeCalls};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use trace_reader::reader::Repeat;

/// See the module.
pub struct Shelf {
    ranks: Vec<RankOnShelf>,
    /// Their places among all ranks.
    places: FxHashMap<usize, usize>,
    counting: Option<Counting>,
    /// Events that are kept, and what they hold beside; and the most of one batch.
    cost: u64,
    highest: u64,
    /// Events that are kept at most, by their cost: twice as many as the process with the engine holds before it wants to have
    /// them. It looks at that after some turns, and may not have said of some that they are counted.
    most: u64,
}

/// A batch that is kept.
struct Kept {
    number: u64,
    /// Events of its rank up to its end.
    end: u64,
    cost: u64,
    batch: Batch,
}

#[derive(Default)]
struct RankOnShelf {
    place: usize,
    /// Its events that went through.
    events: u64,
    /// The number of the next batch that is kept.
    number: u64,
    kept: VecDeque<Kept>,
    /// Calls that came whole, for values that others have in common with them.
    whole: WholeCalls,
    laps: Option<LapsAtHand>,
    /// Its events in front of the first lap, and in each, also if nothing of it is counted any more.
    lap: Option<(u64, u64)>,
}

/// How far the laps of a rank are counted.
struct LapsAtHand {
    of: LapsOfRank,
    /// The next call in its lap, and the number of that.
    at: u64,
    number: u64,
    /// Events in a row that were the same as those a round before them.
    same: u64,
    /// By half. `None`: nothing that sums could say.
    parts: Vec<Option<u64>>,
    sum: u64,
    without: usize,
}

struct Counting {
    tags_stay: bool,
    seen: SeenBuffers,
    from: u64,
    period: u64,
    /// It was said from where on laps are counted.
    is_said: bool,
    /// Ranks that go round.
    ranks: usize,
    /// The laps that some of these have gone through, and the number of the first.
    open: VecDeque<OpenLap>,
    first: u64,
}

struct OpenLap {
    sum: u64,
    is_sound: bool,
    left: usize,
}

struct Modules<'a>(&'a [(u64, u64)]);

impl Known for Modules<'_> {
    fn kept_int(&self, _: i32, _: &Repeat, _: Place) -> Option<i64> {
        // All were seen that are kept.
        None
    }

    fn is_in_module(&self, _: i32, address: u64) -> bool {
        self.0.iter().any(|(from, to)| (*from..*to).contains(&address))
    }
}

impl Counting {
    /// A rank has gone through this lap.
    fn close(&mut self, number: u64, sum: u64, is_sound: bool) {
        let Some(place) = number.checked_sub(self.first) else { return };
        while self.open.len() as u64 <= place {
            self.open.push_back(OpenLap { sum: 0, is_sound: true, left: self.ranks });
        }
        if let Some(lap) = self.open.get_mut(place as usize) {
            lap.sum = lap.sum.wrapping_add(sum);
            lap.is_sound &= is_sound;
            lap.left = lap.left.saturating_sub(1);
        }
    }

    /// Laps that all ranks have gone through since the last time.
    fn take(&mut self) -> Option<LapSums> {
        let mut laps = Vec::new();
        while let Some(lap) = self.open.pop_front_if(|lap| lap.left == 0) {
            laps.push((lap.sum, lap.is_sound));
            self.first += 1;
        }
        let is_news = !std::mem::replace(&mut self.is_said, true) || !laps.is_empty();
        is_news.then_some(LapSums { period: self.period, from: self.from, laps })
    }
}

impl LapsAtHand {
    fn new(of: LapsOfRank, events: u64) -> LapsAtHand {
        let gone = events.saturating_sub(of.start);
        let (at, number) = (gone % of.lap.max(1), gone / of.lap.max(1));
        let (parts, without) = (vec![None; of.halves.len()], of.halves.len());
        LapsAtHand { of, at, number, same: 0, parts, sum: 0, without }
    }

    /// So many calls have gone by that were the same as those of the lap before.
    fn pass(&mut self, mut calls: u64, counting: &mut Counting) {
        while calls > 0 {
            let some = calls.min(self.of.lap - self.at);
            self.at += some;
            calls -= some;
            self.end_lap(counting);
        }
    }

    #[inline]
    fn end_lap(&mut self, counting: &mut Counting) {
        if self.at == self.of.lap {
            counting.close(self.number, self.sum, self.without == 0);
            self.at = 0;
            self.number += 1;
        }
    }

    /// Looks at the calls of a batch.
    fn look(&mut self, batch: &mut Batch, whole: &mut WholeCalls, counting: &mut Counting) {
        let mut next = batch.place();
        let mut half = self.of.halves.partition_point(|half| half.at < self.at);
        batch.look(&mut next, usize::MAX, |call| {
            if let CallSeen::Whole(call) = call {
                whole.note(call);
            }
            while let Some(placed) = self.of.halves.get(half).filter(|placed| placed.at == self.at) {
                let known = Modules(&self.of.modules);
                let filling = placed.half.filling(call, whole, &counting.seen, &known);
                let part = placed.part(filling, counting.tags_stay);
                let before = std::mem::replace(&mut self.parts[half], part);
                self.sum = self.sum.wrapping_sub(before.unwrap_or(0)).wrapping_add(part.unwrap_or(0));
                self.without = self.without + usize::from(part.is_none()) - usize::from(before.is_none());
                half += 1;
            }
            self.at += 1;
            if self.at == self.of.lap {
                half = 0;
                self.end_lap(counting);
            }
        });
    }
}

impl RankOnShelf {
    /// Takes a batch. True: it may be kept.
    fn take(&mut self, batch: &mut Batch, counting: Option<&mut Counting>) -> bool {
        let (start, len) = (self.events, batch.left() as u64);
        self.events += len;
        if len == 0 {
            return false;
        }
        let Some((counting, laps)) = counting.zip(self.laps.as_mut()) else {
            batch.calls().for_each(|call| self.whole.note(call));
            return false;
        };
        let Some(round) = batch.round() else {
            // Whatever it does now, nothing of it is counted any more.
            batch.calls().for_each(|call| self.whole.note(call));
            self.laps = None;
            return false;
        };
        // A call that is the same as the one a round before it is as the one a lap before it when all rounds between are, too.
        if round.varied == 0 && laps.same + round.round_len as u64 >= laps.of.lap {
            batch.calls().for_each(|call| self.whole.note(call));
            laps.pass(len, counting);
        } else {
            laps.look(batch, &mut self.whole, counting);
        }
        laps.same = if round.varied == 0 { laps.same + len } else { len - round.varied as u64 };
        start >= laps.of.start + counting.from * laps.of.lap
    }
}

impl Shelf {
    /// For the ranks of a share.
    pub fn new(share: &Share) -> Shelf {
        let rank = |place: &usize| RankOnShelf { place: *place, ..RankOnShelf::default() };
        Shelf {
            ranks: share.places.iter().map(rank).collect(),
            places: share.places.iter().enumerate().map(|(at, place)| (*place, at)).collect(),
            counting: None,
            cost: 0,
            highest: 0,
            most: 2 * most_held(share.ranks) as u64,
        }
    }

    /// How far each rank has come.
    pub fn positions(&self) -> Positions {
        self.ranks.iter().map(|rank| (rank.place, rank.events)).collect()
    }

    /// Counts laps from now on.
    pub fn count(&mut self, order: CountOrder) {
        let CountOrder { ranks, tags_stay, seen, from, period } = order;
        let mut going = 0;
        for of in ranks.into_iter().filter(|of| of.lap > 0) {
            if let Some(rank) = self.places.get(&of.place).and_then(|at| self.ranks.get_mut(*at)) {
                rank.lap = Some((of.start, of.lap));
                rank.laps = Some(LapsAtHand::new(of, rank.events));
                going += 1;
            }
        }
        let (seen, open) = (SeenBuffers::of_list(seen), VecDeque::new());
        self.counting =
            Some(Counting { tags_stay, seen, from, period, is_said: false, ranks: going, open, first: from });
    }

    /// Are laps counted here?
    pub fn is_counting(&self) -> bool {
        self.counting.is_some()
    }

    /// Is so much kept that no more is to be read?
    pub fn is_full(&self) -> bool {
        self.counting.is_some() && self.cost >= self.most + u64::from(TURNS_BETWEEN_LOOKS) * self.highest
    }

    /// Turns that were read; they come back as they are to be sent.
    pub fn pass(&mut self, turns: Turns) -> Turns {
        let turns = turns.turns.into_iter().map(|turn| self.pass_one(turn)).collect();
        Turns { turns, returned: None }
    }

    fn pass_one(&mut self, mut turn: Turn) -> Turn {
        let Some(rank) = self.places.get(&turn.place).and_then(|at| self.ranks.get_mut(*at)) else { return turn };
        let is_kept = rank.take(&mut turn.batch, self.counting.as_mut());
        turn.laps = self.counting.as_mut().and_then(Counting::take).map(Box::new);
        if is_kept {
            let afar = turn.batch.afar(rank.number);
            let cost = (turn.batch.left() + turn.batch.memory_cost()) as u64;
            let batch = std::mem::replace(&mut turn.batch, afar);
            rank.kept.push_back(Kept { number: rank.number, end: rank.events, cost, batch });
            rank.number += 1;
            self.cost += cost;
            self.highest = self.highest.max(cost);
        }
        turn
    }

    /// So many laps are counted: what is in them is not wanted any more.
    pub fn drop_counted(&mut self, laps: u64) {
        for rank in &mut self.ranks {
            let Some((start, lap)) = rank.lap else { continue };
            let end = start + laps * lap;
            while let Some(kept) = rank.kept.pop_front_if(|kept| kept.end <= end) {
                self.cost -= kept.cost;
            }
        }
    }

    /// All that is kept; nothing more will be.
    pub fn give_back(&mut self) -> Turns {
        (self.counting, self.cost) = (None, 0);
        let mut returned = Vec::new();
        for rank in &mut self.ranks {
            (rank.laps, rank.lap) = (None, None);
            returned.extend(rank.kept.drain(..).map(|kept| (rank.place, kept.number, kept.batch)));
        }
        Turns { turns: Vec::new(), returned: Some(returned) }
    }
}
