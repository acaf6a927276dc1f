//! `grequest-misuse`: see `trace_format::catalogue::GREQUEST_MISUSE`. The rest of it is found in the process.

use super::{explained, tell_own_wait};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::Findings;
use crate::waits::{Knot, Why};
use trace_format::catalogue::{CheckInfo, GREQUEST_MISUSE};

pub(super) static CHECK: &CheckInfo = &GREQUEST_MISUSE;

/// Does a rank hold itself, as nobody is left in it who could complete its generalized request?
pub(super) fn explains(knot: &Knot, e: &Ending) -> bool {
    let [rank] = knot.ranks[..] else { return false };
    e.graph.waits_for(rank).contains(&(rank, Why::Generalized))
}

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for (i, knot, _) in explained(e, model).filter(|(_, _, check)| std::ptr::eq(*check, CHECK)) {
        let Some(rank) = knot.ranks.first().copied() else { continue };
        let calls = e.graph.calls(rank);
        let name = calls.first().map_or("a call", |c| c.name());
        let who = if calls.len() > 1 { "its threads wait, too" } else { "no other thread of it calls MPI" };
        let message = format!(
            "rank {rank} waits in {name} for its own generalized request, which it alone can complete by \
             MPI_Grequest_complete; {who}"
        );
        tell_own_wait(CHECK, (i, knot), message, (e, model, findings));
    }
}
