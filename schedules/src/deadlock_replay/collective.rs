//! A collective operation: which of its parts were started, and whom they may wait for.

use super::input::{Id, Needs};
use rustc_hash::FxHashMap;

pub(super) struct Collective {
    pub(super) needs: Needs,
    /// Needs of single parts that differ, by position.
    pub(super) others: Vec<(u32, Vec<u32>)>,
    /// Positions that parts may wait for, where that is not all of them.
    neighbors: FxHashMap<u32, Vec<u32>>,
    pub(super) parts: Vec<Option<Id>>,
    pub(super) posted: Vec<bool>,
    arrived: u32,
    /// Number of parts that are complete and forgotten.
    pub(super) gone: u32,
}

impl Collective {
    pub(super) fn new(size: u32, needs: Needs) -> Collective {
        Collective {
            needs,
            others: Vec::new(),
            neighbors: FxHashMap::default(),
            parts: vec![None; size as usize],
            posted: vec![false; size as usize],
            arrived: 0,
            gone: 0,
        }
    }

    /// The part at `position` may wait for these positions alone.
    pub(super) fn may_need(&mut self, position: u32, neighbors: Vec<u32>) {
        self.neighbors.insert(position, neighbors);
    }

    /// The part at `position` is posted: the parts that are complete then.
    pub(super) fn post(&mut self, position: u32) -> Vec<Id> {
        self.posted[position as usize] = true;
        self.arrived += 1;
        if self.have_all_arrived() {
            return self.parts.iter().flatten().copied().collect();
        }
        let near = self.neighbors.get(&position).into_iter().flatten().chain([&position]);
        near.filter(|p| self.has_all(**p)).filter_map(|p| self.parts[*p as usize]).collect()
    }

    pub(super) fn have_all_arrived(&self) -> bool {
        self.arrived as usize == self.parts.len()
    }

    /// Are a part and all that it may wait for posted, where these are not all parts?
    fn has_all(&self, position: u32) -> bool {
        let is_posted = |p: &u32| self.posted.get(*p as usize) == Some(&true);
        is_posted(&position) && self.neighbors.get(&position).is_some_and(|near| near.iter().all(is_posted))
    }

    /// The parts that the one at `position` may wait for and that were not posted; `None`: one that was not started.
    pub(super) fn missing(&self, position: u32) -> impl Iterator<Item = Option<Id>> {
        let near = self.neighbors.get(&position);
        let concerns = move |p: usize| near.is_none_or(|near| near.contains(&(p as u32)));
        let parts = self.parts.iter().zip(&self.posted).enumerate();
        parts.filter(move |(p, (_, posted))| !**posted && concerns(*p)).map(|(_, (part, _))| *part)
    }
}
