//! `message-race`: see `trace_format::catalogue::MESSAGE_RACE`.

use super::MAX_SITES;
use crate::ending::Ending;
use crate::model::Model;
use crate::recorded::{Known, Misfit, Race};
use crate::state::{Draft, Findings, Site, rank_list};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, MESSAGE_RACE};
use trace_format::finding::Severity;
use trace_format::mpi::predefined::DATATYPES;

pub(super) static CHECK: &CheckInfo = &MESSAGE_RACE;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    let races = model.deadlock_replay.matchings.races.iter().filter(|r| r.probed.is_none());
    // Races that only decide the order of things, by the place of the receive.
    let mut fitting: FxHashMap<u64, Vec<&Race>> = FxHashMap::default();
    for race in races {
        match race.misfit {
            Some(misfit) => findings.add(model, misfitting(race, misfit, model)),
            None => fitting.entry(model.place(&race.recv)).or_default().push(race),
        }
    }
    for races in fitting.into_values() {
        harmless(&races).into_iter().for_each(|draft| findings.add(model, draft));
    }
}

fn misfitting(race: &Race, misfit: Misfit, model: &Model) -> Draft {
    let all = &model.signatures;
    let name = |id: u32| DATATYPES.get(id as usize - 1).copied().unwrap_or("?");
    let (sent, room) = (all.describe(race.sent), all.describe(race.room));
    let why = match misfit {
        Misfit::TooLong => format!("{sent}, and there is room for {room}"),
        Misfit::Type(d) => {
            let (position, left, right) = (d.position, name(d.left), name(d.right));
            format!("{sent}, and {room} is expected: element {position} is {left} on one side and {right} on the other")
        }
    };
    let (at, from) = (race.recv.rank, race.other.rank);
    let message = format!("{} of rank {at} may get the message of rank {from}, which is {why}", race.recv.name());
    let formal = matches!(misfit, Misfit::Type(d) if d.formal);
    let draft = Draft::new(CHECK, message, sites(race)).ranks([at, from]);
    let draft = draft.note("this run got through because the messages came in another order, which nothing ensures");
    if formal { draft.severity(Severity::Warning) } else { draft }
}

/// The receive, the message that it got, and the other one.
fn sites(race: &Race) -> Vec<Site> {
    vec![
        Site::new(&race.recv, format!("got the message of rank {}", race.took.rank)),
        Site::new(&race.took, "sends the message that came first"),
        Site::new(&race.other, "sends the message that may come first"),
    ]
}

/// Receives of one place that could have got other messages, all of which fit.
fn harmless(races: &[&Race]) -> Option<Draft> {
    let first = races.first()?;
    let mut receives: Vec<&Known> = races.iter().map(|r| &r.recv).collect();
    receives.dedup_by(|a, b| Rc::ptr_eq(a, b));
    let mut others: Vec<&Known> = Vec::new();
    for race in races {
        if !others.iter().any(|o| (o.rank, o.site) == (race.other.rank, race.other.site)) {
            others.push(&race.other);
        }
    }
    let from: Vec<i32> = others.iter().map(|o| o.rank).collect();
    let (name, rank, took) = (first.recv.name(), first.recv.rank, first.took.rank);
    let senders = rank_list(&from);
    let message =
        format!("{name} of rank {rank} could have got the message of {senders} instead of that of rank {took}");
    let mut calls = sites(first);
    let more = others.iter().take(MAX_SITES).filter(|o| !Rc::ptr_eq(o, &first.other));
    calls.extend(more.map(|o| Site::new(o, "sends a message that may come first")));
    let mut draft = Draft::new(CHECK, message, calls).severity(Severity::Warning).ranks([rank]);
    draft.count = receives.len() as u64;
    Some(draft.note("every message fits, but which one comes is decided by luck: the results may depend on it"))
}
