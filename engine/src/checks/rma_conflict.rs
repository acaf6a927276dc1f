//! `rma-conflict`: see `trace_format::catalogue::RMA_CONFLICT`.

use crate::model::Model;
use crate::state::{AccessConflict, Draft, Findings, Origin, Site};
use rma::Deed;
use trace_format::catalogue::{CheckInfo, RMA_CONFLICT};

pub(super) static CHECK: &CheckInfo = &RMA_CONFLICT;

pub(super) fn rule(conflict: &AccessConflict, model: &Model, findings: &mut Findings) {
    let AccessConflict { target, first: (first, first_deed), second: (second, second_deed), byte } = conflict;
    findings.add_lazy(model, CHECK, &[first, second], 1, || {
        let message = format!(
            "{} of rank {} {} byte {byte} of the window of rank {target}, which {} of rank {} {}, and nothing orders the two",
            second.name(),
            second.rank,
            verb(*second_deed),
            first.name(),
            first.rank,
            verb(*first_deed),
        );
        let site = |call: &std::rc::Rc<Origin>, deed| Site::new(call, format!("{} it", verb(deed)));
        Draft::new(CHECK, message, vec![site(second, *second_deed), site(first, *first_deed)])
    });
}

fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "reads",
        Deed::Write => "writes",
        Deed::Accumulate { .. } | Deed::AnyAccumulate => "updates",
    }
}
