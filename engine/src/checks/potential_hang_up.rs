//! `potential-hang-up`: see `trace_format::catalogue::POTENTIAL_HANG_UP`.

use super::potential_deadlock::{explain, otherwise, sites};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, rank_list};
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, NONPAIRED_SEND, POTENTIAL_HANG_UP};

pub(super) static CHECK: &CheckInfo = &POTENTIAL_HANG_UP;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for found in model.deadlock_replay.found.iter().filter(|f| f.is_hang_up()) {
        let ops = || found.blocks.iter().flat_map(|b| &b.needs).filter(|n| n.ranks.is_empty()).map(|n| &n.op);
        let alone = || e.alone.iter().map(|a| &a.shown);
        // That others never call a collective operation, and which messages are certainly alone, is told elsewhere.
        if model.selection.is_on(&NONPAIRED_SEND) || !ops().any(|op| alone().any(|a| Rc::ptr_eq(a, op))) {
            continue;
        }
        let ranks: Vec<i32> = found.blocks.iter().map(|b| b.rank).collect();
        let name = found.blocks.first().map_or("a call", |b| b.call.name());
        let message = format!("{} may wait in {name} for ever: nobody does what it waits for", rank_list(&ranks));
        findings.add(model, explain(found, model, Draft::new(CHECK, message, sites(found)).ranks(ranks)));
    }
    for schedule in model.deadlock_replay.matchings.schedules.iter().filter(|s| !s.is_deadlock()) {
        findings.add(model, otherwise(model, CHECK, schedule));
    }
}
