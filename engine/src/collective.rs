//! Collective operations: the k-th collective call of each process on a communicator (window, file) belongs to
//! instance k (MPI 4.1 sections 6.1 and 6.14); blocking and nonblocking ones share one order. Persistent ones match by the
//! order in which they were made (6.13), whatever the order of their starts: `collective/persistent.rs`.

mod persistent;

use super::Model;
use super::comms::{Comm, CommIx, Topology, peers};
use super::concurrent::Misused;
use super::deadlock_replay::{Told, ToldAll};
use super::facts::Origin;
use super::shape::{NONE, Place, Side, shape};
use super::sums::PartSums;
use super::types::Amount;
pub(crate) use persistent::Made;
use persistent::Persistents;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use trace_format::definition::{Id, Neighbors};
use trace_format::mpi::{Class, Coll, FnId, Start, special};
use trace_reader::args::Arg;

/// The calls on one object, in order.
pub(crate) struct Space {
    /// Number of the first instance that is kept.
    base: u64,
    queue: VecDeque<Instance>,
    /// The instance behind the last one of each process, but for those of persistent operations.
    next: Vec<u64>,
    /// Persistent operations, if there are any.
    persistents: Option<Box<Persistents>>,
    /// Thread and time of the last call of each process.
    last: Vec<(u16, u64)>,
    /// That call, where threads may compete.
    last_call: FxHashMap<u32, Rc<Origin>>,
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
    started: Option<Made>,
    /// What it is in the replay of [`super::deadlock_replay`].
    pub(crate) replayed: Option<ToldAll>,
}

/// What one process contributed.
pub(crate) struct Part {
    /// The call with the arguments (of a persistent operation the one that described it).
    pub(crate) call: Rc<Origin>,
    /// The call that started it, if that is another.
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) done: bool,
    /// Not all calls of its rank are known at this place: which operation it belongs to is uncertain.
    pub(crate) dim: bool,
    pub(crate) sums: Option<Box<PartSums>>,
    /// What it is in the replay of [`super::deadlock_replay`], until it is over.
    pub(crate) replayed: Option<Told>,
    /// The call in which the process learnt that it is over, if somebody listens.
    pub(super) ended: Option<Rc<Origin>>,
}

impl Part {
    fn new(call: &Rc<Origin>, start: Option<&Rc<Origin>>, dim: bool) -> Part {
        let (call, start) = (call.clone(), start.cloned());
        Part { call, start, done: false, dim, sums: None, replayed: None, ended: None }
    }

    pub(crate) fn shown(&self) -> &Rc<Origin> {
        self.start.as_ref().unwrap_or(&self.call)
    }
}

/// Which collective a function is; those that make a communicator for a group stand for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Coll(Coll),
    Group(FnId),
}

