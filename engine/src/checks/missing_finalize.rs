//! `missing-finalize`: see `trace_format::catalogue::MISSING_FINALIZE`.

use super::{departure, grouped, last_call};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings};
use trace_format::catalogue::{CheckInfo, EARLY_EXIT_OTHERS_WAIT, LEAK_SESSION, MISSING_FINALIZE};

pub(super) static CHECK: &CheckInfo = &MISSING_FINALIZE;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    // Where others wait for them, `early-exit-others-wait` says it all.
    let is_told = model.selection.is_on(&EARLY_EXIT_OTHERS_WAIT) && !e.waiting_for_left().is_empty();
    // The process itself may have said which session it left open.
    let told = |r: &i32| model.ranks[*r as usize].discoveries.iter().any(|d| std::ptr::eq(d.check, &LEAK_SESSION));
    let left: Vec<i32> = e.left.iter().copied().filter(|r| !told(r)).collect();
    if left.is_empty() || is_told {
        return;
    }
    let parts = left.iter().filter_map(|r| last_call(*r, model).map(|l| (l, "the last MPI call".to_owned())));
    let mut draft = Draft::new(CHECK, departure(&left, model), grouped(model, parts)).ranks(left.iter().copied());
    draft.notes.extend(e.aftermath());
    findings.add(model, draft);
}
