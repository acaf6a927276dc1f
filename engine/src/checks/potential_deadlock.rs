//! `potential-deadlock`: see `trace_format::catalogue::POTENTIAL_DEADLOCK`.

use super::{MAX_SITES, real_deadlocks};
use crate::arg_places::arg_places;
use crate::deadlock_replay::{Blocked, Unpromised, comes_late};
use crate::ending::Ending;
use crate::model::Model;
use crate::recorded::Schedule;
use crate::state::{Draft, Findings, Holder, Origin, Site, plural, rank_list};
use crate::waits::Knot;
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, POTENTIAL_DEADLOCK};
use trace_format::definition::Id;
use trace_format::finding::Rerun;
use trace_format::run::job::Buffering;

/// Ranks of a knot that are named in the message.
const MOST_NAMED: usize = 12;

pub(super) static CHECK: &CheckInfo = &POTENTIAL_DEADLOCK;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for found in model.deadlock_replay.found.iter().filter(|f| !f.is_hang_up()) {
        // A deadlock that has come in the end says itself how often it was near.
        if real_deadlocks(e, model).any(|(_, knot)| is_of(found, knot, e, model)) {
            continue;
        }
        let mut ranks: Vec<i32> = found.blocks.iter().map(|b| b.rank).collect();
        ranks.dedup();
        let path = path(&found.blocks).into_iter().map(|b| {
            let name = model.names.short(b.rank);
            format!("{name}: {}", b.call.name())
        });
        let mut path: Vec<String> = path.collect();
        if path.len() > 12 {
            path.truncate(12);
            path.push("...".into());
        }
        path.extend(found.blocks.first().map(|b| model.names.short(b.rank)));
        let whom = if ranks.len() == 1 { "for itself" } else { "for each other" };
        let message = format!("{} may wait {whom}: {}", rank_list(&ranks), path.join(" -> "));
        let draft = Draft::new(CHECK, message, sites(found)).ranks(ranks);
        findings.add(model, explain(found, model, draft));
    }
    for schedule in model.deadlock_replay.matchings.schedules.iter().filter(|s| s.is_deadlock()) {
        findings.add(model, otherwise(model, CHECK, schedule));
    }
}

/// Processes that hold locks of windows while they wait.
pub(super) fn locks(knot: &[Holder], model: &Model, findings: &mut Findings) {
    let calls: Vec<&Rc<Origin>> = knot.iter().flat_map(|holder| [&holder.waits_in, &holder.holds]).collect();
    findings.add_lazy(model, CHECK, &calls, 1, || {
        let ranks: Vec<i32> = knot.iter().map(|holder| holder.holds.rank).collect();
        let step = |holder: &Holder| format!("{}: {}", model.names.short(holder.holds.rank), holder.waits_in.name());
        let first = ranks.first().map(|rank| model.names.short(*rank));
        let path: Vec<String> = knot.iter().take(MOST_NAMED).map(step).chain(first).collect();
        let next = ranks.iter().cycle().skip(1);
        let mut sites = Vec::new();
        for (holder, next) in knot.iter().zip(next).take(MAX_SITES) {
            let role = format!("waits for rank {next}, if that got its lock before");
            sites.push(Site::new(&holder.waits_in, role));
            if !Rc::ptr_eq(&holder.holds, &holder.waits_in) {
                sites.push(Site::new(&holder.holds, "got the lock that it holds meanwhile"));
            }
        }
        let message = format!("{} may wait for each other: {}", rank_list(&ranks), path.join(" -> "));
        let draft = Draft::new(CHECK, message, sites).ranks(ranks);
        let draft = draft
            .note("the ranks got through because they asked for their locks in another order, which nothing ensures");
        draft.note("a library may wait for the lock in MPI_Win_lock (MPI 4.1, 12.5.3), or not until it is used")
    });
}

