//! The deadlock replay: the run once more, with the messages that it had, in a library that does no more than the
//! standard promises. Standard sends wait for their receive, collective operations for all of their communicator.
//!
//! With a fixed matching, the order in which events are tried does not matter. An event of the run is forgotten as
//! soon as it has happened here too. Where this replay cannot continue and the run did, the run needed a permission;
//! the replay names it, grants it and continues, so that it finds the next place.

mod collective;
mod grants;
mod graph;
mod input;
mod knots;
mod probes;
mod waiting;

use crate::program::Mode;
use collective::Collective;
pub use input::{Act, Call, Id, Needs};
use input::{OpenCall, Place};
pub use knots::{Block, Knot, Need, Permission};
pub use probes::Probe;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::VecDeque;
use waiting::{List, Lists, NO_LIST, Waiting};

enum Step {
    Start(Id),
    /// A call that waits, and how many of its operations were seen to be complete.
    Wait(Box<OpenCall>, usize),
}

struct Op {
    act: Act,
    thread: u32,
    partner: Option<Id>,
    posted: bool,
    /// It has matched its partner, or never will.
    matched: bool,
    complete: bool,
    /// The library needed a permission to complete it.
    granted: bool,
    /// The caller will not name it again.
    forgotten: bool,
    /// Number of steps to come that need it.
    steps: u32,
    /// Threads that wait for it.
    waiters: SmallVec<[u32; 1]>,
    /// The list in which it waits for its partner since it was posted.
    list: List,
}

struct Thread {
    /// Its place among the threads, independent of when the replay first saw it.
    order: u64,
    steps: VecDeque<Step>,
}

/// Puts a value at its place in a list.
#[inline]
fn put<V>(list: &mut Vec<Option<V>>, place: u32, value: V) {
    let place = place as usize;
    if list.len() <= place {
        lengthen(list, place + 1);
    }
    list[place] = Some(value);
}

#[cold]
fn lengthen<V>(list: &mut Vec<Option<V>>, len: usize) {
    // A quarter more, not as many again: there may be operations of thousands of ranks.
    if list.capacity() < len && len > 1 << 14 {
        list.reserve_exact((len - list.len()).max(len / 4));
    }
    list.resize_with(len, || None);
}

impl Op {
    /// Could the two match because their receive is a wildcard?
    fn could_be_of(&self, other: &Op) -> bool {
        self.act.is_open() && self.act.takes(&other.act) || other.act.is_open() && other.act.takes(&self.act)
    }
}

/// See the module.
#[derive(Default)]
pub struct DeadlockReplay {
    ops: Vec<Option<Op>>,
    threads: Vec<Thread>,
    collectives: Vec<Option<Collective>>,
    /// Threads that may be able to continue.
    ready: Vec<u32>,
    queued: usize,
    /// Sends and receives that were posted and have not matched, by communicator and destination.
    waiting: Lists,
    /// Places where a pair must let earlier operations match first.
    held: FxHashSet<Place>,
    /// Threads in a probe, by communicator and destination.
    probing: FxHashMap<Place, Vec<u32>>,
    gone: Gone,
}

/// Numbers that the replay is done with.
#[derive(Debug, Default)]
pub struct Gone {
    /// Operations and calls.
    pub ids: Vec<Id>,
    pub collectives: Vec<u32>,
}

impl DeadlockReplay {
    /// Adds a thread; they are numbered from 0. `order`: its place among all threads, so that the answer does not depend on
    /// which was seen first: its process, and 16 bits that tell it apart from the other threads of that process.
    pub fn thread(&mut self, order: u64) -> u32 {
        self.threads.push(Thread { order, steps: VecDeque::new() });
        self.threads.len() as u32 - 1
    }

    /// Number of steps of the run that have not happened here.
    pub fn lag(&self) -> usize {
        self.queued
    }

    /// Number of operations and collective operations that are kept.
    pub fn kept(&self) -> usize {
        self.ops.iter().flatten().count() + self.collectives.iter().flatten().count()
    }

    /// The part at `position` of a collective operation needs these positions alone, whatever the others need.
    pub fn part_needs(&mut self, collective: u32, position: u32, needed: Vec<u32>) {
        if let Some(Some(c)) = self.collectives.get_mut(collective as usize) {
            c.others.push((position, needed));
        }
    }

    /// The part at `position` of a collective operation may wait for these positions alone.
    pub fn part_may_need(&mut self, collective: u32, position: u32, neighbors: Vec<u32>) {
        if let Some(Some(c)) = self.collectives.get_mut(collective as usize) {
            c.may_need(position, neighbors);
        }
    }

