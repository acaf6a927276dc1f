//! The run once more, with the messages that it had, in a library that promises nothing: standard sends wait for their
//! receive, collective operations for all of their communicator.
//!
//! With the matching given, whatever can happen will: the order in which things are tried does not matter. What is told of
//! the run is forgotten as soon as it has happened here too. Where this replay cannot go on and the run did, the run needed
//! a permission; the replay says which, grants it and goes on, so that it finds the next place.

mod grants;
mod graph;
mod probes;

use crate::program::Mode;
use graph::{Dependence, Graph, Waits};
pub use probes::Look;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Lists of waiting messages that are kept although they are empty.
const MAX_LISTS: usize = 1 << 14;

/// An operation of the replay. Numbers are used again once the replay is done with an operation.
pub type Id = u32;

/// Operations of one call.
pub type Ids = SmallVec<[Id; 4]>;

/// Whose call a part of a collective operation cannot do without, whatever the library does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    All,
    /// The root has what all others need.
    Root(u32),
    /// The root needs what all others have.
    AtRoot(u32),
    /// All before it.
    Lower,
    /// By position.
    Given(Vec<Vec<u32>>),
    Nobody,
}

impl Needs {
    /// Positions that `position` needs, of `size`.
    pub fn of(&self, position: u32, size: u32) -> Vec<u32> {
        match self {
            Needs::All => (0..size).collect(),
            Needs::Root(root) if *root != position => vec![*root],
            Needs::AtRoot(root) if *root == position => (0..size).collect(),
            Needs::Lower => (0..position).collect(),
            Needs::Given(all) => all.get(position as usize).cloned().unwrap_or_default(),
            Needs::Root(_) | Needs::AtRoot(_) | Needs::Nobody => Vec::new(),
        }
    }
}

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Send {
        mode: Mode,
        comm: u32,
        to: u32,
        from: u32,
        tag: i32,
        bytes: u64,
    },
    /// `None`: any.
    Recv {
        comm: u32,
        at: u32,
        source: Option<u32>,
        tag: Option<i32>,
    },
    /// `collective`: from [`Replay::collective`].
    Part {
        collective: u32,
        position: u32,
    },
}

/// Sends and receives that are still to be started.
type Coming = FxHashMap<Place, Vec<Id>>;

/// Communicator and destination.
type Place = (u32, u32);

impl<T> Op<T> {
    /// Could the two belong together because the receive of them leaves open what it gets?
    fn could_be_of(&self, other: &Op<T>) -> bool {
        self.act.is_open() && self.act.takes(&other.act) || other.act.is_open() && other.act.takes(&self.act)
    }
}

impl Act {
    fn place(&self) -> Option<Place> {
        match *self {
            Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. } => Some((comm, at)),
            Act::Part { .. } => None,
        }
    }

    /// Is it a receive from anybody, or with any tag?
    fn is_open(&self) -> bool {
        matches!(self, Act::Recv { source, tag, .. } if source.is_none() || tag.is_none())
    }

    /// Is it a receive that could take the message of this send, as far as arguments go?
    fn takes(&self, send: &Act) -> bool {
        let (Act::Recv { comm, at, source, tag }, Act::Send { comm: c, to, from, tag: t, .. }) = (self, send) else {
            return false;
        };
        (comm, at) == (c, to) && source.is_none_or(|s| s == *from) && tag.is_none_or(|tag| tag == *t)
    }
}

/// A call that waited. Its operations may be forgotten once it is told of.
#[derive(Debug, Clone)]
pub struct Call<T> {
    pub ops: Ids,
    /// It waits for any of them, and had these when it returned; `None`: it waits for all.
    pub any: Option<Ids>,
    /// The process did nothing else until then.
    pub patient: bool,
    /// It returned in the run.
    pub returned: bool,
    /// It waited for a message without receiving it.
    pub look: Option<Look>,
    pub info: T,
}

enum Step<T> {
    Start(Id),
    Wait(Call<T>),
}

