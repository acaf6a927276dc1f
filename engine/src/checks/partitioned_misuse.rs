//! `partitioned-misuse`: see `trace_format::catalogue::PARTITIONED_MISUSE`. The rest of it is found in the process.

use super::{explained, tell_own_wait};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::Findings;
use crate::waits::{Knot, Why};
use trace_format::catalogue::{CheckInfo, PARTITIONED_MISUSE};

pub(super) static CHECK: &CheckInfo = &PARTITIONED_MISUSE;

/// Does a rank hold itself, as it has not marked all partitions of its send ready?
pub(super) fn explains(knot: &Knot, e: &Ending) -> bool {
    let [rank] = knot.ranks[..] else { return false };
    e.graph.waits_for(rank).iter().any(|(on, why)| *on == rank && matches!(why, Why::Partitions(_)))
}

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for (i, knot, _) in explained(e, model).filter(|(_, _, check)| std::ptr::eq(*check, CHECK)) {
        let Some(rank) = knot.ranks.first().copied() else { continue };
        let calls = e.graph.calls(rank);
        // The process has said so before it made the call, or what it follows from.
        if model.ranks[rank as usize].discoveries.iter().any(|found| found.check == CHECK) {
            continue;
        }
        let name = calls.first().map_or("a call", |c| c.name());
        let message =
            format!("rank {rank} waits in {name} for its own send, of which it has not marked all partitions ready");
        tell_own_wait(CHECK, (i, knot), message, (e, model, findings));
    }
}
