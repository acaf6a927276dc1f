//! `collective-mismatch`: see `trace_format::catalogue::COLLECTIVE_MISMATCH`.

use super::{answers, grouped, said};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Verdict};
use trace_format::catalogue::{COLLECTIVE_MISMATCH, CheckInfo};

pub(super) static CHECK: &CheckInfo = &COLLECTIVE_MISMATCH;

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    let mut kinds = g.views().map(|v| v.coll());
    let first = kinds.next();
    if kinds.all(|k| Some(k) == first) {
        return Verdict::Fine;
    }
    let says: Vec<(i32, String)> = g.views().map(|v| (v.rank, format!("in {}", v.call.name()))).collect();
    let message = format!("different collective operations meet: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("calls {}", v.call.name())));
    let ranks = g.views().map(|v| v.rank);
    findings.add(
        model,
        Draft::new(CHECK, message, sites)
            .ranks(ranks)
            .note("what follows on this communicator is not checked: it follows from this"),
    );
    Verdict::Spoiled
}
