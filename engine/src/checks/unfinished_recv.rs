//! `unfinished-recv`: see `trace_format::catalogue::UNFINISHED_RECV`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, UNFINISHED_RECV};
use trace_format::mpi::Class;

pub(super) static CHECK: &CheckInfo = &UNFINISHED_RECV;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for l in &e.leftovers {
        let mine = matches!(l.class, Class::Recv(_) | Class::Mrecv(_) | Class::PartitionedRecv);
        // Without a partner it could not be completed: nonpaired-recv says so.
        if !mine || !l.active || !l.paired {
            continue;
        }
        let rank = l.origin.rank;
        let name = l.origin.name();
        let message = format!(
            "rank {rank} reached MPI_Finalize with the receive of {name} not completed: no MPI_Wait or successful MPI_Test"
        );
        let mut sites = vec![Site::new(&l.origin, "the receive that was never completed")];
        if let Some(start) = &l.start {
            sites.push(Site::new(start, "its last start"));
        }
        findings.add(model, Draft::new(CHECK, message, sites));
    }
}
