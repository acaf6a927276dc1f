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
        let roles = knot.ranks.iter().flat_map(|r| e.graph.roles(*r));
        let mut sites: Vec<Site> = roles.take(2 * MAX_SITES).map(|(call, role)| Site::new(call, role)).collect();
        let calls: usize = knot.ranks.iter().map(|r| e.graph.calls(*r).len()).sum();
        let more = calls - sites.len();
        for r in &knot.ranks {
            if sites.len() < 2 * MAX_SITES {
                sites.extend(e.graph.awaited(*r).iter().cloned());
            }
        }
        sites.extend(knot.ranks.iter().take(4).filter_map(|r| e.graph.never_started(model, *r)));
        let mut draft = Draft::new(CHECK, message, sites).ranks(knot.ranks.iter().copied());
        note_waits(&mut draft, e, &knot.ranks, &knot.cycle);
        draft.notes.extend(e.graph.hints(model, &knot.ranks));
        draft.notes.dedup();
        if more > 0 {
            draft.notes.push(format!("{more} more calls like these"));
        }
        let sends = knot.ranks.iter().any(|r| e.graph.waits_as(*r, |why| matches!(why, Why::Receive(_))));
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
