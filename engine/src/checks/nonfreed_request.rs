//! `nonfreed-request`: see `trace_format::catalogue::NONFREED_REQUEST`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, NONFREED_REQUEST};

pub(super) static CHECK: &CheckInfo = &NONFREED_REQUEST;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    // An active one is unfinished in the first place.
    for l in e.leftovers.iter().filter(|l| l.persistent && !l.active) {
        let (rank, name) = (l.origin.rank, l.origin.name());
        let message = format!("rank {rank} never freed the persistent request of {name}");
        findings.add_lazy(model, CHECK, &[&l.origin], 1, || {
            Draft::new(CHECK, message, vec![Site::new(&l.origin, "makes the request")])
        });
    }
}
