//! `mpi-error`: see `trace_format::catalogue::MPI_ERROR`.

use super::partitioned_mismatch::completes_partitioned;
use crate::arg_places::{NONE, arg_places};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, MpiError, Site};
use crate::worlds::Names;
use trace_format::catalogue::{
    COLLECTIVE_ARGUMENT_MISMATCH, COLLECTIVE_BLOCKING_MIX, COLLECTIVE_DATA_TYPE, COLLECTIVE_MISMATCH,
    COMM_FREE_MISMATCH, CONCURRENT_MISUSE, CheckInfo, DIFF_REDUCTIONS, FILE_MISUSE, IGNORED_IO_ERROR, MPI_ERROR,
    NEIGHBOUR_MISMATCH, NONPAIRED_RECV, NONPAIRED_SEND, PARTITIONED_MISMATCH, PARTITIONED_MISUSE, RMA_RANGE,
    RMA_TYPE_MISMATCH, WRONG_DATA_TYPE, WRONG_RECV_SIZE, WRONG_ROOT, WRONG_SEND_SIZE,
};
use trace_format::finding::Severity;
use trace_format::mpi::Class;
use trace_format::mpi::predefined::error_class_name;

pub(super) static CHECK: &CheckInfo = &MPI_ERROR;

/// Findings that say why a call on a file failed, or that nobody looked.
const FILES: &[&CheckInfo] = &[&FILE_MISUSE, &IGNORED_IO_ERROR];

fn concerns_call(findings: &Findings, error: &MpiError) -> bool {
    error.call.as_ref().is_some_and(|call| findings.concerns_calls_of(FILES, call))
}

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for (rank, r) in model.ranks.iter().enumerate() {
        for error in &r.errors {
            let class = error_class_name(error.class);
            // The library stumbled over something that has a finding of its own.
            let coll = error.call.as_ref().is_some_and(|c| matches!(arg_places(c.func).class, Class::Collective(..)));
            let collective: &[&CheckInfo] = &[
                &COLLECTIVE_MISMATCH,
                &COLLECTIVE_BLOCKING_MIX,
                &COLLECTIVE_ARGUMENT_MISMATCH,
                &COMM_FREE_MISMATCH,
                &WRONG_ROOT,
                &DIFF_REDUCTIONS,
                &COLLECTIVE_DATA_TYPE,
                &WRONG_RECV_SIZE,
                &NEIGHBOUR_MISMATCH,
            ];
            // A completion call hides the class of the receive that failed in a status.
            let too_long = matches!(class, "MPI_ERR_TRUNCATE" | "MPI_ERR_IN_STATUS");
            // A request that two threads use at once is the cause of what the library says of it.
            let completes = error
                .call
                .as_ref()
                .is_some_and(|c| matches!(arg_places(c.func).class, Class::Wait(_) | Class::Test(_)));
            let one_sided = error.call.as_ref().is_some_and(|c| arg_places(c.func).win != NONE);
            let of_file = error.call.as_ref().is_some_and(|c| arg_places(c.func).is_of_files);
            let finalize = error.call.as_ref().is_some_and(|c| arg_places(c.func).class == Class::Finalize);
            let alone = e.alone.iter().map(|a| if a.is_send { &NONPAIRED_SEND } else { &NONPAIRED_RECV });
            let partitioned = error.call.as_ref().is_some_and(|c| completes_partitioned(c, model));
            let explained = error.call.as_ref().is_some_and(|c| r.is_found_wrong(c))
                || finalize && e.failed_over && alone.into_iter().any(|c| model.selection.is_on(c))
                || completes && findings.concerns(&[&CONCURRENT_MISUSE], rank as i32)
                || coll && findings.concerns(&[&CONCURRENT_MISUSE], rank as i32)
                || too_long && findings.concerns(&[&WRONG_SEND_SIZE, &WRONG_DATA_TYPE], rank as i32)
                || partitioned && findings.has(&[&PARTITIONED_MISMATCH, &PARTITIONED_MISUSE])
                || one_sided && findings.concerns(&[&RMA_RANGE, &RMA_TYPE_MISMATCH], rank as i32)
                || of_file && findings.concerns(FILES, rank as i32) && concerns_call(findings, error)
                || (too_long || coll) && findings.concerns(collective, rank as i32)
                || coll && error.call.as_ref().is_some_and(|c| findings.concerns_calls_of(collective, c));
            if explained {
                continue;
            }
            let site = match &error.call {
                Some(call) => Site::new(call, "the call that failed"),
                None => Site { rank: rank as i32, call: None, pc: 0, stack: 0, role: "the call that failed".into() },
            };
            let name = error.call.as_ref().map_or("an MPI call", |c| c.name());
            let text = if error.text.is_empty() { String::new() } else { format!("{}: {}", Names::KEEP, error.text) };
            let message = format!("{name} failed on rank {rank} with {class}{text}");
            let mut draft = Draft::new(CHECK, message, vec![site]);
            if error.fatal {
                draft.notes.extend(e.aftermath_of(rank as i32));
            } else if r.was_ended_by_handler(error) {
                draft.notes.push(match (&r.abort, r.exit) {
                    (Some(abort), _) => {
                        draft.calls.push(Site::new(abort, "the program's error handler ends the job"));
                        let code = super::abort::error_code(abort);
                        format!("the program's error handler then called MPI_Abort, error code {code}")
                    }
                    (None, status) => {
                        format!(
                            "the program's error handler then ended the process, exit status {}",
                            status.unwrap_or(0)
                        )
                    }
                });
                draft.notes.extend(e.aftermath_of(rank as i32));
            } else {
                draft = draft.severity(Severity::Note).note("the program handles errors itself: it went on");
            }
            findings.add(model, draft);
        }
    }
}
