//! `real-deadlock`: see `trace_format::catalogue::REAL_DEADLOCK`.

use super::potential_deadlock::near;
use super::{MAX_SITES, note_behind, note_waits, real_deadlocks};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site, rank_list};
use crate::waits::Why;
use trace_format::catalogue::{CheckInfo, REAL_DEADLOCK};

pub(super) static CHECK: &CheckInfo = &REAL_DEADLOCK;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for (i, knot) in real_deadlocks(e, model) {
        let name = |r: i32| e.graph.calls(r).first().map_or("", |c| c.name());
        let mut path: Vec<String> =
            knot.cycle.iter().take(12).map(|r| format!("{}: {}", model.names.short(*r), name(*r))).collect();
        if knot.cycle.len() > 12 {
            path.push("...".into());
        }
        path.extend(knot.cycle.first().map(|r| model.names.short(*r)));
        let who = rank_list(&knot.ranks);
        let message = match (&knot.ranks[..], &path[..]) {
            // It needs itself for what it waits for: a circle of one is no news.
            ([_], [call, ..]) => format!("{who} waits for itself: {call}"),
            _ => format!("{who} wait for each other: {}", path.join(" -> ")),
        };
        let mut sites = Vec::new();
        for r in &knot.ranks {
            sites.extend(e.graph.roles(*r).map(|(call, role)| Site::new(call, role)));
        }
        let shown = sites.len().min(2 * MAX_SITES);
        let more = sites.split_off(shown);
        for r in &knot.ranks {
            if sites.len() < 2 * MAX_SITES {
                sites.extend(e.graph.awaited(*r).iter().cloned());
            }
        }
        sites.extend(knot.ranks.iter().take(4).filter_map(|r| e.graph.never_started(model, *r)));
        let mut draft = Draft::new(CHECK, message, sites).ranks(knot.ranks.iter().copied());
        note_waits(&mut draft, e, &knot.ranks);
        draft.notes.extend(e.graph.hints(model, &knot.ranks));
        draft.notes.dedup();
        if !more.is_empty() {
            draft.notes.push(format!("{} more calls like these", more.len()));
        }
        let sends = knot.ranks.iter().any(|r| e.graph.waits_for(*r).iter().any(|w| matches!(w.1, Why::Receive(_))));
        if sends && e.graph.is_uncertain(&knot.ranks) {
            draft.notes.push(
                "a send that the library buffers would have returned; it did not, and the standard does not promise it"
                    .into(),
            );
        }
        draft.notes.extend(near(knot, e, model));
        note_behind(&mut draft, e, i);
        findings.add(model, draft);
    }
}
