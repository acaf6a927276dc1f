//! `partitioned-mismatch`: see `trace_format::catalogue::PARTITIONED_MISMATCH`.

use crate::arg_places::arg_places;
use crate::collective::Misfit;
use crate::model::Model;
use crate::state::{Described, DescribedPair, Draft, Findings, Origin, Site};
use trace_format::catalogue::{CheckInfo, PARTITIONED_MISMATCH};
use trace_format::finding::Severity;
use trace_format::mpi::Class;

pub(super) static CHECK: &CheckInfo = &PARTITIONED_MISMATCH;

pub(super) fn rule(pair: &DescribedPair, misfit: Misfit, model: &Model, findings: &mut Findings) {
    let DescribedPair { send, recv } = pair;
    findings.add_lazy(model, CHECK, &[&send.call, &recv.call], 1, || {
        let (sent, received) = (in_words(send, model), in_words(recv, model));
        let (from, to) = (send.call.rank, recv.call.rank);
        let message = format!("rank {from} describes a send of {sent} to rank {to}, whose receive is of {received}");
        let sites = vec![Site::new(&send.call, "the send"), Site::new(&recv.call, "the receive")];
        let draft = Draft::new(CHECK, message, sites);
        match misfit {
            Misfit::Type(d) if d.formal => draft.severity(Severity::Warning).note(
                "the two types look the same in memory here, so that the data arrive; the standard does not promise it",
            ),
            _ => draft,
        }
    });
}

/// Is it a call that completes requests, of a rank that has partitioned operations? Libraries stumble there on what was described
/// or marked against the rules, on either side.
pub(super) fn completes_partitioned(call: &Origin, model: &Model) -> bool {
    let completes = matches!(arg_places(call.func).class, Class::Wait(_) | Class::Test(_));
    let requests = || model.ranks.get(call.rank as usize).map(|r| r.requests.iter());
    completes && requests().into_iter().flatten().any(|request| request.partitioned().is_some())
}

/// All data of a side: `12 x MPI_DOUBLE in 3 partitions`.
fn in_words(described: &Described, model: &Model) -> String {
    let amount = model.signatures.describe(described.amount);
    match described.partitions {
        1 => format!("{amount} in 1 partition"),
        n => format!("{amount} in {n} partitions"),
    }
}
