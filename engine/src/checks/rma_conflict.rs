//! `rma-conflict`: see `trace_format::catalogue::RMA_CONFLICT`.

use crate::model::Model;
use crate::state::{AccessConflict, Between, Draft, Findings, Origin, Site};
use rma::Deed;
use trace_format::catalogue::{CheckInfo, RMA_CONFLICT};

pub(super) static CHECK: &CheckInfo = &RMA_CONFLICT;

pub(super) fn rule(conflict: &AccessConflict, model: &Model, findings: &mut Findings) {
    let AccessConflict { between, target, first: (first, first_deed), second: (second, second_deed), byte, .. } =
        conflict;
    if conflict.instruction.is_some() {
        return;
    }
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
        let sites = vec![site(second, *second_deed), site(first, *first_deed)];
        let complete = if conflict.has_operation { "once the operation is complete (MPI_Wait), " } else { "" };
        Draft::new(CHECK, message, sites).note(format!("{complete}{} would order them", orderer(*between)))
    });
}

pub(super) fn orderer(between: Between) -> &'static str {
    match between {
        Between::Fences => "MPI_Win_fence between the two, by all processes of the window,",
        Between::PostAndWait => "an epoch of MPI_Win_post and MPI_Win_start for each of the two",
        Between::LockAndUnlock => "MPI_Win_flush between the two",
        Between::SharedLocks => {
            "MPI_Win_flush or the end of the lock behind one, and then a message or a collective operation before the other,"
        }
    }
}

pub(super) fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "reads",
        Deed::Write => "writes",
        Deed::Accumulate { .. } | Deed::AnyAccumulate => "updates",
    }
}