/// The permissions by which the calls of a real deadlock had got through before.
pub(super) fn near(knot: &Knot, e: &Ending, model: &Model) -> Option<String> {
    let told = model.deadlock_replay.found.iter().filter(|_| model.selection.is_on(CHECK));
    let found = told.into_iter().find(|f| !f.is_hang_up() && is_of(f, knot, e, model))?;
    let what = match found.most {
        0 => "some of them returned before all ranks had called them".to_owned(),
        most => format!("the library buffered what they sent, up to {most} bytes at once"),
    };
    let times = plural(found.count, "time");
    Some(format!("these calls could have waited for each other {times} before, and got through because {what}"))
}

/// Did the same calls get through before they formed the knot?
fn is_of(found: &Unpromised, knot: &Knot, e: &Ending, model: &Model) -> bool {
    found.is_at(model, knot.ranks.iter().flat_map(|r| e.graph.calls(*r)).cloned())
}

/// The blocked ranks in the order in which they wait for each other, from the first one on.
fn path(blocks: &[Blocked]) -> Vec<&Blocked> {
    let mut path: Vec<&Blocked> = Vec::new();
    let mut at = blocks.first();
    while let Some(block) = at.filter(|b| !path.iter().any(|p| std::ptr::eq(*p, *b))) {
        path.push(block);
        let next = |b: &&Blocked| block.needs.iter().any(|n| n.ranks.contains(&b.rank));
        // The shortest way back, if there is one; otherwise on to somebody new.
        let new = blocks.iter().filter(next).find(|b| !path.iter().any(|p| std::ptr::eq(*p, *b)));
        at = if path.len() > 1 && blocks.first().is_some_and(|first| next(&first)) { None } else { new };
    }
    path
}

/// Where the ranks wait, for whom, and what would have to be granted.
pub(super) fn sites(found: &Unpromised) -> Vec<Site> {
    let mut sites = Vec::new();
    for block in found.blocks.iter().take(2 * MAX_SITES) {
        let mut ranks: Vec<i32> = block.needs.iter().flat_map(|n| n.ranks.iter().copied()).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut role = found.permission(&block.call).unwrap_or_default();
        if !role.is_empty() {
            role.push_str("; ");
        }
        match ranks.is_empty() {
            true => role.push_str("otherwise waits for a call that no rank makes"),
            false => role.push_str(&format!("otherwise waits for {}", rank_list(&ranks))),
        }
        sites.push(Site::new(&block.call, role));
        for wanted in block.needs.iter().filter(|w| !Rc::ptr_eq(&w.op, &block.call)).take(4) {
            let role = found.permission(&wanted.op).unwrap_or_else(|| "started what is waited for".into());
            sites.push(Site::new(&wanted.op, role));
        }
    }
    sites
}

/// Explains by which permissions of its library the run got through.
pub(super) fn explain(found: &Unpromised, model: &Model, mut draft: Draft) -> Draft {
    let who = if draft.ranks.len() == 1 { "the rank" } else { "the ranks" };
    if !found.buffers.is_empty() {
        let bytes: u64 = found.buffers.iter().map(|b| b.1).sum();
        let least = if found.least { "at least " } else { "" };
        let what = plural(found.buffers.len() as u64, "message");
        let later = match found.most > bytes {
            true => format!(", and up to {} bytes another time", found.most),
            false => String::new(),
        };
        draft
            .notes
            .push(format!("{who} got through because the library buffered {least}{bytes} bytes ({what}){later}"));
    }
    if let Some(early) = found.early.first() {
        draft.notes.push(format!(
            "{who} got through because {} returned before {}",
            early.name(),
            comes_late(early, "had")
        ));
    }
    if !found.buffers.is_empty() {
        draft.notes.extend(model.buffering_limit.as_ref().map(|limit| limit.text()));
    }
    draft.notes.extend(model.buffering.as_ref().and_then(|measured| limit(found, model, measured)));
    for block in &found.blocks {
        let ranks = block.needs.iter().flat_map(|n| n.ranks.iter().copied()).collect();
        draft.waits(&block.call, ranks, false);
    }
    draft.count = found.count;
    draft
}