    /// A new collective operation of `size` processes, with a number that no other one has.
    pub fn collective(&mut self, number: u32, size: u32, needs: Needs) {
        put(&mut self.collectives, number, Collective::new(size, needs));
    }

    /// The thread starts an operation. `id`: a number that no other operation and no call has.
    pub fn start(&mut self, id: Id, thread: u32, act: Act) {
        // If no step is before it, it happens at once.
        let at_once = self.threads[thread as usize].steps.is_empty();
        let op = Op {
            act,
            thread,
            partner: None,
            posted: false,
            matched: false,
            complete: false,
            granted: false,
            forgotten: false,
            steps: 1,
            waiters: SmallVec::new(),
            list: NO_LIST,
        };
        if let Act::Part { collective, position } = op.act
            && let Some(Some(c)) = self.collectives.get_mut(collective as usize)
        {
            c.parts[position as usize] = Some(id);
        }
        put(&mut self.ops, id, op);
        if at_once {
            self.post(id);
            self.go_on();
        } else {
            self.push(thread, Step::Start(id));
        }
    }

    /// The two matched in the run.
    pub fn pair(&mut self, send: Id, recv: Id) {
        for (one, other) in [(send, recv), (recv, send)] {
            if let Some(op) = self.op_mut(one) {
                op.partner = Some(other);
            }
        }
        self.try_match(send);
        self.go_on();
    }

    /// The thread called a function that waits.
    pub fn wait(&mut self, thread: u32, call: &Call) {
        if self.threads[thread as usize].steps.is_empty() && call.probe.is_none() && !self.waits(call) {
            // The call is complete at once.
            self.gone.ids.push(call.name);
            return call.ops.iter().for_each(|id| self.retire(*id));
        }
        for id in call.ops {
            if let Some(op) = self.op_mut(*id) {
                op.steps += 1;
            }
        }
        self.push(thread, Step::Wait(Box::new(OpenCall::of(call)), 0));
    }

