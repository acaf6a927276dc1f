//! `unfinished-gop`: see `trace_format::catalogue::UNFINISHED_GOP`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, UNFINISHED_GOP};

pub(super) static CHECK: &CheckInfo = &UNFINISHED_GOP;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for l in e.leftovers.iter().filter(|l| l.active && l.collective == Some(true)) {
        let (rank, name) = (l.origin.rank, l.origin.name());
        let message = format!("rank {rank} started {name} and reached MPI_Finalize without completing it");
        let mut sites = vec![Site::new(&l.origin, "the operation that was never completed")];
        if let Some(start) = &l.start {
            sites.push(Site::new(start, "its last start"));
        }
        findings.add(model, Draft::new(CHECK, message, sites));
    }
}
