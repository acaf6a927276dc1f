//! `early-exit-others-wait`: see `trace_format::catalogue::EARLY_EXIT_OTHERS_WAIT`.

use super::{departure, grouped, last_call};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, rank_list};
use trace_format::catalogue::{CheckInfo, EARLY_EXIT_OTHERS_WAIT};

pub(super) static CHECK: &CheckInfo = &EARLY_EXIT_OTHERS_WAIT;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    let waiting = e.waiting_for_left();
    let Some(first) = waiting.first() else { return };
    let waited: Vec<i32> = e.left.iter().copied().filter(|l| waiting.iter().any(|(_, n)| n.contains(l))).collect();
    let ranks: Vec<i32> = waiting.iter().map(|(r, _)| *r).collect();
    let calls = || ranks.iter().flat_map(|r| e.graph.calls(*r).iter().map(move |c| (*r, c)));
    let same = calls().map(|(_, c)| c.func).collect::<Vec<_>>().windows(2).all(|w| w[0] == w[1]);
    let name = e.graph.calls(first.0).first().filter(|_| same).map_or(String::new(), |c| format!(" in {}", c.name()));
    let verb = if ranks.len() == 1 { "waits" } else { "wait" };
    let whom = match waited.len() {
        _ if waited != e.left => rank_list(&waited),
        1 => "it".to_owned(),
        _ => "them".to_owned(),
    };
    let message = format!("{}, while {} {verb} for {whom}{name}", departure(&e.left, model), rank_list(&ranks));
    let left = e.left.iter().filter_map(|r| last_call(*r, model).map(|l| (l, "the last MPI call".to_owned())));
    let mut sites = grouped(model, left.collect::<Vec<_>>());
    let roles = ranks.iter().flat_map(|r| e.graph.roles(*r)).map(|(call, role)| (call.clone(), role));
    sites.extend(grouped(model, roles.collect::<Vec<_>>()));
    sites.extend(ranks.iter().take(4).flat_map(|r| e.graph.awaited(*r).iter().cloned()));
    let mut draft = Draft::new(CHECK, message, sites).ranks(e.left.iter().chain(&ranks).copied());
    if e.verdict.knots.is_empty() && !e.verdict.behind.is_empty() {
        let verb = if e.verdict.behind.len() == 1 { "waits" } else { "wait" };
        draft.notes.push(format!("{} {verb} behind them", rank_list(&e.verdict.behind)));
    }
    draft.notes.extend(e.aftermath());
    findings.add(model, draft);
}
