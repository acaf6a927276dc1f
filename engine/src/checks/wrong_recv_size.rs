//! `wrong-recv-size`: see `trace_format::catalogue::WRONG_RECV_SIZE`.

use super::size_misfit;
use crate::collective::{Ends, Flow, Misfit, What};
use crate::model::Model;
use crate::state::{Findings, Gathering};
use trace_format::catalogue::{CheckInfo, WRONG_RECV_SIZE};
use trace_format::mpi::Coll;

pub(super) static CHECK: &CheckInfo = &WRONG_RECV_SIZE;

/// Does each rank send directly to the one that expects its data, so that too little does nobody else any harm?
fn is_direct(what: What) -> bool {
    use Coll::*;
    let What::Coll(coll) = what else { return false };
    matches!(coll, Gatherv | Scatterv | Alltoallv | Alltoallw)
}

/// Amounts that do not fit and do harm: there is not enough room, or others are affected, too.
pub(super) fn do_harm(flows: &[Flow], model: &Model) -> bool {
    flows.iter().filter(|f| f.misfit == Misfit::Amount && f.ends != Ends::Contributions).any(|f| {
        let too_little = model.signatures.is_shorter(f.sent, f.expected);
        !(too_little && is_direct(f.from.coll()))
    })
}

pub(super) fn rule(_: &Gathering, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    do_harm(flows, model) && size_misfit(CHECK, flows, model, findings)
}
