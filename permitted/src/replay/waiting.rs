//! Sends and receives that were posted at one place and have not met, in the order of their posting.

use super::Id;
use std::collections::VecDeque;

/// One that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    pub(super) id: Id,
    /// Its thread.
    pub(super) lane: u32,
    /// How many were posted here before it.
    number: u64,
}

/// See the module. Sends and receives stand apart: only one's own kind can be overtaken, and mostly the first one of
/// both kinds meet.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    sends: VecDeque<Waiter>,
    recvs: VecDeque<Waiter>,
    posted: u64,
}

impl Waiting {
    fn list(&mut self, is_send: bool) -> &mut VecDeque<Waiter> {
        if is_send { &mut self.sends } else { &mut self.recvs }
    }

    pub(super) fn post(&mut self, id: Id, lane: u32, is_send: bool) {
        let number = self.posted;
        self.posted += 1;
        self.list(is_send).push_back(Waiter { id, lane, number });
    }

    pub(super) fn remove(&mut self, id: Id, is_send: bool) {
        let list = self.list(is_send);
        if let Some(place) = list.iter().position(|w| w.id == id) {
            list.remove(place);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sends.is_empty() && self.recvs.is_empty()
    }

    /// Those of its kind that were posted before this one.
    pub(super) fn before(&self, id: Id, is_send: bool) -> impl Iterator<Item = &Waiter> {
        let list = if is_send { &self.sends } else { &self.recvs };
        list.iter().take_while(move |w| w.id != id)
    }

    /// All, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = Id> {
        self.sends.iter().chain(&self.recvs).map(|w| w.id)
    }

    /// All, in the order of their posting.
    pub(super) fn in_order(&self) -> Vec<Id> {
        let mut all: Vec<Waiter> = self.sends.iter().chain(&self.recvs).copied().collect();
        all.sort_unstable_by_key(|w| w.number);
        all.into_iter().map(|w| w.id).collect()
    }

    pub(super) fn holds(&self, id: Id) -> bool {
        self.all().any(|other| other == id)
    }
}