pub(crate) fn what(func: FnId) -> What {
    match shape(func).class {
        Class::Collective(coll, _) => What::Coll(coll),
        _ => What::Group(func),
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

    fn get_mut(&mut self, index: u64) -> Option<&mut Instance> {
        self.queue.get_mut(index.checked_sub(self.base)? as usize)
    }

    pub(crate) fn part_mut(&mut self, index: u64, position: u32) -> Option<&mut Part> {
        self.get_mut(index)?.parts.get_mut(position as usize)?.as_mut()
    }

    /// What the operation and a part of it are in the replay of [`super::deadlock_replay`].
    pub(crate) fn set_replayed(&mut self, index: u64, position: u32, collective: ToldAll, part: Told) {
        if let Some(instance) = self.get_mut(index) {
            instance.replayed = Some(collective);
            if let Some(Some(p)) = instance.parts.get_mut(position as usize) {
                p.replayed = Some(part);
            }
        }
    }

    /// What the parts of an operation are in the replay of [`super::deadlock_replay`], which is not told of it any more.
    pub(crate) fn take_replayed(&mut self, index: u64) -> Vec<Told> {
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
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// The calls of the operations that are under way, and the last ones.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let parts = self.queue.iter().flat_map(|i| i.parts.iter().flatten());
        let calls = parts.flat_map(|p| {
            let by = p.sums.as_ref().and_then(|s| s.by());
            [Some(&p.call), p.start.as_ref(), p.ended.as_ref(), by]
        });
        let made = self.persistents.iter().flat_map(|all| all.calls());
        calls.flatten().chain(self.last_call.values()).chain(made)
    }

    /// The operation that the process at `position` comes to next.
    fn next_of(&mut self, position: u32) -> u64 {
        let index = self.free_from(position);
        self.next[position as usize] = index + 1;
        self.grow(index);
        index
    }

    /// The first place that the process could take with a call that is no start of a persistent operation.
    fn free_from(&self, position: u32) -> u64 {
        let mut index = self.next[position as usize].max(self.base);
        while self.get(index).is_some_and(|i| !i.is_free(position, self.persistents.as_deref())) {
            index += 1;
        }
        index
    }

    /// Takes the part of the process at `position` out again: false where others have been judged by it.
    fn withdraw(&mut self, index: u64, position: u32) -> bool {
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
    fn grow(&mut self, index: u64) {
        let size = self.next.len();
        while self.base + (self.queue.len() as u64) <= index {
            let mut parts = Vec::with_capacity(size);
            parts.resize_with(size, || None);
            self.queue.push_back(Instance { parts, arrived: 0, done: 0, bad: false, started: None, replayed: None });
        }
    }

    fn retire(&mut self, mut over: impl FnMut(&Instance)) {
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

impl Model {
    /// The process at `position` makes its next collective call on the object: the number of the operation. `start`: the
    /// call that starts a persistent one.
    pub(crate) fn arrive(
        &mut self,
        comm: CommIx,
        position: u32,
        call: &Rc<Origin>,
        start: Option<(&Rc<Origin>, Made)>,
    ) -> u64 {
        let dim = self.ranks[call.rank as usize].holed;
        // The order in which persistent operations are started is another matter.
        if start.is_none() && self.has_threads(call.rank) && matches!(what(call.func), What::Coll(_)) {
            let last_call = &mut self.comms.list[comm].space.last_call;
            if let Some(first) = last_call.insert(position, call.clone()) {
                self.note_use(Misused::Object(comm), &first, call);
            }
        }
        let space = &mut self.comms.list[comm].space;
        let size = space.next.len();
        let shown = start.map_or(call, |(start, _)| start);
        let (thread, time) = std::mem::replace(&mut space.last[position as usize], (shown.thread, shown.time));
        space.tangled |= thread != shown.thread && shown.time < time;
        let index = match start {
            None => space.next_of(position),
            Some((_, made)) => space.of_start(position, made),
        };
        let instance = &mut space.queue[(index - space.base) as usize];
        instance.parts[position as usize] = Some(Part::new(call, start.map(|(start, _)| start), dim));
        instance.arrived += 1;
        let all = instance.arrived as usize == size;
        self.tell_part(comm, index, position);
        if all {
            self.check_collective(comm, index);
        }
        index
    }

    /// The call of the process at `position` has failed before it took part, which was not known when it began.
    pub(crate) fn not_taken_part(&mut self, comm: CommIx, index: u64, position: u32) {
        self.tell_bad(comm, index);
        let space = &mut self.comms.list[comm].space;
        if space.withdraw(index, position) {
            return;
        }
        // Which operations belong together is uncertain.
        space.tangled = true;
        self.part_done(comm, index, position);
    }

    /// The process at `position` is done with its part.
    pub(crate) fn part_done(&mut self, comm: CommIx, index: u64, position: u32) {
        self.tell_part_end(comm, index, position);
        let space = &mut self.comms.list[comm].space;
        if let Some(instance) = space.get_mut(index)
            && let Some(part) = &mut instance.parts[position as usize]
            && !part.done
        {
            part.done = true;
            part.ended = self.listening.ending_call();
            instance.done += 1;
            let over = instance.done as usize == instance.parts.len();
            if over && instance.parts.iter().flatten().any(|p| p.sums.is_some()) && !instance.bad {
                self.compare_part_sums(comm, index);
            }
            let Comm { space, a, b, serial, .. } = &mut self.comms.list[comm];
            let group = |position, rank| peers(a, b.as_ref(), position).get(rank);
            space.retire(|instance| self.listening.over(*serial, instance, &group));
        }
    }

    /// Holds the parts that are there against each other.
    pub(crate) fn check_collective(&mut self, comm: CommIx, index: u64) {
        let c = &self.comms.list[comm];
        if c.spoiled || c.is_foreign() || c.space.tangled {
            return;
        }
        let Some(instance) = self.comms.list[comm].space.get_mut(index) else { return };
        if instance.parts.iter().flatten().any(|p| p.dim) {
            return;
        }
        // Lent to the checks, which need the rest of the model as well.
        let parts = std::mem::take(&mut instance.parts);
        let verdict = crate::checks::collective(self, &Gathering { comm, parts: &parts });
        let c = &mut self.comms.list[comm];
        c.spoiled |= verdict == Verdict::Spoiled;
        if let Some(instance) = c.space.get_mut(index) {
            instance.parts = parts;
            instance.bad = verdict != Verdict::Fine;
        }
        if verdict != Verdict::Fine {
            self.tell_bad(comm, index);
            self.comms.spoil_made_by(comm, index);
        }
    }
}

/// What the checks make of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Fine,
    Wrong,
    /// So wrong that the rest of its arguments cannot be judged.
    Broken,
    /// Wrong in such a way that nothing can be said about what follows.
    Spoiled,
}

/// The parts of one collective operation, for the checks: all of them, or those that came until the end.
pub(crate) struct Gathering<'a> {
    pub(crate) comm: CommIx,
    pub(crate) parts: &'a [Option<Part>],
}

/// The arguments of one part.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) rank: i32,
    /// Place in the communicator.
    pub(crate) position: u32,
    pub(crate) call: &'a Rc<Origin>,
}

impl<'a> Gathering<'a> {
    pub(crate) fn views(&self) -> impl Iterator<Item = View<'a>> + use<'a> {
        let parts = self.parts;
        parts.iter().enumerate().filter_map(|(position, p)| {
            p.as_ref().map(|p| View { rank: p.call.rank, position: position as u32, call: &p.call })
        })
    }

    pub(crate) fn view(&self, position: u32) -> Option<View<'a>> {
        let part = self.parts.get(position as usize)?.as_ref()?;
        Some(View { rank: part.call.rank, position, call: &part.call })
    }
}