/// Says what happens if receives get other messages than they did.
pub(super) fn otherwise(model: &Model, check: &'static CheckInfo, schedule: &Schedule) -> Draft {
    let ranks: Vec<i32> = schedule.stuck.iter().map(|s| s.rank).collect();
    let name = |call: &Origin| format!("{} of rank {}", call.name(), model.names.short(call.rank));
    let condition = match schedule.swaps.first() {
        Some(swap) => format!("if {} gets the message of rank {}", name(&swap.recv), swap.takes.rank),
        None => "in another order of messages".into(),
    };
    let how = if schedule.is_deadlock() && ranks.len() > 1 { "wait for each other" } else { "wait for ever" };
    let message = format!("{} may {how}, {condition}", rank_list(&ranks));
    let mut sites = Vec::new();
    for stuck in schedule.stuck.iter().take(2 * MAX_SITES) {
        let role = match stuck.waits_for[..] {
            [] => "then waits for a call that no rank makes".to_owned(),
            _ => format!("then waits for {}", rank_list(&stuck.waits_for)),
        };
        sites.push(Site::new(&stuck.call, role));
    }
    for swap in schedule.swaps.iter().take(MAX_SITES) {
        let instead = swap.took.as_ref().map_or(String::new(), |t| format!(" instead of that of rank {}", t.rank));
        sites.push(Site::new(&swap.recv, format!("may get the message of rank {}{instead}", swap.takes.rank)));
        sites.push(Site::new(&swap.takes, "sends the message that may come first"));
    }
    let mut draft = Draft::new(check, message, sites).ranks(ranks);
    schedule.stuck.iter().for_each(|s| draft.waits(&s.call, s.waits_for.clone(), false));
    draft.notes.push("this run got through because the messages came in another order, which nothing ensures".into());
    if schedule.strict {
        draft.notes.push("it also takes a library that buffers nothing here, as the standard permits".into());
    }
    if let Some(number) = schedule.witness {
        draft.rerun = Some(Rerun { witness: number, sync_sends: schedule.strict });
        let sync = if schedule.strict { " --sync-sends" } else { "" };
        draft.notes.push(format!(
            "to see it happen: mpivet run{sync} --replay witness-{number}.json (in the directory of the trace)"
        ));
    }
    draft.notes.push("taken for granted: the ranks go on in the same way whichever message they get".into());
    draft
}

/// From which size on the library does not save the program any more, as far as it was measured.
fn limit(found: &Unpromised, model: &Model, measured: &Buffering) -> Option<String> {
    let Buffering { bytes, at_least, sender, receiver, same_host } = measured;
    let largest = found.buffers.iter().map(|b| b.1).max()?;
    let hosts = if *same_host { "on one host" } else { "on two hosts" };
    let up_to = if *at_least { "at least " } else { "up to " };
    let known = format!(
        "the MPI library buffers messages of {up_to}{bytes} bytes (measured between ranks {sender} and {receiver}, {hosts})"
    );
    // This limit does not decide a deadlock that needs more than buffering, or that took another way.
    if *at_least || !found.early.is_empty() || largest > *bytes {
        return Some(known);
    }
    let mut sizes: Vec<Option<u64>> = found.sends().map(|send| element(model, send)).collect();
    sizes.dedup();
    Some(match sizes[..] {
        [Some(size)] if size > 0 => format!("{known}: with {} elements and more it will hang", bytes / size + 1),
        _ => format!("{known}: with larger ones it will hang"),
    })
}

/// Bytes of one element of what a call sends.
fn element(model: &Model, send: &Origin) -> Option<u64> {
    let datatype = send.int(arg_places(send.func).send.datatype)?;
    model.one(send.rank, datatype as Id)?.bytes
}
