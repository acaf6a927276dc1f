//! `unfinished-send`: see `trace_format::catalogue::UNFINISHED_SEND`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, UNFINISHED_SEND};
use trace_format::mpi::Class;

pub(super) static CHECK: &CheckInfo = &UNFINISHED_SEND;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for l in &e.leftovers {
        let mine = matches!(
            l.class,
            Class::Send(..) | Class::SendRecv(_) | Class::SendRecvReplace(_) | Class::PartitionedSend
        );
        // Without a partner it could not be completed: nonpaired-send says so.
        if !mine || !l.active || !l.paired {
            continue;
        }
        let rank = l.origin.rank;
        let name = l.origin.name();
        let message = format!(
            "rank {rank} reached MPI_Finalize with the send of {name} not completed: no MPI_Wait or successful MPI_Test"
        );
        let mut sites = vec![Site::new(&l.origin, "the send that was never completed")];
        if let Some(start) = &l.start {
            sites.push(Site::new(start, "its last start"));
        }
        findings.add(model, Draft::new(CHECK, message, sites));
    }
}
