//! `rma-epoch`: see `trace_format::catalogue::RMA_EPOCH`. The rest of it is found in the process; here are the assertions that
//! calls of other processes belie.

use crate::model::Model;
use crate::state::{Draft, Findings, Promise, Site, Untrue};
use trace_format::catalogue::{CheckInfo, RMA_EPOCH};

pub(super) static CHECK: &CheckInfo = &RMA_EPOCH;

pub(super) fn rule(untrue: &Untrue, model: &Model, findings: &mut Findings) {
    let Untrue { promise, call, contrary } = untrue;
    let (asserted, belied) = match promise {
        Promise::NoPut => ("MPI_MODE_NOPUT", "updates its memory before its next synchronization"),
        Promise::NoStore => ("MPI_MODE_NOSTORE", "has written to the memory since the last synchronization"),
        Promise::Posted => ("MPI_MODE_NOCHECK", "may come later, as nothing orders the two"),
        Promise::OnBothSides => ("MPI_MODE_NOCHECK", "does not"),
        Promise::NoLocks => ("no_locks", "locks it"),
        Promise::Unlocked => ("MPI_MODE_NOCHECK", "asks for a lock that excludes its own, and nothing orders the two"),
    };
    findings.add_lazy(model, CHECK, &[call, contrary], 1, || {
        let who = if contrary.rank == call.rank {
            "of the same rank".to_owned()
        } else {
            format!("of rank {}", contrary.rank)
        };
        let message = format!(
            "{} of rank {} asserts {asserted}, and {} {who} {belied}",
            call.name(),
            call.rank,
            contrary.name(),
        );
        let sites = vec![Site::new(call, format!("asserts {asserted}")), Site::new(contrary, belied.to_owned())];
        Draft::new(CHECK, message, sites)
    });
}
