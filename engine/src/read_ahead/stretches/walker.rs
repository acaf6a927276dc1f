//! One rank on its way through a stretch.

use super::super::batch::Next;
use super::super::call_key::{Completed, completed_by, likeness_of};
use super::super::laps::Source;
use super::{Common, Cond, Done, Gone};
use crate::arg_places::{NONE, arg_places};
use crate::engine::{Act, CallSeen, Engine, Own, Shape, WholeCalls};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;
use trace_format::mpi::Class;
use trace_format::mpi::special::ANY_TAG;
use trace_reader::args::{Arg, Args};
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::Repeat;

/// So many shapes of calls that come whole are kept of each rank.
const MOST_SHAPES: usize = 1 << 8;

/// The requests that a call is given.
enum Given {
    /// One: its variable and handle.
    One(Own, Own),
    /// The address of the first, and the handles.
    Several(u64, Vec<i64>),
}

/// The calls of a slot.
enum Known {
    Nothing,
    /// Something of which more has to be known than is known here.
    Unclear,
    /// With a hash of what they have in common.
    Call(Rc<Shape>, u64),
    Wait(Given, Completed),
}

/// A rank that is led on.
pub(super) struct Walker {
    rank: i32,
    /// The number of the batch in which its next call is, and its place there, if that was looked at.
    batch: usize,
    next: Option<Next>,
    /// The only thread.
    thread: Option<u16>,
    slots: Vec<Option<Known>>,
    /// Likenesses of calls in which the engine has found nothing.
    likenesses: FxHashSet<u64>,
    /// The shapes of some of those that come whole, if all with that likeness have it.
    shapes: FxHashMap<u64, Rc<Shape>>,
    whole: WholeCalls,
    /// Requests by their variables: their handles, and what completes them.
    requests: FxHashMap<u64, (i64, Cond)>,
    /// The things that it waits for, of which the last one is looked at first.
    pub(super) waits: SmallVec<[Cond; 4]>,
    pub(super) is_on_stack: bool,
    /// Calls of this stretch, and what was done in them: as `Rank::counts` has it.
    pub(super) done: Done,
    stride: u64,
}

impl Walker {
    pub(super) fn new(source: &Source, stride: u64) -> Walker {
        Walker {
            rank: source.rank(),
            batch: source.first_batch(),
            next: None,
            thread: None,
            slots: Vec::new(),
            likenesses: FxHashSet::default(),
            shapes: FxHashMap::default(),
            whole: WholeCalls::default(),
            requests: FxHashMap::default(),
            waits: SmallVec::new(),
            is_on_stack: false,
            done: Done::default(),
            stride,
        }
    }

    fn keep(&mut self, slot: u16, known: Known) {
        let slot = usize::from(slot);
        if slot >= self.slots.len() {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot] = Some(known);
    }

    /// The first thing that it waits for that has not come.
    #[inline]
    pub(super) fn blocked_on(&mut self, common: &Common) -> Option<Cond> {
        while let Some(cond) = self.waits.last() {
            if !common.is_met(*cond) {
                return Some(*cond);
            }
            self.waits.pop();
        }
        None
    }
}

impl Walker {
    /// Has it done what it has to do in a stretch, and has no request left?
    pub(super) fn is_through(&self, source: &Source, goal: u64) -> bool {
        self.requests.is_empty() && (self.done.calls() >= goal || !source.is_live())
    }

    /// Goes on by one call.
    pub(super) fn go(
        &mut self,
        place: usize,
        source: &mut Source,
        places: &FxHashMap<i32, usize>,
        engine: &mut Engine,
        common: &mut Common,
    ) -> Result<(), Gone> {
        loop {
            let Some(batch) = source.batch(self.batch) else {
                return Err(if source.may_be_more() { Gone::Wait } else { Gone::Lost });
            };
            let next = match &mut self.next {
                Some(next) => next,
                none => none.insert(batch.open()),
            };
            let mut next = next.clone();
            // Only calls are shown.
            let mut gone = None;
            batch.look(&mut next, 1, |call| gone = Some(self.take(place, call, places, engine, common)));
            if let Some(gone) = gone {
                self.next = Some(next);
                return gone;
            }
            if !batch.is_at_end(&next) {
                return Err(Gone::Lost);
            }
            (self.batch, self.next) = (self.batch + 1, None);
        }
    }

