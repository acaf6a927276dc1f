//! The collective operations on one object that are under way, in their order.

use super::call::Origin;
use super::persistents::{Made, Persistents};
use super::replay_ids::{CollectiveReplayIds, ReplayIds};
use super::sums::PartSums;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// The calls on one object, in order.
pub(crate) struct Space {
    /// Number of the first instance that is kept.
    pub(crate) base: u64,
    pub(crate) queue: VecDeque<Instance>,
    /// The instance behind the last one of each process, but for those of persistent operations.
    pub(crate) next: Vec<u64>,
    /// Persistent operations, if there are any.
    pub(crate) persistents: Option<Box<Persistents>>,
    /// Thread and time of the last call of each process.
    pub(crate) last: Vec<(u16, u64)>,
    /// That call, where threads may compete.
    pub(crate) last_call: FxHashMap<u32, Rc<Origin>>,
    /// Calls of several threads came out of order: which belong together is uncertain.
    pub(crate) tangled: bool,
}

/// One collective operation.
pub(crate) struct Instance {
    pub(crate) parts: Vec<Option<Part>>,
    pub(crate) arrived: u32,
    pub(crate) done: u32,
    /// A check found it wrong.
    pub(crate) bad: bool,
    /// Which start of which persistent operation it is.
    pub(crate) started: Option<Made>,
    /// Its number in the deadlock replay.
    pub(crate) replayed: Option<CollectiveReplayIds>,
}

/// The part of one process.
pub(crate) struct Part {
    /// The call with the arguments (of a persistent operation the one that described it).
    pub(crate) call: Rc<Origin>,
    /// The call that started it, if that is another.
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) done: bool,
    /// Not all calls of its rank are known at this place: which operation it belongs to is uncertain.
    pub(crate) dim: bool,
    pub(crate) sums: Option<Box<PartSums>>,
    /// Its number in the deadlock replay, until it is over.
    pub(crate) replayed: Option<ReplayIds>,
    /// The call in which the process learnt that it is over, if somebody listens.
    pub(crate) ended: Option<Rc<Origin>>,
}

impl Part {
    pub(crate) fn new(call: &Rc<Origin>, start: Option<&Rc<Origin>>, dim: bool) -> Part {
        let (call, start) = (call.clone(), start.cloned());
        Part { call, start, done: false, dim, sums: None, replayed: None, ended: None }
    }

    pub(crate) fn shown(&self) -> &Rc<Origin> {
        self.start.as_ref().unwrap_or(&self.call)
    }
}

impl Space {
    pub(crate) fn new(size: u32) -> Space {
        Space {
            base: 0,
            queue: VecDeque::new(),
            next: vec![0; size as usize],
            persistents: None,
            last: vec![(0, 0); size as usize],
            last_call: FxHashMap::default(),
            tangled: false,
        }
    }

    pub(crate) fn get(&self, index: u64) -> Option<&Instance> {
        self.queue.get(index.checked_sub(self.base)? as usize)
    }

    pub(crate) fn get_mut(&mut self, index: u64) -> Option<&mut Instance> {
        self.queue.get_mut(index.checked_sub(self.base)? as usize)
    }

    pub(crate) fn part_mut(&mut self, index: u64, position: u32) -> Option<&mut Part> {
        self.get_mut(index)?.parts.get_mut(position as usize)?.as_mut()
    }

    /// Sets the numbers of the operation and of a part of it in the deadlock replay.
    pub(crate) fn set_replayed(&mut self, index: u64, position: u32, collective: CollectiveReplayIds, part: ReplayIds) {
        if let Some(instance) = self.get_mut(index) {
            instance.replayed = Some(collective);
            if let Some(Some(p)) = instance.parts.get_mut(position as usize) {
                p.replayed = Some(part);
            }
        }
    }

    /// Takes the numbers of an operation's parts in the deadlock replay, which is not told of it any more.
    pub(crate) fn take_replayed(&mut self, index: u64) -> Vec<ReplayIds> {
        let parts = self.get_mut(index).into_iter().flat_map(|i| &mut i.parts).flatten();
        parts.filter_map(|p| p.replayed.take()).collect()
    }

    /// Lends the parts of an operation; to be given back.
    pub(crate) fn take_parts(&mut self, index: u64) -> Option<Vec<Option<Part>>> {
        self.get_mut(index).map(|i| std::mem::take(&mut i.parts))
    }

    pub(crate) fn give_parts(&mut self, index: u64, parts: Vec<Option<Part>>) {
        if let Some(instance) = self.get_mut(index) {
            instance.parts = parts;
        }
    }

    /// Instances that are not over.
    pub(crate) fn open(&self) -> impl Iterator<Item = (u64, &Instance)> {
        self.queue.iter().enumerate().map(|(i, inst)| (self.base + i as u64, inst))
    }

    /// Is no operation under way?
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// The calls of the operations that are under way, and the last ones.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let parts = self.queue.iter().flat_map(|i| i.parts.iter().flatten());
        let calls = parts.flat_map(|p| {
            let by = p.sums.as_ref().and_then(|s| s.by());
            [Some(&p.call), p.start.as_ref(), p.ended.as_ref(), by]
        });
        let made = self.persistents.iter().flat_map(|all| all.calls());
        calls.flatten().chain(self.last_call.values()).chain(made)
    }

    /// The operation that the process at `position` comes to next.
    pub(crate) fn next_of(&mut self, position: u32) -> u64 {
        let index = self.free_from(position);
        self.next[position as usize] = index + 1;
        self.grow(index);
        index
    }

    /// The first place that the process could take with a call that is no start of a persistent operation.
    pub(crate) fn free_from(&self, position: u32) -> u64 {
        let mut index = self.next[position as usize].max(self.base);
        while self.get(index).is_some_and(|i| !i.is_free(position, self.persistents.as_deref())) {
            index += 1;
        }
        index
    }

    /// Takes the part of the process at `position` out again: false where others have been judged by it.
    pub(crate) fn withdraw(&mut self, index: u64, position: u32) -> bool {
        let is_last = self.next[position as usize] == index + 1;
        let Some(instance) = self.get_mut(index).filter(|i| is_last && i.started.is_none()) else { return false };
        if instance.bad || instance.parts[position as usize].take().is_none() {
            return false;
        }
        instance.arrived -= 1;
        // The replay is told no more of it: it has let the others go.
        instance.bad = true;
        self.next[position as usize] = index;
        while self.queue.back().is_some_and(|i| i.arrived == 0 && i.started.is_none()) {
            self.queue.pop_back();
        }
        true
    }

    /// Makes room for the operation with this number.
    pub(crate) fn grow(&mut self, index: u64) {
        let size = self.next.len();
        while self.base + (self.queue.len() as u64) <= index {
            let mut parts = Vec::with_capacity(size);
            parts.resize_with(size, || None);
            self.queue.push_back(Instance { parts, arrived: 0, done: 0, bad: false, started: None, replayed: None });
        }
    }

    pub(crate) fn retire(&mut self, mut over: impl FnMut(&Instance)) {
        while let Some(instance) = self.queue.front().filter(|i| i.done as usize == i.parts.len()) {
            over(instance);
            if let (Some(made), Some(persistents)) = (instance.started, &mut self.persistents) {
                persistents.forget(made);
            }
            self.queue.pop_front();
            self.base += 1;
        }
    }
}
