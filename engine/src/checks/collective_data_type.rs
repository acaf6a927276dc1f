//! `collective-data-type`: see `trace_format::catalogue::COLLECTIVE_DATA_TYPE`.

use super::{flow_ranks, flow_sites};
use crate::collective::{Ends, Flow, Misfit};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering};
use trace_format::catalogue::{COLLECTIVE_DATA_TYPE, CheckInfo};
use trace_format::finding::Severity;

pub(super) static CHECK: &CheckInfo = &COLLECTIVE_DATA_TYPE;

pub(super) fn rule(_: &Gathering, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    let hard: Vec<&Flow> = flows.iter().filter(|f| matches!(f.misfit, Misfit::Type(d) if !d.formal)).collect();
    let formal: Vec<&Flow> = flows.iter().filter(|f| matches!(f.misfit, Misfit::Type(d) if d.formal)).collect();
    let amounts = flows.iter().any(|f| f.misfit == Misfit::Amount);
    // Where only names differ, amounts that do not fit are the greater evil.
    let (wrong, is_formal) = if !hard.is_empty() { (hard, false) } else { (formal, true) };
    let Some(f) = wrong.first().filter(|_| !(is_formal && amounts)) else { return false };
    let all = &model.signatures;
    let (sent, expected) = (all.describe(f.sent), all.describe(f.expected));
    let name = f.from.call.name();
    let message = if f.ends != Ends::Transfer {
        format!("in {name} rank {} takes part with {sent}, rank {} with {expected}", f.from.rank, f.to.rank)
    } else {
        format!("in {name} rank {} sends {sent}, rank {} expects {expected}", f.from.rank, f.to.rank)
    };
    let mut draft = Draft::new(CHECK, message, flow_sites(model, &wrong)).ranks(flow_ranks(&wrong));
    if is_formal {
        draft = draft.severity(Severity::Warning).note(
            "the two types look the same in memory here, so that the data arrive; the standard does not promise it",
        );
    }
    findings.add(model, draft);
    true
}
