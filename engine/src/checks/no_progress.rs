//! `no-progress`: see `trace_format::catalogue::NO_PROGRESS`.

use super::{finished_at, grouped};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, rank_list};
use std::collections::BTreeSet;
use trace_format::catalogue::{CheckInfo, NO_PROGRESS};

pub(super) static CHECK: &CheckInfo = &NO_PROGRESS;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    let Some(v) = &e.in_vain else { return };
    let needed: BTreeSet<i32> = v.ranks.iter().flat_map(|r| v.graph.waits_for(*r)).map(|w| w.0).collect();
    let (behind, finished): (Vec<i32>, Vec<i32>) =
        needed.into_iter().filter(|r| !v.ranks.contains(r)).partition(|r| v.behind.contains(r));
    let verb = if v.ranks.len() == 1 { "polls" } else { "poll" };
    let mut names: Vec<&str> = v.ranks.iter().flat_map(|r| v.graph.calls(*r)).map(|c| c.name()).collect();
    names.sort_unstable();
    names.dedup();
    let mut why = Vec::new();
    if !finished.is_empty() {
        let has = if finished.len() == 1 { "has" } else { "have" };
        why.push(format!("{} {has} finished", rank_list(&finished)));
    }
    if !behind.is_empty() {
        let wait = if behind.len() == 1 { "waits" } else { "wait" };
        why.push(format!("{} {wait}, too", rank_list(&behind)));
    }
    let why = if why.is_empty() { "they do nothing else".to_owned() } else { why.join("; ") };
    let message = format!("{} {verb} with {} in vain: {why}", rank_list(&v.ranks), names.join(" and "));
    let sites_of = |ranks: &[i32], words: &dyn Fn(String) -> String| {
        let parts = ranks.iter().flat_map(|r| v.graph.roles(*r)).map(|(call, role)| (call.clone(), words(role)));
        let mut parts: Vec<_> = parts.collect();
        // Which poll of a loop was the first one says nothing.
        parts.sort_by_key(|(call, _)| (call.rank, call.name(), call.site));
        grouped(model, parts)
    };
    let mut sites = sites_of(&v.ranks, &|role| role.replacen("waits for", "polls for", 1));
    sites.extend(v.ranks.iter().take(4).flat_map(|r| v.graph.awaited(*r).iter().cloned()));
    sites.extend(v.ranks.iter().take(4).filter_map(|r| v.graph.never_started(model, *r)));
    sites.extend(sites_of(&behind, &|role| role));
    sites.extend(finished_at(&finished, model));
    let ranks = v.ranks.iter().chain(&behind).chain(&finished).copied();
    let mut draft = Draft::new(CHECK, message, sites).ranks(ranks);
    draft.notes.extend(v.graph.hints(model, &v.ranks));
    let others: Vec<i32> = v.behind.iter().copied().filter(|r| !behind.contains(r)).collect();
    if !others.is_empty() {
        let wait = if others.len() == 1 { "waits" } else { "wait" };
        draft.notes.push(format!("{} {wait} behind them", rank_list(&others)));
    }
    findings.add(model, draft);
}
