//! `incomplete-call`: see `trace_format::catalogue::INCOMPLETE_CALL`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, INCOMPLETE_CALL};

pub(super) static CHECK: &CheckInfo = &INCOMPLETE_CALL;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for rank in &e.left_inside {
        let r = &model.ranks[*rank as usize];
        // A wrong call is why the library, or the program's error handler, ended the program in it.
        let by_handler = r.errors.iter().any(|error| r.was_ended_by_handler(error));
        for open in r.open_calls().filter(|o| !by_handler && !r.is_found_wrong(&o.origin)) {
            let name = open.origin.name();
            let status = r.exit.unwrap_or(0);
            let message =
                format!("rank {rank} ended with exit status {status} inside of {name}, which has not returned");
            let mut draft = Draft::new(CHECK, message, vec![Site::new(&open.origin, "the call without its return")]);
            draft.notes.extend(e.aftermath_of(*rank));
            findings.add(model, draft);
        }
    }
}
