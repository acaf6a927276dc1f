//! `ignored-io-error`: see `trace_format::catalogue::IGNORED_IO_ERROR`.

use super::file_misuse::draft;
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Findings, Rank, Site};
use trace_format::catalogue::{CheckInfo, FILE_MISUSE, IGNORED_IO_ERROR};
use trace_format::mpi::predefined::error_class_name;

pub(super) static CHECK: &CheckInfo = &IGNORED_IO_ERROR;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    for (rank, r) in model.ranks.iter().enumerate().filter(|(_, r)| ends_well(r)) {
        for fault in r.files.faults.iter().filter(|fault| fault.check == CHECK) {
            let Some(failed) = fault.sites.first() else { continue };
            // The mistake that made the call fail is the finding, or what is wrong with the call that follows.
            let is_wrong = fault.sites.iter().filter_map(|site| site.call.as_ref()).any(|call| r.is_found_wrong(call));
            let is_explained = failed.call.as_ref().is_some_and(|call| {
                is_wrong
                    || findings.concerns(&[&FILE_MISUSE], rank as i32)
                        && findings.concerns_calls_of(&[&FILE_MISUSE], call)
            });
            if is_explained {
                continue;
            }
            let draft = draft(fault).note(format!("it failed with {}", class(r, failed)));
            findings.add(model, draft);
        }
    }
}

/// Has the rank ended as one does that knows of no error, with the handler that files have by default?
fn ends_well(r: &Rank) -> bool {
    let is_whole = !r.holed && !r.lost && !r.files.has_handler;
    is_whole && r.finalize.is_some() && r.exit.is_none_or(|status| status == 0) && r.abort.is_none()
}

/// The class of the error in the call.
fn class(r: &Rank, failed: &Site) -> String {
    let is_its = |call: &std::rc::Rc<_>| failed.call.as_ref().is_some_and(|failed| std::rc::Rc::ptr_eq(failed, call));
    let error = r.errors.iter().find(|error| error.call.as_ref().is_some_and(is_its));
    match error {
        Some(error) if error.text.is_empty() => error_class_name(error.class).to_owned(),
        Some(error) => format!("{}: {}", error_class_name(error.class), error.text),
        None => "an error".to_owned(),
    }
}
