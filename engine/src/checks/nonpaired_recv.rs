//! `nonpaired-recv`: see `trace_format::catalogue::NONPAIRED_RECV`.

use super::nonpaired_send::draft;
use crate::ending::Ending;
use crate::model::Model;
use crate::state::Findings;
use trace_format::catalogue::{CheckInfo, NONPAIRED_RECV};

pub(super) static CHECK: &CheckInfo = &NONPAIRED_RECV;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for a in e.alone.iter().filter(|a| !a.is_send) {
        findings.add_lazy(model, CHECK, &[&a.shown], 1, || {
            draft(CHECK, a, "the receive without a send", |peer, tag| {
                let (rank, function) = (a.rank, a.origin.name());
                format!(
                    "nobody sends the message that rank {rank} wants to receive from {peer} with tag {tag} ({function})"
                )
            })
        });
    }
}
