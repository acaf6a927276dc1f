//! Findings of checks in the running process: put into the report as they said it.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Discovery, Draft, Findings, Origin, Rank, Request};
use crate::worlds::Names;
use trace_format::catalogue::{BUFFER_TOO_SMALL, INACCESSIBLE_BUFFER, RMA_RANGE, bytes_of_room};
use trace_format::finding::Severity;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for (rank, r) in model.ranks.iter().enumerate() {
        for found in &r.discoveries {
            // Findings from before MPI_Finalize are looked at again when that has returned.
            if let Some(finalize) = found.ahead() {
                ended_by_leak(r, rank as i32, found, finalize).into_iter().for_each(|draft| findings.add(model, draft));
                continue;
            }
            // The traces say it better, where they have the memory that the target gave.
            if found.check == &RMA_RANGE && found.sites.iter().any(|site| findings.has_alone(model, &RMA_RANGE, site)) {
                continue;
            }
            // Ranks in the message are those of communicators.
            let message = format!("rank {rank}{}: {}", Names::KEEP, found.message);
            let mut draft = Draft::new(found.check, message, found.sites.clone()).ranks([rank as i32]);
            draft.count = found.count;
            draft = draft.severity(severity(found));
            if draft.severity != found.check.severity && found.check == &INACCESSIBLE_BUFFER {
                draft = written(e, r, rank as i32, found, draft);
            } else if draft.severity != found.check.severity && found.check == &BUFFER_TOO_SMALL {
                draft = overwritten(found, draft);
            }
            draft.notes.extend(found.notes.iter().map(|n| format!("{}{n}", Names::KEEP)));
            let inside = r.open_calls().any(|open| found.is_at(&open.origin));
            let failed = |call: Option<&_>| call.is_some_and(|c| found.is_at(c));
            let ended = r.errors.iter().any(|error| error.fatal && failed(error.call.as_deref()));
            if ended {
                draft.notes.push("the MPI library then ended the program".into());
                draft.notes.extend(e.aftermath());
            }
            if inside && e.left_inside.contains(&(rank as i32)) {
                draft.notes.push("the process ended in this call".into());
            }
            if let Some(signal) = r.signal.as_ref().filter(|_| inside && e.crashed.contains(&(rank as i32))) {
                draft.notes.push(format!("the process then died of {}", super::abend::name(signal.signal)));
                draft.notes.extend(e.aftermath());
            }
            // The library has refused the call, and the program has seen to it that errors do not end it.
            let refused = !ended && r.failures.contains(&found.at);
            if found.check.severity == Severity::Error && refused && !found.is_about_file() {
                draft = draft.severity(Severity::Note).note("the program handles errors itself: it went on");
            }
            findings.add(model, draft);
        }
    }
}

/// A leak that the library ends the program for in MPI_Finalize: it is the cause.
fn ended_by_leak(r: &Rank, rank: i32, found: &Discovery, finalize: &Origin) -> Option<Draft> {
    let signal = r.signal.as_ref().filter(|_| r.is_ended_by_leak(finalize))?;
    let message = format!("rank {rank}{}: {}", Names::KEEP, found.message);
    let draft = Draft::new(found.check, message, found.sites.clone()).ranks([rank]).severity(Severity::Error);
    Some(draft.note(format!("the process then died of {} in {}", super::abend::name(signal.signal), finalize.name())))
}

/// How severe it is by the calls that it speaks of.
fn severity(found: &Discovery) -> Severity {
    found.check.severity_at(found.sites.iter().filter_map(|site| Some((site.call.as_ref()?.func, &*site.role))))
}

/// A receive into a block of the heap that is too small: an error if the message that came was longer than that.
fn overwritten(found: &Discovery, draft: Draft) -> Draft {
    let room = found.notes.iter().find_map(|note| bytes_of_room(note));
    match (found.got, room) {
        (Some(got), Some(room)) if got > room => {
            draft.severity(found.check.severity).note(format!("the message that came has {got} bytes"))
        }
        _ => draft.note("as far as is known, no message came that is longer"),
    }
}

/// A receive into memory that is too small: an error if the rank failed while it was under way, with the message that came.
fn written(e: &Ending, r: &Rank, rank: i32, found: &Discovery, draft: Draft) -> Draft {
    let pending =
        |request: &Request| request.active && request.start.iter().chain([&request.origin]).any(|o| found.is_at(o));
    let is_under_way = r.open_calls().any(|open| found.is_at(&open.origin)) || r.requests.iter().any(pending);
    let has_failed = e.left_inside.contains(&rank)
        || r.signal.is_some()
        || e.crashed.contains(&rank)
        || r.errors.iter().any(|error| error.fatal);
    if is_under_way && has_failed {
        return draft.severity(found.check.severity);
    }
    draft.note("no message came that is longer than the memory: a longer one would be written where there is none")
}
