//! The calls around some calls of a run, from a second reading of its traces: what came before and after, how often their
//! place was passed. Only what is asked for is kept.

use crate::load::Traces;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use trace_format::call::{Call, Outcome};
use trace_format::definition::{Definition, Id};
use trace_format::mpi::{FnId, Kind};
use trace_format::ranks::Ranks;
use trace_format::reader::RankEvent;
use trace_format::text::Names;

/// Calls kept before and after each one that is asked for.
const BEFORE: u64 = 3;
const AFTER: u64 = 2;

/// A call of a process: thread, and its place in the thread's sequence of calls.
pub type Place = (u16, u64);

/// Names that the program gave to its objects.
#[derive(Debug, Default)]
pub struct ObjectNames(HashMap<(Kind, Id), String>);

impl ObjectNames {
    /// Takes a name from its definition.
    pub fn learn(&mut self, definition: &Definition) {
        match definition {
            Definition::CommName { id, name } => _ = self.0.insert((Kind::Comm, *id), name.clone()),
            Definition::TypeName { id, name } => _ = self.0.insert((Kind::Datatype, *id), name.clone()),
            _ => {}
        }
    }
}

impl Names for ObjectNames {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        self.0.get(&(kind, id)).cloned()
    }
}

/// A call, and how many calls its function had at its call site with this one.
#[derive(Debug)]
pub struct Passed {
    pub call: Call,
    pub pass: u64,
    /// When it was called, in seconds since the start of its process.
    pub seconds: f64,
}

/// What is kept of one process.
#[derive(Debug, Default)]
pub struct Trail {
    pub calls: BTreeMap<Place, Passed>,
    pub names: ObjectNames,
    /// The groups of its communicators, in its own numbers of processes.
    pub comms: HashMap<Id, Ranks>,
}

impl Trail {
    /// The calls around one of them, in order.
    pub fn around(&self, (thread, index): Place) -> impl Iterator<Item = &Passed> {
        let calls = self.calls.range((thread, index.saturating_sub(BEFORE))..=(thread, index.saturating_add(AFTER)));
        calls.map(|(_, passed)| passed)
    }
}

/// Reads the traces of these processes again.
pub fn read(traces: &Traces, wanted: &BTreeMap<i32, BTreeSet<Place>>) -> BTreeMap<i32, Trail> {
    wanted.iter().filter_map(|(rank, places)| Some((*rank, read_one(traces, *rank, places)?))).collect()
}

fn read_one(traces: &Traces, rank: i32, places: &BTreeSet<Place>) -> Option<Trail> {
    let mut traces = traces.only(rank)?;
    traces.writer_is_gone(rank);
    let header = traces.header(rank)?;
    let (start, ticks) = (header.start_ticks, header.ticks_per_second.max(1) as f64);
    let mut trail = Trail::default();
    let mut passes: FxHashMap<(FnId, Id), u64> = FxHashMap::default();
    // Calls whose number of polls is still to come.
    let mut open: FxHashMap<Place, (FnId, Id)> = FxHashMap::default();
    let is_near = |thread: u16, index: u64| {
        let near = (thread, index.saturating_sub(AFTER))..=(thread, index.saturating_add(BEFORE));
        places.range(near).next().is_some()
    };
    let mut take = |event: RankEvent| match event {
        RankEvent::Definition(definition) => {
            trail.names.learn(&definition);
            if let Definition::Comm { id, local, .. } = definition {
                trail.comms.insert(id, local);
            }
        }
        RankEvent::Call(call) => {
            let pass = passes.entry((call.func, call.site)).or_default();
            let this = *pass + 1;
            *pass = this + u64::from(call.polls);
            if call.is_open() {
                open.insert((call.thread, call.index), (call.func, call.site));
            }
            if is_near(call.thread, call.index) {
                let seconds = call.t_call.saturating_sub(start) as f64 / ticks;
                let place = (call.thread, call.index);
                trail.calls.insert(place, Passed { pass: this, seconds, call });
            }
        }
        RankEvent::Return { thread, index, time, class, polls, outs } => {
            if let Some(place) = open.remove(&(thread, index)) {
                *passes.entry(place).or_default() += u64::from(polls);
            }
            if let Some(Passed { call, .. }) = trail.calls.get_mut(&(thread, index)) {
                (call.t_return, call.outcome, call.polls, call.outs) = (time, Outcome::Returned(class), polls, outs);
            }
        }
        RankEvent::System { .. } => {}
    };
    while !traces.poll(4, &|_| false, &mut |_, event| take(event.into())).is_empty() {}
    Some(trail)
}
