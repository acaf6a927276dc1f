//! `thread-level`: see `trace_format::catalogue::THREAD_LEVEL`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Site};
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, FINALIZE_MISUSE, THREAD_LEVEL};
use trace_format::mpi::{Class, FnId};

pub(super) static CHECK: &CheckInfo = &THREAD_LEVEL;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    for r in &model.ranks {
        let start = r.start.unwrap_or(FnId::MPI_Init).name();
        for breach in &r.breaches {
            let call = &breach.call;
            let other = breach.other.as_ref();
            if model.selection.is_on(&FINALIZE_MISUSE) && is_finalize(call, other) {
                continue;
            }
            let message = breach.level.breach(call.name(), call.thread, other.map(|o| o.0), start);
            let mut sites = vec![Site::new(call, format!("thread {}", call.thread))];
            if let Some((number, Some(open))) = other {
                sites.push(Site::new(open, format!("thread {number} is in this call")));
            }
            findings.add(model, Draft::new(CHECK, format!("rank {}: {message}", call.rank), sites));
        }
    }
}

/// Is it about MPI_Finalize, which `finalize-misuse` speaks of?
fn is_finalize(call: &Origin, other: Option<&(u16, Option<Rc<Origin>>)>) -> bool {
    let other = other.and_then(|(_, open)| open.as_deref());
    other.into_iter().chain([call]).any(|c| c.func.row().class == Class::Finalize)
}