    /// The caller will not name the operation again, except to [`DeadlockReplay::pair`] it.
    pub fn forget(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.forgotten = true;
        }
        self.retire(id);
    }

    /// The operation did not take place, or its partner is unknown: nobody waits for it.
    pub fn release(&mut self, id: Id) {
        let place = self.op(id).and_then(|op| op.act.place());
        self.no_longer_waiting(id);
        self.has_matched(id);
        self.forget(id);
        self.let_others_match(place);
        self.go_on();
    }

    #[inline]
    fn op(&self, id: Id) -> Option<&Op> {
        self.ops.get(id as usize)?.as_ref()
    }

    #[inline]
    fn op_mut(&mut self, id: Id) -> Option<&mut Op> {
        self.ops.get_mut(id as usize)?.as_mut()
    }

    /// Must the call wait for some operation?
    fn waits(&self, call: &Call) -> bool {
        call.any.unwrap_or(call.ops).iter().any(|id| self.op(*id).is_some_and(|op| !op.complete))
    }

    fn push(&mut self, thread: u32, step: Step) {
        let steps = &mut self.threads[thread as usize].steps;
        steps.push_back(step);
        self.queued += 1;
        if steps.len() == 1 {
            self.ready.push(thread);
            self.go_on();
        }
    }

    #[inline]
    fn go_on(&mut self) {
        while let Some(thread) = self.ready.pop() {
            self.advance(thread);
        }
    }

    fn advance(&mut self, thread: u32) {
        loop {
            match self.threads[thread as usize].steps.front() {
                None => return,
                Some(Step::Start(id)) => {
                    let id = *id;
                    self.threads[thread as usize].steps.pop_front();
                    self.queued -= 1;
                    self.post(id);
                }
                Some(Step::Wait(call, seen)) => {
                    let is_open = |id: &Id| self.op(*id).is_some_and(|op| !op.complete);
                    let wanted = call.wanted();
                    if let Some(more) = wanted.iter().skip(*seen).position(is_open) {
                        let place = seen + more;
                        let id = wanted[place];
                        if let Some(Step::Wait(_, seen)) = self.threads[thread as usize].steps.front_mut() {
                            *seen = place;
                        }
                        if let Some(op) = self.op_mut(id) {
                            op.waiters.push(thread);
                        }
                        return;
                    }
                    if let Some(probe) = call.probe
                        && !self.is_there(&probe, true)
                    {
                        self.probing.entry((probe.comm, probe.at)).or_default().push(thread);
                        return;
                    }
                    let Some(Step::Wait(call, _)) = self.threads[thread as usize].steps.pop_front() else { return };
                    self.queued -= 1;
                    self.gone.ids.push(call.name);
                    for id in call.ops.iter().copied() {
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
            Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. } => {
                let buffered = matches!(op.act, Act::Send { mode: Mode::Buffered, .. });
                let (thread, kind) = (op.thread, (op.act.is_send(), op.act.is_open()));
                let (list, waiting) = self.waiting.of((comm, at));
                waiting.post(id, thread, kind);
                if let Some(op) = self.op_mut(id) {
                    op.list = list;
                }
                if buffered {
                    self.complete(id);
                }
                self.try_match(id);
            }
            Act::Part { collective, position } => {
                let known = self.collectives.get_mut(collective as usize).and_then(Option::as_mut);
                for part in known.map(|c| c.post(position)).unwrap_or_default() {
                    self.complete(part);
                    self.retire(part);
                }
            }
        }
        self.step_over(id);
    }

    /// Matches a posted send or receive with its partner, if that is posted too.
    fn try_match(&mut self, id: Id) {
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
            self.has_matched(id);
        }
        self.retire(id);
        self.retire(other);
        self.let_others_match(place);
    }

    /// Tries again the pairs that had to let others match first.
    fn let_others_match(&mut self, place: Option<Place>) {
        let Some(place) = place.filter(|place| !self.held.is_empty() && self.held.remove(place)) else { return };
        for id in self.waiting.get(place).map(Waiting::in_order).unwrap_or_default() {
            if self.waiting.get(place).is_some_and(|list| list.holds(id)) {
                self.try_match(id);
            }
        }
    }

    /// The place, if the two would overtake others of their threads that are posted and could match instead.
    fn overtakes(&self, one: Id, other: Id) -> Option<Place> {
        let (a, b) = (self.op(one)?, self.op(other)?);
        let list = self.waiting.list(a.list)?;
        if list.is_first(one, a.act.is_send()) && list.is_first(other, b.act.is_send()) {
            return None;
        }
        let place = a.act.place()?;
        let in_place = |of: Id, op: &Op, partner: &Op| {
            let before = list.before(of, op.act.is_send()).filter(|w| w.thread == op.thread);
            before.filter_map(|w| self.op(w.id)).any(|x| x.act.takes(&partner.act) || partner.act.takes(&x.act))
        };
        (in_place(one, a, b) || in_place(other, b, a)).then_some(place)
    }

    fn no_longer_waiting(&mut self, id: Id) {
        let Some((act, place)) = self.op(id).and_then(|op| Some((&op.act, op.act.place()?))) else { return };
        let is_send = act.is_send();
        self.wake_probing(place.0, place.1);
        if let Some(list) = self.op_mut(id).map(|op| std::mem::replace(&mut op.list, NO_LIST)) {
            self.waiting.remove((list, place), id, is_send);
        }
    }

    fn has_matched(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.matched = true;
        }
        self.complete(id);
    }

    fn complete(&mut self, id: Id) {
        let Some(op) = self.op_mut(id) else { return };
        op.complete = true;
        if !op.waiters.is_empty() {
            let waiters = std::mem::take(&mut op.waiters);
            self.ready.extend(waiters);
        }
    }

    fn step_over(&mut self, id: Id) {
        if let Some(op) = self.op_mut(id) {
            op.steps -= 1;
        }
        self.retire(id);
    }

    /// Forgets an operation that nobody needs any more.
    #[inline]
    fn retire(&mut self, id: Id) {
        if self.op(id).is_some_and(|op| op.complete && op.forgotten && op.steps == 0) {
            self.retire_complete(id);
        }
    }

    fn retire_complete(&mut self, id: Id) {
        let Some(op) = self.op(id) else { return };
        match op.act {
            Act::Send { .. } | Act::Recv { .. } => {
                // The partner still has to see that it was posted.
                match op.partner {
                    Some(other) if !op.matched && self.op(other).is_some_and(|o| o.partner == Some(id)) => return,
                    None if op.granted || matches!(op.act, Act::Send { mode: Mode::Buffered, .. }) => return,
                    _ => {}
                }
            }
            Act::Part { collective, .. } => {
                let Some(Some(c)) = self.collectives.get_mut(collective as usize) else { return };
                if !c.have_all_arrived() {
                    return;
                }
                c.gone += 1;
                if c.gone as usize == c.parts.len() {
                    self.collectives[collective as usize] = None;
                    self.gone.collectives.push(collective);
                }
            }
        }
        self.ops[id as usize] = None;
        self.gone.ids.push(id);
    }

    /// The numbers that the replay is done with, to be emptied by the caller: they may be given to others.
    pub fn gone(&mut self) -> &mut Gone {
        &mut self.gone
    }

    fn front(&self, thread: u32) -> Option<&OpenCall> {
        match self.threads[thread as usize].steps.front() {
            Some(Step::Wait(call, _)) => Some(call),
            _ => None,
        }
    }
}