struct Op<T> {
    act: Act,
    lane: u32,
    partner: Option<Id>,
    posted: bool,
    /// It has met its partner, or will not.
    met: bool,
    complete: bool,
    /// It needed a permission to be complete.
    granted: bool,
    /// The caller will not speak of it again.
    forgotten: bool,
    /// Steps still to come that have to do with it.
    steps: u32,
    /// Threads that wait for it.
    waiters: SmallVec<[u32; 1]>,
    info: T,
}

struct Lane<T> {
    /// Its place among the threads, whenever it was met.
    order: u64,
    steps: VecDeque<Step<T>>,
}

struct Collective {
    needs: Needs,
    /// What some parts need instead, by position.
    others: Vec<(u32, Vec<u32>)>,
    parts: Vec<Option<Id>>,
    posted: Vec<bool>,
    arrived: u32,
    /// Parts that are over and forgotten.
    gone: u32,
}

/// What one thread of a knot waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need<T> {
    /// That thread posts the receive (or the send) of this operation.
    Partner { op: T, lane: u32 },
    /// Nobody ever does.
    Nobody { op: T },
    /// These threads call the collective operation.
    Calls { op: T, lanes: Vec<u32> },
}

/// What the run was granted by its library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission<T> {
    /// This many bytes of a standard send were buffered.
    Buffer { op: T, bytes: u64 },
    /// The collective operation returned before all had called it.
    Early { op: T },
}

/// A thread that cannot go on, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<T> {
    pub lane: u32,
    /// The call that waits.
    pub call: T,
    /// It returned in the run.
    pub returned: bool,
    pub needs: Vec<Need<T>>,
}

/// Threads that cannot go on without a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knot<T> {
    /// Those that hold each other, or the one that waits for what never comes.
    pub blocks: Vec<Block<T>>,
    /// The least that lets them go on: what it is, and whether there is certainly nothing less.
    pub permissions: Vec<Permission<T>>,
    pub least: bool,
}

/// See the module. `T`: what the caller knows a call by.
pub struct Replay<T> {
    ops: Vec<Option<Op<T>>>,
    free: Vec<Id>,
    lanes: Vec<Lane<T>>,
    collectives: Vec<Option<Collective>>,
    free_collectives: Vec<u32>,
    /// Threads that may be able to go on.
    ready: Vec<u32>,
    queued: usize,
    /// Sends and receives that were posted and have not met, by communicator and destination.
    waiting: FxHashMap<Place, Vec<Id>>,
    /// Where some of them belong together and have to let others go before them.
    held: FxHashSet<Place>,
    /// Threads in a probe, by the same.
    probing: FxHashMap<Place, Vec<u32>>,
}

impl<T: Clone> Default for Replay<T> {
    fn default() -> Replay<T> {
        Replay {
            ops: Vec::new(),
            free: Vec::new(),
            lanes: Vec::new(),
            collectives: Vec::new(),
            free_collectives: Vec::new(),
            ready: Vec::new(),
            queued: 0,
            waiting: FxHashMap::default(),
            held: FxHashSet::default(),
            probing: FxHashMap::default(),
        }
    }
}

impl<T: Clone> Replay<T> {
    /// A new thread. `order`: its place among all threads, so that the answer does not depend on who was met first: its
    /// process, and 16 bits that tell it apart from the other threads of that.
    pub fn lane(&mut self, order: u64) -> u32 {
        self.lanes.push(Lane { order, steps: VecDeque::new() });
        self.lanes.len() as u32 - 1
    }

    /// Steps that were told and have not happened here.
    pub fn lag(&self) -> usize {
        self.queued
    }

    /// Operations and collective operations that are kept.
    pub fn kept(&self) -> usize {
        self.ops.iter().flatten().count() + self.collectives.iter().flatten().count()
    }

    /// The part at `position` of a collective operation needs these positions alone, whatever the others need.
    pub fn part_needs(&mut self, collective: u32, position: u32, needed: Vec<u32>) {
        if let Some(Some(c)) = self.collectives.get_mut(collective as usize) {
            c.others.push((position, needed));
        }
    }