    fn take(
        &mut self,
        place: usize,
        seen: CallSeen,
        places: &FxHashMap<i32, usize>,
        engine: &mut Engine,
        common: &mut Common,
    ) -> Result<(), Gone> {
        let (thread, repeat) = match seen {
            CallSeen::Repeat(repeat) if repeat.class == 0 => (repeat.thread, Some(repeat)),
            CallSeen::Whole(call) if call.outcome == Outcome::Returned(0) && call.polls == 0 => (call.thread, None),
            _ => return Err(Gone::Lost),
        };
        if *self.thread.get_or_insert(thread) != thread {
            return Err(Gone::Lost);
        }
        let done = &mut self.done.counts;
        (done[0], done[4]) = (done[0] + 1, done[4] + 2);
        // Taken out as long as it is looked at.
        let (slot, known) = match seen {
            CallSeen::Repeat(repeat) => {
                let kept = self.slots.get_mut(usize::from(repeat.slot)).and_then(Option::take);
                let known = match kept {
                    Some(known) => known,
                    None => self.known_of_kept(place, repeat, engine, common).ok_or(Gone::Lost)?,
                };
                (Some(repeat.slot), known)
            }
            CallSeen::Whole(call) => {
                self.whole.note(call);
                (call.slot, self.known_of_whole(place, call, engine, common))
            }
            CallSeen::Other => return Err(Gone::Lost),
        };
        match &known {
            Known::Unclear => return Err(Gone::Lost),
            Known::Nothing => {}
            Known::Wait(given, completed) => self.complete(repeat, given, completed, common).ok_or(Gone::Lost)?,
            Known::Call(shape, likeness) => {
                let begun = self.begin(place, seen, (shape, *likeness), places, engine, common).ok_or(Gone::Lost)?;
                match shape.made {
                    Some(made) => {
                        let (variable, handle) = made_by(seen, made).unwrap_or_default();
                        // The variable of a request that is not complete is the only way to it.
                        if variable == 0 || handle == 0 || self.requests.insert(variable, (handle, begun)).is_some() {
                            return Err(Gone::Lost);
                        }
                    }
                    None if common.is_met(begun) => {}
                    None => self.waits.push(begun),
                }
            }
        }
        if let Some(slot) = slot {
            self.keep(slot, known);
        }
        Ok(())
    }

    /// It waits until these requests are complete. `None`: nobody knows which these are.
    fn complete(
        &mut self,
        repeat: Option<&Repeat>,
        given: &Given,
        completed: &Completed,
        common: &Common,
    ) -> Option<()> {
        let (base, several) = match given {
            Given::One(variable, handle) => {
                return match completed {
                    Completed::All => self.complete_one(variable.of(repeat) as u64, handle.of(repeat), common),
                    Completed::Some(_) => None,
                };
            }
            Given::Several(base, handles) => (*base, handles),
        };
        let stride = self.stride;
        let address = |i: usize| if base == 0 { 0 } else { base.wrapping_add(i as u64 * stride) };
        match completed {
            Completed::All => {
                several.iter().enumerate().try_for_each(|(i, handle)| self.complete_one(address(i), *handle, common))
            }
            Completed::Some(some) => {
                some.iter().try_for_each(|i| self.complete_one(address(*i), *several.get(*i)?, common))
            }
        }
    }

    #[inline]
    fn complete_one(&mut self, variable: u64, handle: i64, common: &Common) -> Option<()> {
        if handle == 0 {
            return Some(());
        }
        let (made, begun) = self.requests.remove(&variable)?;
        if made != handle {
            return None;
        }
        if !common.is_met(begun) {
            self.waits.push(begun);
        }
        Some(())
    }

    /// Begins what a call does: what completes it. `None`: more has to be known of it.
    fn begin(
        &mut self,
        place: usize,
        seen: CallSeen,
        (shape, likeness): (&Shape, u64),
        places: &FxHashMap<i32, usize>,
        engine: &mut Engine,
        common: &mut Common,
    ) -> Option<Cond> {
        let [sends, receives, collectives, open] = shape.counts;
        let done = &mut self.done.counts;
        (done[1], done[2], done[3]) = (done[1] + sends, done[2] + receives, done[3] + collectives);
        self.done.open += open;
        match &shape.act {
            Act::Nothing => Some(Cond::Always),
            Act::Messages(halves) => {
                let mut last = Cond::Always;
                for half in halves {
                    let peer = *places.get(&half.peer?)?;
                    let (tag, filling) = half.tag_and_filling(seen, &self.whole, &common.seen, engine)?;
                    if tag < 0 {
                        return None;
                    }
                    let ends = if half.is_send { (place, peer) } else { (peer, place) };
                    let (met, fits) = common.lanes.add((half.comm, ends, tag), half.is_send, filling, engine);
                    common.is_new |= filling.is_none() || !fits;
                    if !common.is_met(last) {
                        self.waits.push(last);
                    }
                    last = met;
                }
                Some(last)
            }
            Act::Open(half, named) => {
                let (source, tag) = half.taken(seen)?;
                let told = engine.peer(half.comm, self.rank, source)?;
                if named.is_some_and(|named| named != told) {
                    return None;
                }
                let peer = *places.get(&told)?;
                let (wanted, filling) = half.tag_and_filling(seen, &self.whole, &common.seen, engine)?;
                // Another call like it may have named a tag.
                if named.is_some() && wanted != i64::from(ANY_TAG) {
                    return None;
                }
                let tag = i64::from(tag);
                let filling = filling.map(|filling| filling.with_taken(tag));
                let (met, fits) = common.lanes.add((half.comm, (peer, place), tag), false, filling, engine);
                common.is_new |= filling.is_none() || !fits;
                Some(met)
            }
            Act::Probe(comm, named, status) => {
                let (peer, tag) = match named {
                    Some(named) => *named,
                    None => {
                        let told = match seen {
                            CallSeen::Whole(call) => match call.outs.get(arg_places(call.func).status.into()) {
                                Arg::Status(status) => Some(status),
                                _ => None,
                            },
                            _ => *status,
                        };
                        let told = told.filter(|told| told.source >= 0 && told.tag >= 0)?;
                        (engine.peer(*comm, self.rank, told.source)?, told.tag.into())
                    }
                };
                let peer = *places.get(&peer)?;
                Some(common.lanes.look((*comm, (peer, place), tag)))
            }
            Act::Collective(comm, position) => {
                let (met, is_known) = common.meetings.add((*comm, *position), likeness, places, engine)?;
                common.is_new |= !is_known;
                Some(met)
            }
        }
    }

