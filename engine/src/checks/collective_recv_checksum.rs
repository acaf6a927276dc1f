//! `collective-recv-checksum`: see `trace_format::catalogue::COLLECTIVE_RECV_CHECKSUM`.

use super::grouped;
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Spoilt, WrongResult, op_name, plural, rank_list};
use std::rc::Rc;
use trace_format::catalogue::{COLLECTIVE_RECV_CHECKSUM, CheckInfo};

pub(super) static CHECK: &CheckInfo = &COLLECTIVE_RECV_CHECKSUM;

pub(super) fn rule(spoilt: &[Spoilt], model: &Model, findings: &mut Findings) {
    let Some(first) = spoilt.first() else { return };
    let (from, to) = (first.from.rank, first.to.rank);
    let bytes = plural(first.bytes, "byte");
    let name = first.to.call.name();
    let message =
        format!("in {name} rank {to} received {bytes} from rank {from} that are not those that rank {from} sent");
    let receivers: Vec<i32> = spoilt.iter().map(|s| s.to.rank).collect();
    let mut parts: Vec<(Rc<Origin>, String)> = Vec::new();
    let mut push = |call: &Rc<Origin>, says: &str| {
        if !parts.iter().any(|(known, said)| Rc::ptr_eq(known, call) && said == says) {
            parts.push((call.clone(), says.to_owned()));
        }
    };
    for s in spoilt {
        push(s.to.call, "receives other data");
    }
    for s in spoilt.iter().filter(|s| !Rc::ptr_eq(&s.by, s.to.call)) {
        push(&s.by, "completes it");
    }
    for s in spoilt {
        push(s.from.call, "sends");
    }
    let ranks: Vec<i32> = spoilt.iter().flat_map(|s| [s.from.rank, s.to.rank]).collect();
    let mut draft = Draft::new(CHECK, message, grouped(model, parts)).ranks(unique(ranks));
    let receivers = unique(receivers);
    if receivers.len() > 1 {
        draft = draft.note(format!("{} received other data than were sent", rank_list(&receivers)));
    }
    findings.add(model, draft);
}

/// Results of a reduction that are not what the contributions make.
pub(super) fn result(wrong: &[WrongResult], model: &Model, findings: &mut Findings) {
    let Some(first) = wrong.first() else { return };
    let ranks = unique(wrong.iter().map(|w| w.at.rank).collect());
    let (name, op) = (first.at.call.name(), op_name(first.op));
    let has = if ranks.len() == 1 { "has a result that is" } else { "have results that are" };
    let message = format!("in {name} {} {has} not the {op} of what the ranks contributed", rank_list(&ranks));
    let mut parts: Vec<(Rc<Origin>, String)> = Vec::new();
    for w in wrong {
        parts.push((w.at.call.clone(), "has another result".to_owned()));
        if !Rc::ptr_eq(&w.by, w.at.call) {
            parts.push((w.by.clone(), "completes it".to_owned()));
        }
    }
    findings.add(model, Draft::new(CHECK, message, grouped(model, parts)).ranks(ranks));
}

fn unique(mut ranks: Vec<i32>) -> Vec<i32> {
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}
