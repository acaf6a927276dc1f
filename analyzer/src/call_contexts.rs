//! The calls around some calls of a run, from a second reading of its traces: the calls before and after, and how often
//! their call site was passed. Only the calls that were asked for are kept.

use crate::load::Traces;
use report::{AFTER, BEFORE, CallContext, CountedCall, Place};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use trace_format::definition::{Definition, Id};
use trace_format::mpi::FnId;
use trace_reader::call::Outcome;
use trace_reader::reader::RankEvent;

/// Reads the traces of these processes again.
pub fn read(traces: &Traces, wanted: &BTreeMap<i32, BTreeSet<Place>>) -> BTreeMap<i32, CallContext> {
    wanted.iter().filter_map(|(rank, places)| Some((*rank, read_one(traces, *rank, places)?))).collect()
}

fn read_one(traces: &Traces, rank: i32, places: &BTreeSet<Place>) -> Option<CallContext> {
    let mut traces = traces.only(rank)?;
    traces.writer_is_gone(rank);
    let header = traces.header(rank)?;
    let (start, ticks) = (header.start_ticks, header.ticks_per_second.max(1) as f64);
    let mut context = CallContext::default();
    let mut passes: FxHashMap<(FnId, Id), u64> = FxHashMap::default();
    // Calls whose number of polls comes later in the trace.
    let mut open: FxHashMap<Place, (FnId, Id)> = FxHashMap::default();
    let is_near = |thread: u16, index: u64| {
        let near = (thread, index.saturating_sub(AFTER))..=(thread, index.saturating_add(BEFORE));
        places.range(near).next().is_some()
    };
    let mut take = |event: RankEvent| match event {
        RankEvent::Definition(definition) => {
            context.names.learn(&definition);
            if let Definition::Comm { id, local, .. } = definition {
                context.comms.insert(id, local);
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
                context.calls.insert(place, CountedCall { pass: this, seconds, call });
            }
        }
        RankEvent::Return { thread, index, time, class, polls, outs } => {
            if let Some(place) = open.remove(&(thread, index)) {
                *passes.entry(place).or_default() += u64::from(polls);
            }
            if let Some(CountedCall { call, .. }) = context.calls.get_mut(&(thread, index)) {
                (call.t_return, call.outcome, call.polls, call.outs) = (time, Outcome::Returned(class), polls, outs);
            }
        }
        RankEvent::System { .. } => {}
    };
    while !traces.poll(4, &|_| false, &mut |_, event| take(event.into())).is_empty() {}
    Some(context)
}
