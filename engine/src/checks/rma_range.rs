//! `rma-range`: see `trace_format::catalogue::RMA_RANGE`.

use crate::model::Model;
use crate::state::{Draft, Findings, OutOfRange, Site};
use trace_format::catalogue::{CheckInfo, RMA_RANGE};

pub(super) static CHECK: &CheckInfo = &RMA_RANGE;

pub(super) fn rule(access: &OutOfRange, model: &Model, findings: &mut Findings) {
    let OutOfRange { call, target, bytes: (from, to), exposed } = access;
    findings.add_lazy(model, CHECK, &[call], 1, || {
        let (name, rank) = (call.name(), call.rank);
        let message = match exposed.size {
            Some(size) => format!(
                "{name} of rank {rank} accesses bytes {from} to {} of the window of rank {target}, which has {size} bytes",
                to - 1,
            ),
            None => format!("{name} of rank {rank} accesses memory that rank {target} has not attached to the window: at {from:#x}"),
        };
        Draft::new(CHECK, message, vec![Site::new(call, "accesses the window")])
    });
}
