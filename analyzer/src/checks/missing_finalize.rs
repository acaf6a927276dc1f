//! `missing-finalize`: see `trace_format::catalogue::MISSING_FINALIZE`.

use super::grouped;
use crate::engine::Model;
use crate::engine::ending::Ending;
use crate::engine::facts::{Draft, Report, Site, rank_list};
use trace_format::catalogue::{CheckInfo, LEAK_SESSION, MISSING_FINALIZE};

pub(super) static CHECK: &CheckInfo = &MISSING_FINALIZE;

pub(super) fn rule(e: &Ending, model: &Model, report: &mut Report) {
    // The process itself has said which session it left open.
    let told = |r: &i32| model.ranks[*r as usize].discoveries.iter().any(|d| std::ptr::eq(d.check, &LEAK_SESSION));
    let left: Vec<i32> = e.left.iter().copied().filter(|r| !told(r)).collect();
    if left.is_empty() {
        return;
    }
    let last = |r: &i32| model.ranks[*r as usize].threads.iter().find_map(|t| t.last.clone());
    let parts = left.iter().filter_map(|r| last(r).map(|l| (l, "the last MPI call".to_owned())));
    let statuses: Vec<i32> = left.iter().filter_map(|r| model.ranks[*r as usize].exit).collect();
    let status = match statuses[..] {
        [first, ..] if statuses.iter().all(|s| *s == first) => format!(" with exit status {first}"),
        _ => String::new(),
    };
    let by_sessions = |r: &i32| !model.ranks[*r as usize].initialized || model.ranks[*r as usize].finalize.is_some();
    let what = if left.iter().all(by_sessions) { "MPI_Session_finalize" } else { "MPI_Finalize" };
    let message = format!("{} ended{status} without {what}", rank_list(&left));
    let mut draft = Draft::new(CHECK, message, grouped(model, parts)).ranks(left.iter().copied());
    // Those who wait for it are a consequence.
    for (rank, needed) in &e.verdict.hang_ups {
        if needed.iter().any(|n| left.contains(n))
            && let Some(call) = e.graph.calls(*rank).first()
        {
            let who = rank_list(needed);
            draft.notes.push(format!("rank {rank} waits for {who} in {}", call.name()));
            if draft.calls.len() < super::MAX_SITES {
                draft.calls.push(Site::new(call, e.graph.role(*rank)));
            }
        }
    }
    draft.notes.extend(e.aftermath());
    report.add(model, draft);
}
