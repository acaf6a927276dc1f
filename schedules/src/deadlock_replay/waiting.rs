//! Sends and receives that were posted at one place and have not matched, in the order of their posting.

use super::Id;
use super::input::Place;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A posted operation that waits for its partner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    pub(super) id: Id,
    /// Its thread.
    pub(super) thread: u32,
    /// Number of operations that were posted here before it.
    number: u64,
    /// It is a wildcard receive.
    is_open: bool,
}

/// The operations that wait at one place. Sends and receives are in lists of their own: an operation can overtake
/// only its own kind, and mostly the first ones of both kinds match.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    sends: VecDeque<Waiter>,
    recvs: VecDeque<Waiter>,
    posted: u64,
    /// Number of wildcard receives among them.
    open: usize,
}

impl Waiting {
    fn list(&mut self, is_send: bool) -> &mut VecDeque<Waiter> {
        if is_send { &mut self.sends } else { &mut self.recvs }
    }

    pub(super) fn post(&mut self, id: Id, thread: u32, (is_send, is_open): (bool, bool)) {
        let number = self.posted;
        self.posted += 1;
        self.open += usize::from(is_open);
        self.list(is_send).push_back(Waiter { id, thread, number, is_open });
    }

    pub(super) fn remove(&mut self, id: Id, is_send: bool) {
        let list = self.list(is_send);
        // Mostly it is the first one.
        let removed = if list.front().is_some_and(|w| w.id == id) {
            list.pop_front()
        } else {
            list.iter().position(|w| w.id == id).and_then(|place| list.remove(place))
        };
        self.open -= usize::from(removed.is_some_and(|w| w.is_open));
    }

    /// Is one of them a wildcard receive?
    pub(super) fn has_open(&self) -> bool {
        self.open > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sends.is_empty() && self.recvs.is_empty()
    }

    /// Was it posted before all others of its kind?
    #[inline]
    pub(super) fn is_first(&self, id: Id, is_send: bool) -> bool {
        let list = if is_send { &self.sends } else { &self.recvs };
        list.front().is_some_and(|w| w.id == id)
    }

    /// Waiters of its kind that were posted before this one.
    pub(super) fn before(&self, id: Id, is_send: bool) -> impl Iterator<Item = &Waiter> {
        let list = if is_send { &self.sends } else { &self.recvs };
        list.iter().take_while(move |w| w.id != id)
    }

    /// All, in any order.
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

/// Limit of empty lists that are kept.
const MAX_LISTS: usize = 1 << 14;

/// Number of a list.
pub(super) type List = u32;
pub(super) const NO_LIST: List = List::MAX;

/// The lists of all places.
#[derive(Debug, Default)]
pub(super) struct Lists {
    by_place: FxHashMap<Place, List>,
    /// Lists of recent places, for a quicker search: indexed by the last bits of both numbers of a place.
    recent: Vec<(Place, List)>,
    all: Vec<Waiting>,
    free: Vec<List>,
}

/// A power of two.
const RECENT: usize = 1 << 8;

fn recent(place: Place) -> usize {
    (place.0 as usize * 31 + place.1 as usize) % RECENT
}

impl Lists {
    /// The list of a place, made if there is none.
    #[inline]
    pub(super) fn of(&mut self, place: Place) -> (List, &mut Waiting) {
        let list = match self.recent.get(recent(place)) {
            Some((known, list)) if *known == place && *list != NO_LIST => *list,
            _ => self.look_up(place),
        };
        (list, &mut self.all[list as usize])
    }

    fn look_up(&mut self, place: Place) -> List {
        let (all, free) = (&mut self.all, &mut self.free);
        let list = *self.by_place.entry(place).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                all.push(Waiting::default());
                all.len() as List - 1
            })
        });
        self.recent.resize(RECENT, (place, NO_LIST));
        self.recent[recent(place)] = (place, list);
        list
    }

    pub(super) fn get(&self, place: Place) -> Option<&Waiting> {
        self.list(*self.by_place.get(&place)?)
    }

    pub(super) fn list(&self, list: List) -> Option<&Waiting> {
        self.all.get(list as usize)
    }

    /// Takes an operation out of its list. Empty lists are kept for the next message, up to a limit.
    pub(super) fn remove(&mut self, (list, place): (List, Place), id: Id, is_send: bool) {
        let Some(waiting) = self.all.get_mut(list as usize) else { return };
        waiting.remove(id, is_send);
        if waiting.is_empty() && self.by_place.len() > MAX_LISTS {
            *waiting = Waiting::default();
            self.by_place.remove(&place);
            self.recent.clear();
            self.free.push(list);
        }
    }
}
