//! Persistent collective operations: the i-th that is made on a communicator belongs to the i-th of each other process, and
//! the k-th start of it to the k-th start there (MPI 4.1 section 6.13), in whatever order they are started.
//!
//! The calls that make them have a place in the order of the collective calls. So a process that is at another collective
//! call, and has not made an operation yet that another made before that call, is wrong: then the two calls belong together,
//! and the checks say what is wrong with them.

use super::call::Origin;
use super::space::{Instance, Part, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// Which start of which persistent operation: both are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Made {
    /// Number of the operation among those that its process made on the communicator.
    pub(crate) number: u32,
    /// Starts before this one.
    pub(crate) starts: u64,
}

/// The persistent operations of one communicator.
pub(crate) struct Persistents {
    /// How many each process has made.
    made: Vec<u32>,
    /// The calls that made them, from the first one that not all processes have made.
    calls: VecDeque<Vec<Option<Part>>>,
    /// The number of that one.
    first: u32,
    /// The place of the starts that are under way.
    at: FxHashMap<Made, u64>,
    /// Numbers of operations that the processes made with arguments that do not go together.
    wrong: FxHashSet<u32>,
}

impl Persistents {
    pub(crate) fn new(size: usize) -> Persistents {
        Persistents {
            made: vec![0; size],
            calls: VecDeque::new(),
            first: 0,
            at: FxHashMap::default(),
            wrong: FxHashSet::default(),
        }
    }

    /// The process at `position` has made another one: its number.
    pub(crate) fn make(&mut self, position: u32, call: Part) -> u32 {
        let number = self.made[position as usize];
        self.made[position as usize] += 1;
        let place = (number - self.first) as usize;
        while self.calls.len() <= place {
            self.calls.push_back(self.made.iter().map(|_| None).collect());
        }
        self.calls[place][position as usize] = Some(call);
        number
    }

    /// The calls of the one that all processes have made now, and its number.
    pub(crate) fn made_by_all(&mut self) -> Option<(u32, Vec<Option<Part>>)> {
        self.calls.front().filter(|calls| calls.iter().all(Option::is_some))?;
        let number = self.first;
        self.first += 1;
        Some((number, self.calls.pop_front()?))
    }

    /// The calls of the first one that only some processes have made, and none has started: who is at fault with a start
    /// shows in the operation that it belongs to.
    pub(crate) fn made_by_some(&self) -> Option<&Vec<Option<Part>>> {
        self.calls.front().filter(|calls| calls.iter().flatten().all(|part| !part.done))
    }

    /// The process at `position` has started one.
    fn note_start(&mut self, position: u32, number: u32) {
        let place = number.checked_sub(self.first).map(|place| place as usize);
        let part = place.and_then(|place| self.calls.get_mut(place)?.get_mut(position as usize)?.as_mut());
        part.into_iter().for_each(|part| part.done = true);
    }

    pub(crate) fn note_wrong(&mut self, number: u32) {
        self.wrong.insert(number);
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.calls.iter().flatten().flatten().map(|part| &part.call)
    }

    pub(crate) fn forget(&mut self, made: Made) {
        self.at.remove(&made);
    }

    fn has_made(&self, position: u32, number: u32) -> bool {
        self.made.get(position as usize).is_some_and(|made| *made > number)
    }
}

impl Instance {
    /// May the process at `position` take this place with a call that is no start of a persistent operation?
    pub(crate) fn is_free(&self, position: u32, persistents: Option<&Persistents>) -> bool {
        // Otherwise its own start of that operation is still to come.
        let other = |number| persistents.is_none_or(|all| !all.has_made(position, number));
        self.parts[position as usize].is_none() && self.started.is_none_or(|started| other(started.number))
    }

    /// Is somebody here who has not made the persistent operation with this number?
    fn is_without(&self, number: u32, persistents: &Persistents) -> bool {
        let mut here = self.parts.iter().enumerate().filter(|(_, part)| part.is_some());
        self.started.is_none() && here.any(|(other, _)| !persistents.has_made(other as u32, number))
    }
}

impl Space {
    /// Whether the arguments of an operation that consists of starts go together, which was looked at when it was made.
    pub(crate) fn is_made_wrongly(&self, index: u64) -> Option<bool> {
        let instance = self.get(index)?;
        let number = instance.started?.number;
        let are_starts = instance.parts.iter().flatten().all(|part| part.start.is_some());
        let known = self.persistents.as_ref().filter(|all| are_starts && all.first > number)?;
        Some(known.wrong.contains(&number))
    }

    /// The place of a start of a persistent operation by the process at `position`.
    pub(crate) fn of_start(&mut self, position: u32, made: Made) -> u64 {
        self.persistents.iter_mut().for_each(|all| all.note_start(position, made.number));
        let known = self.persistents.as_ref().and_then(|all| all.at.get(&made)).copied();
        let is_open = |index: &u64| self.get(*index).is_some_and(|i| i.parts[position as usize].is_none());
        if let Some(index) = known.filter(is_open) {
            return index;
        }
        let end = self.base + self.queue.len() as u64;
        let index = self.misplaced(position, made.number).unwrap_or(end);
        self.grow(index);
        if index == end {
            self.queue[(index - self.base) as usize].started = Some(made);
            self.persistents.iter_mut().for_each(|all| _ = all.at.insert(made, index));
        }
        index
    }

    /// The next operation of the process, if another takes part in it who should have made the persistent one before.
    fn misplaced(&self, position: u32, number: u32) -> Option<u64> {
        let next = self.free_from(position);
        self.get(next)?.is_without(number, self.persistents.as_deref()?).then_some(next)
    }
}
