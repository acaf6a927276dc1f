//! Who waits for whom at one moment of a replay.

use super::Id;
use rustc_hash::FxHashSet;

/// What an operation waits for.
pub(super) enum Dependence {
    /// All of these threads.
    Lanes(Vec<u32>),
    /// One of these threads.
    Any(Vec<u32>),
    Never,
    /// It may be complete soon.
    Unknown,
}

pub(super) struct Waits {
    pub(super) any: bool,
    pub(super) ops: Vec<(Id, Dependence)>,
}

/// By thread: what it waits for; `None`: it does not.
pub(super) struct Graph {
    pub(super) waits: Vec<Option<Waits>>,
}

impl Graph {
    /// Threads that can never go on, if these operations were complete.
    pub(super) fn dead(&self, granted: &FxHashSet<Id>) -> FxHashSet<u32> {
        let lanes = 0..self.waits.len() as u32;
        let mut dead: FxHashSet<u32> = lanes.filter(|l| self.waits[*l as usize].is_some()).collect();
        loop {
            let before = dead.len();
            let stays = |lane: u32| {
                let Some(waits) = &self.waits[lane as usize] else { return false };
                let open = |(id, on): &(Id, Dependence)| {
                    !granted.contains(id)
                        && match on {
                            Dependence::Lanes(lanes) => lanes.iter().any(|l| dead.contains(l)),
                            Dependence::Any(lanes) => lanes.iter().all(|l| dead.contains(l)),
                            Dependence::Never => true,
                            Dependence::Unknown => false,
                        }
                };
                if waits.any { waits.ops.iter().all(open) } else { waits.ops.iter().any(open) }
            };
            let now: FxHashSet<u32> = dead.iter().copied().filter(|l| stays(*l)).collect();
            dead = now;
            if dead.len() == before {
                return dead;
            }
        }
    }

    fn next(&self, lane: u32, dead: &FxHashSet<u32>) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        for (_, on) in self.waits[lane as usize].iter().flat_map(|w| &w.ops) {
            if let Dependence::Lanes(lanes) | Dependence::Any(lanes) = on {
                all.extend(lanes.iter().copied().filter(|l| dead.contains(l)));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Dead threads that hold each other and wait for no other dead ones, or wait for what never comes; by their lowest.
    pub(super) fn causes(&self, dead: &FxHashSet<u32>) -> Vec<Vec<u32>> {
        let mut lanes: Vec<u32> = dead.iter().copied().collect();
        lanes.sort_unstable();
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut placed: FxHashSet<u32> = FxHashSet::default();
        for lane in &lanes {
            if placed.contains(lane) {
                continue;
            }
            let forth = self.reach(*lane, dead);
            // A part with no way out: all that it reaches reach it.
            if forth.iter().all(|l| *l == *lane || self.reach(*l, dead).contains(lane)) {
                let mut part: Vec<u32> = forth.into_iter().chain([*lane]).collect();
                part.sort_unstable();
                part.dedup();
                placed.extend(&part);
                parts.push(part);
            }
        }
        parts
    }

    /// What can be reached from a thread in one step or more.
    fn reach(&self, lane: u32, dead: &FxHashSet<u32>) -> FxHashSet<u32> {
        let mut reached = FxHashSet::default();
        let mut work = vec![lane];
        while let Some(at) = work.pop() {
            for next in self.next(at, dead) {
                if reached.insert(next) {
                    work.push(next);
                }
            }
        }
        reached
    }
}