    /// The engine has found nothing in a call with this likeness; of at most so many it is remembered.
    pub(super) fn is_known(&mut self, likeness: u64, most: usize) {
        if self.likenesses.len() >= most {
            self.likenesses.clear();
        }
        self.likenesses.insert(likeness);
    }

    pub(super) fn forget_shapes(&mut self) {
        self.slots.clear();
        self.shapes.clear();
    }

    fn known_of_whole(&mut self, place: usize, call: &Call<Args>, engine: &mut Engine, common: &mut Common) -> Known {
        if let Class::Wait(_) = arg_places(call.func).class {
            return wait_of(call);
        }
        let likeness = likeness_of(call);
        if let Some(shape) = self.shapes.get(&likeness) {
            return Known::Call(Rc::clone(shape), likeness);
        }
        let is_known = self.likenesses.contains(&likeness);
        let Some(shape) = engine.shape_of_whole(self.rank, call, is_known) else { return Known::Unclear };
        let shape = Rc::new(shape);
        if is_known && shape.is_of_all_alike() {
            if self.shapes.len() >= MOST_SHAPES {
                self.shapes.clear();
            }
            self.shapes.insert(likeness, Rc::clone(&shape));
        }
        self.known(place, likeness, shape, common)
    }

    /// The calls that repeat one that the engine was given.
    fn known_of_kept(
        &mut self,
        place: usize,
        repeat: &Repeat,
        engine: &mut Engine,
        common: &mut Common,
    ) -> Option<Known> {
        let (shape, call) = engine.shape_of_kept(self.rank, repeat)?;
        if let Class::Wait(_) = arg_places(call.func).class {
            return Some(wait_of(&call));
        }
        Some(self.known(place, likeness_of(&call), Rc::new(shape?), common))
    }

    fn known(&mut self, place: usize, likeness: u64, shape: Rc<Shape>, common: &mut Common) -> Known {
        if !self.likenesses.contains(&likeness) {
            common.is_new = true;
            common.likenesses.insert((place, likeness));
        }
        match (&shape.act, &shape.made) {
            (Act::Nothing, None) => Known::Nothing,
            _ => Known::Call(shape, likeness),
        }
    }
}

/// Variable and handle of the request that a call makes.
fn made_by(seen: CallSeen, (variable, handle): (Own, Own)) -> Option<(u64, i64)> {
    match seen {
        CallSeen::Repeat(repeat) => Some((variable.of(Some(repeat)) as u64, handle.of(Some(repeat)))),
        CallSeen::Whole(call) => {
            let place = usize::from(arg_places(call.func).request);
            Some((call.ins.int(place)? as u64, call.outs.int(place)?))
        }
        CallSeen::Other => None,
    }
}

fn wait_of(call: &Call<Args>) -> Known {
    let s = arg_places(call.func);
    if s.request == NONE {
        return Known::Unclear;
    }
    let (base, handles) = call.ins.requests(s.request.into());
    let completed = completed_by(s, &call.outs);
    if s.own.slot != NONE && s.own.handle != NONE && matches!(completed, Completed::All) {
        let first = handles.first().copied().unwrap_or(0);
        return Known::Wait(
            Given::One(Own::new(Some(s.own.slot), base as i64), Own::new(Some(s.own.handle), first)),
            completed,
        );
    }
    Known::Wait(Given::Several(base, handles.to_vec()), completed)
}