    /// A new collective operation of `size` processes.
    pub fn collective(&mut self, size: u32, needs: Needs) -> u32 {
        let new = Collective {
            needs,
            others: Vec::new(),
            parts: vec![None; size as usize],
            posted: vec![false; size as usize],
            arrived: 0,
            gone: 0,
        };
        match self.free_collectives.pop() {
            Some(index) => {
                self.collectives[index as usize] = Some(new);
                index
            }
            None => {
                self.collectives.push(Some(new));
                self.collectives.len() as u32 - 1
            }
        }
    }

    /// The thread starts an operation.
    pub fn start(&mut self, lane: u32, act: Act, info: T) -> Id {
        let op = Op {
            act,
            lane,
            partner: None,
            posted: false,
            met: false,
            complete: false,
            granted: false,
            forgotten: false,
            steps: 1,
            waiters: SmallVec::new(),
            info,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.ops[id as usize] = Some(op);
                id
            }
            None => {
                self.ops.push(Some(op));
                self.ops.len() as Id - 1
            }
        };
        if let Some(Op { act: Act::Part { collective, position }, .. }) = self.ops[id as usize]
            && let Some(Some(c)) = self.collectives.get_mut(collective as usize)
        {
            c.parts[position as usize] = Some(id);
        }
        self.push(lane, Step::Start(id));
        id
    }

    /// The two belong together.
    pub fn pair(&mut self, send: Id, recv: Id) {
        for (one, other) in [(send, recv), (recv, send)] {
            if let Some(op) = self.op_mut(one) {
                op.partner = Some(other);
            }
        }
        self.try_meet(send);
        self.go_on();
    }

    /// The thread waited.
    pub fn wait(&mut self, lane: u32, call: Call<T>) {
        for id in &call.ops {
            if let Some(op) = self.op_mut(*id) {
                op.steps += 1;
            }
        }
        self.push(lane, Step::Wait(call));
    }

    /// The caller will not speak of the operation again, except to [`Replay::pair`] it.
    pub fn forget(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.forgotten = true;
        }
        self.retire(id);
    }

    /// The operation did not take place, or nothing is known of its partner: nobody waits for it.
    pub fn release(&mut self, id: Id) {
        let place = self.op(id).and_then(|op| op.act.place());
        self.no_longer_waiting(id);
        self.has_met(id);
        self.forget(id);
        self.let_others_meet(place);
        self.go_on();
    }

    fn op(&self, id: Id) -> Option<&Op<T>> {
        self.ops.get(id as usize)?.as_ref()
    }

    fn op_mut(&mut self, id: Id) -> Option<&mut Op<T>> {
        self.ops.get_mut(id as usize)?.as_mut()
    }

    fn push(&mut self, lane: u32, step: Step<T>) {
        let steps = &mut self.lanes[lane as usize].steps;
        steps.push_back(step);
        self.queued += 1;
        if steps.len() == 1 {
            self.ready.push(lane);
            self.go_on();
        }
    }

    fn go_on(&mut self) {
        while let Some(lane) = self.ready.pop() {
            self.advance(lane);
        }
    }

    fn advance(&mut self, lane: u32) {
        loop {
            match self.lanes[lane as usize].steps.front() {
                None => return,
                Some(Step::Start(id)) => {
                    let id = *id;
                    self.lanes[lane as usize].steps.pop_front();
                    self.queued -= 1;
                    self.post(id);
                }
                Some(Step::Wait(call)) => {
                    let is_open = |id: &&Id| self.op(**id).is_some_and(|op| !op.complete);
                    let wanted = call.any.as_ref().unwrap_or(&call.ops);
                    if let Some(id) = wanted.iter().find(is_open).copied() {
                        if let Some(op) = self.op_mut(id) {
                            op.waiters.push(lane);
                        }
                        return;
                    }
                    if let Some(look) = call.look
                        && !self.is_there(&look, true)
                    {
                        self.probing.entry((look.comm, look.at)).or_default().push(lane);
                        return;
                    }
                    let Some(Step::Wait(call)) = self.lanes[lane as usize].steps.pop_front() else { return };
                    self.queued -= 1;
                    for id in call.ops {
                        self.step_over(id);
                    }
                }
            }
        }
    }

    fn post(&mut self, id: Id) {
        let Some(op) = self.op_mut(id) else { return };
        op.posted = true;
        if let Act::Send { comm, to, .. } = op.act {
            self.wake_probing(comm, to);
        }
        let Some(op) = self.op(id) else { return };
        match op.act {
            Act::Send { mode: Mode::Buffered, comm, to, .. } => {
                self.waiting.entry((comm, to)).or_default().push(id);
                self.complete(id);
                self.try_meet(id);
            }
            Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. } => {
                self.waiting.entry((comm, at)).or_default().push(id);
                self.try_meet(id);
            }
            Act::Part { collective, position } => {
                if let Some(Some(c)) = self.collectives.get_mut(collective as usize) {
                    c.posted[position as usize] = true;
                    c.arrived += 1;
                    if c.arrived as usize == c.parts.len() {
                        let parts = c.parts.clone();
                        for part in parts.into_iter().flatten() {
                            self.complete(part);
                            self.retire(part);
                        }
                    }
                }
            }
        }
        self.step_over(id);
    }

    /// Lets a posted send or receive meet its partner, if that is posted too.
    fn try_meet(&mut self, id: Id) {
        let Some(other) = self.op(id).filter(|op| op.posted).and_then(|op| op.partner) else { return };
        if !self.op(other).is_some_and(|op| op.posted) {
            return;
        }
        if let Some(place) = self.overtakes(id, other) {
            self.held.insert(place);
            return;
        }
        let place = self.op(id).and_then(|op| op.act.place());
        for id in [id, other] {
            self.no_longer_waiting(id);
            self.has_met(id);
        }
        self.retire(id);
        self.retire(other);
        self.let_others_meet(place);
    }

    /// Something has gone there that others had to let go before them.
    fn let_others_meet(&mut self, place: Option<Place>) {
        let Some(place) = place.filter(|place| !self.held.is_empty() && self.held.remove(place)) else { return };
        for id in self.waiting.get(&place).cloned().unwrap_or_default() {
            if self.waiting.get(&place).is_some_and(|list| list.contains(&id)) {
                self.try_meet(id);
            }
        }
    }

    /// Would the two overtake others of their threads, that are there and could be in their place? Where.
    fn overtakes(&self, one: Id, other: Id) -> Option<Place> {
        let (a, b) = (self.op(one)?, self.op(other)?);
        let place = a.act.place()?;
        let list = self.waiting.get(&place)?;
        let before = |of: Id| list.iter().take_while(move |id| **id != of).filter_map(|id| self.op(*id));
        let in_place = |of: Id, op: &Op<T>, partner: &Op<T>| {
            before(of).any(|x| x.lane == op.lane && (x.act.takes(&partner.act) || partner.act.takes(&x.act)))
        };
        (in_place(one, a, b) || in_place(other, b, a)).then_some(place)
    }

    fn no_longer_waiting(&mut self, id: Id) {
        let Some(place) = self.op(id).and_then(|op| op.act.place()) else { return };
        self.wake_probing(place.0, place.1);
        // Empty lists are kept for the next message, as long as there are not too many.
        let many = self.waiting.len() > MAX_LISTS;
        let Some(list) = self.waiting.get_mut(&place) else { return };
        list.retain(|other| *other != id);
        if list.is_empty() && many {
            self.waiting.remove(&place);
        }
    }

    fn has_met(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.met = true;
        }
        self.complete(id);
    }

    fn complete(&mut self, id: Id) {
        let Some(op) = self.op_mut(id) else { return };
        op.complete = true;
        let waiters = std::mem::take(&mut op.waiters);
        self.ready.extend(waiters);
    }

    fn step_over(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.steps -= 1;
        }
        self.retire(id);
    }

    /// Forgets an operation that nobody needs any more.
    fn retire(&mut self, id: Id) {
        let Some(op) = self.op(id) else { return };
        if !op.complete || !op.forgotten || op.steps > 0 {
            return;
        }
        match op.act {
            Act::Send { .. } | Act::Recv { .. } => {
                // The partner has to see that it was posted, and to be told of.
                match op.partner {
                    Some(other) if !op.met && self.op(other).is_some_and(|o| o.partner == Some(id)) => return,
                    None if op.granted || matches!(op.act, Act::Send { mode: Mode::Buffered, .. }) => return,
                    _ => {}
                }
            }
            Act::Part { collective, .. } => {
                let Some(Some(c)) = self.collectives.get_mut(collective as usize) else { return };
                if c.arrived as usize != c.parts.len() {
                    return;
                }
                c.gone += 1;
                if c.gone as usize == c.parts.len() {
                    self.collectives[collective as usize] = None;
                    self.free_collectives.push(collective);
                }
            }
        }
        self.ops[id as usize] = None;
        self.free.push(id);
    }

    /// Where the replay cannot go on and the run did. `over`: nothing more will be told. Grants what is missing, so that
    /// nothing is said twice.
    pub fn knots(&mut self, over: bool) -> Vec<Knot<T>> {
        let mut knots = Vec::new();
        let mut hopeless: FxHashSet<u32> = FxHashSet::default();
        loop {
            self.leave_vain_probes(over);
            let graph = self.graph(over);
            let dead = graph.dead(&FxHashSet::default());
            let mut causes = graph.causes(&dead);
            causes.iter_mut().for_each(|part| part.sort_unstable_by_key(|l| self.lanes[*l as usize].order));
            causes.sort_by_key(|part| part.first().map(|l| self.lanes[*l as usize].order));
            let Some(part) = causes.into_iter().find(|part| !part.iter().any(|l| hopeless.contains(l))) else {
                if over && self.go_on_as_in_the_run(&dead) {
                    continue;
                }
                return knots;
            };
            let returned = |lane: &u32| matches!(self.front(*lane), Some(call) if call.returned);
            let (ids, least) = if part.iter().any(returned) { self.least(&graph, &part) } else { (Vec::new(), true) };
            if ids.is_empty() {
                // It happened in the run too, or its matching is not possible: nothing that can be granted.
                hopeless.extend(part);
                continue;
            }
            let blocks = part.iter().filter_map(|lane| self.block(&graph, *lane)).collect();
            let permissions = ids.iter().filter_map(|id| self.permission(*id)).collect();
            knots.push(Knot { blocks, permissions, least });
            self.grant(&ids);
        }
    }

    fn front(&self, lane: u32) -> Option<&Call<T>> {
        match self.lanes[lane as usize].steps.front() {
            Some(Step::Wait(call)) => Some(call),
            _ => None,
        }
    }

    fn graph(&self, over: bool) -> Graph {
        let coming = self.coming();
        let waits = (0..self.lanes.len() as u32).map(|lane| {
            let call = self.front(lane)?;
            if !call.patient {
                return None;
            }
            if let Some(look) = &call.look {
                let ops = vec![(Id::MAX, self.arrival(lane, look, over)?)];
                return Some(Waits { any: false, ops });
            }
            let open: Vec<&Id> = call.ops.iter().filter(|id| self.op(**id).is_some_and(|op| !op.complete)).collect();
            if call.any.is_some() && open.len() < call.ops.len() {
                // It would return with another one than it did, and who knows what then.
                return None;
            }
            let ops = open.into_iter().map(|id| (*id, self.dependence(*id, over, &coming))).collect();
            Some(Waits { any: call.any.is_some(), ops })
        });
        Graph { waits: waits.collect() }
    }

    /// What an incomplete operation waits for.
    fn dependence(&self, id: Id, over: bool, coming: &Coming) -> Dependence {
        let Some(op) = self.op(id) else { return Dependence::Unknown };
        if !op.posted {
            return Dependence::Lanes(vec![op.lane]);
        }
        match &op.act {
            Act::Part { collective, .. } => {
                let Some(Some(c)) = self.collectives.get(*collective as usize) else { return Dependence::Unknown };
                let mut lanes = Vec::new();
                for (part, posted) in c.parts.iter().zip(&c.posted) {
                    match part.and_then(|p| self.op(p)) {
                        _ if *posted => {}
                        Some(part) => lanes.push(part.lane),
                        None if over => return Dependence::Never,
                        None => return Dependence::Unknown,
                    }
                }
                Dependence::Lanes(lanes)
            }
            // What others may send before the run is over nobody knows yet.
            Act::Recv { source, tag, .. } if !over && (source.is_none() || tag.is_none()) => Dependence::Unknown,
            Act::Send { .. } | Act::Recv { .. } if self.has_a_choice(id) => Dependence::Unknown,
            Act::Send { .. } | Act::Recv { .. } => {
                let partner = op.partner.and_then(|p| self.op(p));
                if partner.is_some_and(|p| p.posted) || partner.is_none() && !over {
                    return Dependence::Unknown;
                }
                let partner = partner.map(|p| p.lane);
                let mut lanes: Vec<u32> = partner.into_iter().chain(self.rivals(op, coming)).collect();
                lanes.sort_unstable();
                lanes.dedup();
                match lanes.len() {
                    0 => Dependence::Never,
                    1 => Dependence::Lanes(lanes),
                    _ => Dependence::Any(lanes),
                }
            }
        }
    }

    /// Threads that are still to start what it could belong to instead, as far as arguments go.
    fn rivals<'a>(&'a self, op: &'a Op<T>, coming: &'a Coming) -> impl Iterator<Item = u32> + 'a {
        let others = op.act.place().and_then(|place| coming.get(&place)).into_iter().flatten();
        others.filter_map(|id| self.op(*id)).filter(|other| other.could_be_of(op)).map(|other| other.lane)
    }

    /// What is still to be started, if anybody leaves open what he receives.
    fn coming(&self) -> Coming {
        let mut coming = Coming::default();
        if self.ops.iter().flatten().any(|op| op.act.is_open()) {
            for (id, op) in self.ops.iter().enumerate() {
                if let Some(Op {
                    act: Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. },
                    posted: false,
                    ..
                }) = op
                {
                    coming.entry((*comm, *at)).or_default().push(id as Id);
                }
            }
        }
        coming
    }

    /// Could it belong to another one than in the run, that is there now?
    fn has_a_choice(&self, id: Id) -> bool {
        let Some(op) = self.op(id) else { return false };
        let (Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. }) = op.act else { return false };
        let others = self.waiting.get(&(comm, at)).into_iter().flatten().filter_map(|id| self.op(*id));
        others.into_iter().any(|other| other.could_be_of(op))
    }

    fn block(&self, graph: &Graph, lane: u32) -> Option<Block<T>> {
        let call = self.front(lane)?;
        let waits = graph.waits[lane as usize].as_ref()?;
        let mut needs = Vec::new();
        if let Some(look) = &call.look {
            needs.push(Need::Partner { op: call.info.clone(), lane: self.sender(look)? });
        }
        for (id, dependence) in &waits.ops {
            let Some(op) = self.op(*id) else { continue };
            let info = op.info.clone();
            needs.push(match (dependence, &op.act) {
                (Dependence::Lanes(lanes), Act::Part { .. }) => Need::Calls { op: info, lanes: lanes.clone() },
                (Dependence::Lanes(lanes) | Dependence::Any(lanes), _) => {
                    let partner = op.partner.and_then(|p| self.op(p)).map(|partner| partner.lane);
                    Need::Partner { op: info, lane: partner.or_else(|| lanes.first().copied())? }
                }
                (Dependence::Never, _) => Need::Nobody { op: info },
                (Dependence::Unknown, _) => continue,
            });
        }
        Some(Block { lane, call: call.info.clone(), returned: call.returned, needs })
    }

    fn permission(&self, id: Id) -> Option<Permission<T>> {
        let op = self.op(id)?;
        Some(match op.act {
            Act::Send { bytes, .. } => Permission::Buffer { op: op.info.clone(), bytes },
            _ => Permission::Early { op: op.info.clone() },
        })
    }
}
