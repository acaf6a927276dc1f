//! `rma-local-race`: see `trace_format::catalogue::RMA_LOCAL_RACE`.

use super::rma_conflict::{orderer, verb};
use crate::model::Model;
use crate::state::{AccessConflict, Draft, Findings, Site, Turn};
use rma::Deed;
use trace_format::catalogue::{CheckInfo, RMA_LOCAL_RACE};
use trace_format::severity::Severity;

pub(super) static CHECK: &CheckInfo = &RMA_LOCAL_RACE;

pub(super) fn rule(conflict: &AccessConflict, model: &Model, findings: &mut Findings) {
    let AccessConflict { between, target, first, second, instruction: Some(which), byte, .. } = conflict else {
        return;
    };
    let ((own, own_deed), (other, other_deed)) = match which {
        Turn::First => (first, second),
        Turn::Second => (second, first),
    };
    findings.add_lazy(model, CHECK, &[own, other], 1, || {
        let message = format!(
            "rank {target} {} byte {byte} of its window, which {} of rank {} {}, and nothing orders the two",
            verb(*own_deed),
            other.name(),
            other.rank,
            verb(*other_deed),
        );
        let own = Site { rank: own.rank, call: None, pc: 0, stack: own.site, role: format!("{} it", verb(*own_deed)) };
        let sites = vec![own, Site::new(other, format!("{} it", verb(*other_deed)))];
        let draft = Draft::new(CHECK, message, sites).note(format!("{} would order them", orderer(*between)));
        match own_deed {
            // The standard permits it where it says nothing of the value (MPI 4.1, 12.7).
            Deed::Read => Draft { severity: Severity::Warning, ..draft },
            _ => draft,
        }
    });
}
