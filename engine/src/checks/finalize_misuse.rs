//! `finalize-misuse`: see `trace_format::catalogue::FINALIZE_MISUSE`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Rank, Site, Untimely};
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, FINALIZE_MISUSE};

pub(super) static CHECK: &CheckInfo = &FINALIZE_MISUSE;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    for (number, r) in model.ranks.iter().enumerate() {
        let together: Vec<&Untimely> = r.untimely.iter().filter(|u| u.is_certain(r)).collect();
        // One of two threads in MPI_Finalize is not the main one.
        let twice = together.iter().any(|u| u.is_twice());
        if let (Some((finalize, start)), false) = (by_another_thread(r), twice) {
            let message = format!(
                "rank {number}: MPI_Finalize is called by thread {}, not by the main thread, which called {start}",
                finalize.thread
            );
            let role = format!("thread {}", finalize.thread);
            findings.add(model, Draft::new(CHECK, message, vec![Site::new(finalize, role)]));
        }
        for case in together {
            findings.add(model, overlap(number, case));
        }
    }
}

/// The first MPI_Finalize, if the thread that called it did not start MPI, and the function that did.
fn by_another_thread(r: &Rank) -> Option<(&Rc<Origin>, &'static str)> {
    let finalize = r.first_finalize.as_ref()?;
    let start = r.start.filter(|_| r.main_thread.is_some_and(|main| main != finalize.thread))?;
    Some((finalize, start.name()))
}

/// Two calls of two threads at once, one of which is MPI_Finalize.
fn overlap(rank: usize, case: &Untimely) -> Draft {
    let Untimely { first, second } = case;
    let message = if case.is_twice() {
        format!("rank {rank}: threads {} and {} are in MPI_Finalize at once", first.thread, second.thread)
    } else if case.finalizes_late() {
        let (thread, name) = (first.thread, first.name());
        format!("rank {rank}: MPI_Finalize is called while thread {thread} is in {name}")
    } else {
        let (thread, name) = (second.thread, second.name());
        format!("rank {rank}: {name} is called by thread {thread} while MPI_Finalize has not returned")
    };
    let sites = vec![
        Site::new(first, format!("thread {}", first.thread)),
        Site::new(second, format!("thread {}, before that call has returned", second.thread)),
    ];
    Draft::new(CHECK, message, sites)
}
