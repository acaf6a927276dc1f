//! `rma-type-mismatch`: see `trace_format::catalogue::RMA_TYPE_MISMATCH`.

use crate::model::Model;
use crate::state::{Draft, Findings, Site, UnlikeSides};
use trace_format::catalogue::{CheckInfo, RMA_TYPE_MISMATCH};
use trace_format::finding::Severity;
use trace_format::mpi::predefined::DATATYPES;

pub(super) static CHECK: &CheckInfo = &RMA_TYPE_MISMATCH;

pub(super) fn rule(access: &UnlikeSides, model: &Model, findings: &mut Findings) {
    let UnlikeSides { call, at_origin, at_target, difference } = access;
    let name = |id: u32| DATATYPES.get((id as usize).wrapping_sub(1)).copied().unwrap_or("?");
    findings.add_lazy(model, CHECK, &[call], 1, || {
        let all = &model.signatures;
        let place = difference.map_or(String::new(), |d| {
            format!(": element {} is {} there and {} here", d.position, name(d.right), name(d.left))
        });
        let message = format!(
            "{} of rank {} names {} at the target and {} at the origin{place}",
            call.name(),
            call.rank,
            all.describe(*at_target),
            all.describe(*at_origin),
        );
        let draft = Draft::new(CHECK, message, vec![Site::new(call, "accesses the window")]);
        match difference {
            Some(d) if d.formal => draft.severity(Severity::Warning).note(
                "the two types look the same in memory here, so that the data arrive; the standard does not promise it",
            ),
            _ => draft,
        }
    });
}
