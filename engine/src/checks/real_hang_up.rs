//! `real-hang-up`: see `trace_format::catalogue::REAL_HANG_UP`.

use super::{finished_at, grouped, note_waits};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, rank_list};
use std::collections::BTreeMap;
use trace_format::catalogue::{CheckInfo, EARLY_EXIT_OTHERS_WAIT, INCOMPLETE_CALL, MISSING_FINALIZE, REAL_HANG_UP};

pub(super) static CHECK: &CheckInfo = &REAL_HANG_UP;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    // One finding for all who wait for the same finished ranks.
    let mut by_finished: BTreeMap<&[i32], Vec<i32>> = BTreeMap::new();
    let told = |ranks: &[i32], check, rank: i32| ranks.contains(&rank) && model.selection.is_on(check);
    for (rank, needed) in &e.verdict.hang_ups {
        // A rank that left without MPI_Finalize is the cause, and has a finding of its own.
        let is_cause = |n: &i32| {
            told(&e.left, &EARLY_EXIT_OTHERS_WAIT, *n)
                || told(&e.left, &MISSING_FINALIZE, *n)
                || told(&e.left_inside, &INCOMPLETE_CALL, *n)
        };
        if !needed.iter().any(is_cause) {
            by_finished.entry(needed).or_default().push(*rank);
        }
    }
    let knots = !e.verdict.knots.is_empty();
    for (i, (finished, waiting)) in by_finished.into_iter().enumerate() {
        let call = waiting.first().and_then(|r| e.graph.calls(*r).first());
        let name = call.map_or("a call", |c| c.name());
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        let has = if finished.len() == 1 { "has" } else { "have" };
        let message =
            format!("{} {verb} in {name} for {}, which {has} finished", rank_list(&waiting), rank_list(finished));
        let parts = waiting.iter().flat_map(|r| e.graph.roles(*r).map(|(call, role)| (call.clone(), role)));
        let mut sites = grouped(model, parts.collect::<Vec<_>>());
        sites.extend(waiting.iter().take(4).flat_map(|r| e.graph.awaited(*r).iter().cloned()));
        sites.extend(waiting.iter().take(4).filter_map(|r| e.graph.never_started(model, *r)));
        sites.extend(finished_at(finished, model));
        let ranks = waiting.iter().chain(finished).copied();
        let mut draft = Draft::new(CHECK, message, sites).ranks(ranks);
        note_waits(&mut draft, e, &waiting, &[]);
        draft.notes.extend(e.graph.hints(model, &waiting));
        if i == 0 && !knots && !e.verdict.behind.is_empty() {
            let verb = if e.verdict.behind.len() == 1 { "waits" } else { "wait" };
            draft.notes.push(format!("{} {verb} behind them", rank_list(&e.verdict.behind)));
        }
        findings.add(model, draft);
    }
}