impl<'a> View<'a> {
    pub(crate) fn value(&self, place: Place) -> Arg<'a> {
        if place == NONE { Arg::None } else { self.call.ins.get(place.into()) }
    }

    /// The integer at a place, if the function has such a parameter and it was recorded.
    pub(crate) fn int(&self, place: Place) -> Option<i64> {
        match self.value(place) {
            Arg::Int(v) => Some(v),
            _ => None,
        }
    }

    pub(crate) fn coll(&self) -> What {
        what(self.call.func)
    }

    pub(crate) fn root(&self) -> Option<i32> {
        self.int(shape(self.call.func).root).map(|r| r as i32)
    }

    pub(crate) fn op(&self) -> Option<Id> {
        self.int(shape(self.call.func).op).map(|o| o as Id)
    }

    pub(crate) fn send(&self) -> Half<'a> {
        self.half(shape(self.call.func).send)
    }

    pub(crate) fn recv(&self) -> Half<'a> {
        self.half(shape(self.call.func).recv)
    }

    /// The datatype of a reduction, which all its buffers share.
    pub(crate) fn reduced_type(&self) -> Option<Id> {
        self.int(shape(self.call.func).recv.datatype).map(|t| t as Id)
    }

    fn half(&self, side: Side) -> Half<'a> {
        Half {
            rank: self.rank,
            in_place: self.int(side.buf) == Some(special::IN_PLACE),
            count: self.value(side.count),
            datatype: self.value(side.datatype),
        }
    }
}

/// One buffer of a part.
#[derive(Clone, Copy)]
pub(crate) struct Half<'a> {
    rank: i32,
    pub(crate) in_place: bool,
    pub(crate) count: Arg<'a>,
    datatype: Arg<'a>,
}

impl Half<'_> {
    /// What goes to or comes from partner `i`; `None` where the trace does not say, or a count that says nothing.
    pub(crate) fn amount(&self, model: &Model, i: u32) -> Option<Amount> {
        let count = self.count_of(i).filter(|count| *count >= 0)?;
        let datatype = for_partner(self.datatype, i)? as Id;
        Some(model.one(self.rank, datatype)?.times(count))
    }

    /// The count for partner `i`.
    pub(crate) fn count_of(&self, i: u32) -> Option<i64> {
        for_partner(self.count, i)
    }

    /// All that goes to or comes from `n` partners, where there is one type for all.
    pub(crate) fn total(&self, model: &Model, n: u32) -> Option<Amount> {
        let count = match self.count {
            Arg::Int(v) => v.saturating_mul(i64::from(n)),
            Arg::Ints(all) => all.iter().fold(0i64, |sum, v| sum.saturating_add(*v)),
            _ => return None,
        };
        let Arg::Int(datatype) = self.datatype else { return None };
        Some(model.one(self.rank, datatype as Id)?.times(count))
    }

    /// Are counts and type the same for all partners?
    pub(crate) fn is_uniform(&self) -> bool {
        matches!((self.count, self.datatype), (Arg::Int(_), Arg::Int(_)))
    }
}

