//! `in-place-misuse`: see `trace_format::catalogue::IN_PLACE_MISUSE`. What one process can tell is found by itself
//! (`interposer/src/watch/checks/in_place_misuse.rs`); here the ranks of an operation are compared.

use super::{answers, grouped, said};
use crate::collective::What;
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Verdict};
use trace_format::catalogue::{CheckInfo, IN_PLACE_MISUSE};
use trace_format::mpi::Coll;

pub(super) static CHECK: &CheckInfo = &IN_PLACE_MISUSE;

/// Operations in which all ranks give MPI_IN_PLACE or none does (MPI 4.1, 6.7, 6.8, 6.9.6). Of scans and
/// reduce-scatters the standard does not say so.
fn needs_all(what: What) -> bool {
    use Coll::*;
    matches!(what, What::Coll(Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw | Allreduce))
}

/// Do all ranks do the same about MPI_IN_PLACE?
pub(super) fn agree(g: &Gathering) -> bool {
    let mut views = g.views().filter(|v| needs_all(v.coll()));
    let Some(first) = views.next() else { return true };
    let in_place = first.send().in_place;
    views.all(|v| v.send().in_place == in_place)
}

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    if agree(g) || model.comms.list[g.comm].b.is_some() {
        return Verdict::Fine;
    }
    let name = |in_place: bool| if in_place { "MPI_IN_PLACE" } else { "a send buffer" };
    let says: Vec<(i32, String)> = g.views().map(|v| (v.rank, format!("with {}", name(v.send().in_place)))).collect();
    let function = g.views().next().map_or("", |v| v.call.name());
    let message = format!("some ranks give MPI_IN_PLACE in {function}, where all must or none: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("gives {}", name(v.send().in_place))));
    findings.add(model, Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank)));
    Verdict::Wrong
}