/// What an argument says of partner `i`: the same for all, or one value for each.
fn for_partner(value: Arg, i: u32) -> Option<i64> {
    match value {
        Arg::Int(v) => Some(v),
        Arg::Ints(v) => v.get(i as usize).copied(),
        _ => None,
    }
}

/// The neighbours of the calling process, if its call is a neighbourhood collective and they are known.
pub(crate) fn neighbors<'a>(model: &'a Model, view: &View) -> Option<&'a Neighbors> {
    use Coll::*;
    let What::Coll(NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw) =
        view.coll()
    else {
        return None;
    };
    let id = view.int(shape(view.call.func).comm)? as Id;
    model.ranks[view.rank as usize].objects.neighbors.get(&id)
}

/// What kind of topology the communicator of a call has, where mpivet saw it made.
pub(crate) fn topology(model: &Model, view: &View) -> Option<Topology> {
    let id = view.int(shape(view.call.func).comm)? as Id;
    model.ranks[view.rank as usize].objects.topologies.get(&id).copied()
}

/// How a collective's result depends on others: whom a process needs before its own call can return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    All,
    /// The root needs all others, who need nobody.
    RootNeedsAll,
    /// All others need the root, who needs nobody.
    AllNeedRoot,
    /// The processes before it.
    Lower,
    /// Nobody by the logic of the operation.
    Nobody,
}

/// What the collective function of this name needs: see [`needs`].
pub fn needs_of(func: FnId) -> Needs {
    needs(what(func))
}

/// MPI 4.1 section 6.1: a collective may synchronise, but need not where no data say so.
pub(crate) fn needs(what: What) -> Needs {
    use Coll::*;
    let What::Coll(coll) = what else { return Needs::All };
    match coll {
        Barrier | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw | Allreduce | ReduceScatter
        | ReduceScatterBlock => Needs::All,
        Gather | Gatherv | Reduce => Needs::RootNeedsAll,
        // How many processes there will be on the other side only the root knows.
        Bcast | Scatter | Scatterv | CommSpawn | CommSpawnMultiple | CommAccept | CommConnect => Needs::AllNeedRoot,
        Scan | Exscan => Needs::Lower,
        CommDup
        | CommDupWithInfo
        | CommSplit
        | CommSplitType
        | CommCreate
        | CartCreate
        | CartSub
        | GraphCreate
        | DistGraphCreate
        | DistGraphCreateAdjacent
        | IntercommMerge
        | CommShrink
        | CommAgree
        | StreamCommCreate
        | ThreadcommInit
        | WinCreate
        | WinAllocate
        | WinAllocateShared
        | WinCreateDynamic => Needs::All,
        NeighborAllgather
        | NeighborAllgatherv
        | NeighborAlltoall
        | NeighborAlltoallv
        | NeighborAlltoallw
        | CommFree
        | CommDisconnect
        | CommSetInfo
        | WinFence
        // With the info key "no_locks" it need not synchronise.
        | WinFree
        | WinSetInfo
        | FileOpen
        | FileClose
        | FileSetView
        | FileSetSize
        | FilePreallocate
        | FileSetAtomicity
        | FileSync
        | FileSetInfo
        | FileSeekShared
        | FileReadAll
        | FileWriteAll
        | FileReadAtAll
        | FileWriteAtAll
        | FileReadOrdered
        | FileWriteOrdered
        | FileReadAllBegin
        | FileReadAllEnd
        | FileWriteAllBegin
        | FileWriteAllEnd
        | FileReadAtAllBegin
        | FileReadAtAllEnd
        | FileWriteAtAllBegin
        | FileWriteAtAllEnd
        | FileReadOrderedBegin
        | FileReadOrderedEnd
        | FileWriteOrderedBegin
        | FileWriteOrderedEnd
        | ThreadcommFree => Needs::Nobody,
    }
}

/// Is it communication alone, without an object that it makes or belongs to?
pub(crate) fn moves_data(coll: Coll) -> bool {
    use Coll::*;
    let one_way = matches!(coll, Bcast | Gather | Gatherv | Scatter | Scatterv | Reduce | Scan | Exscan);
    let all_to_all = matches!(coll, Barrier | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw);
    one_way || all_to_all || matches!(coll, Allreduce | ReduceScatter | ReduceScatterBlock)
}

/// In which form a collective is called.
pub(crate) fn start_of(func: FnId) -> Start {
    match shape(func).class {
        Class::Collective(_, start) => start,
        _ => Start::Blocking,
    }
}

/// Does the process wait in the call itself?
pub(crate) fn is_blocking(func: FnId) -> bool {
    start_of(func) == Start::Blocking
}
