//! `file-misuse`: see `trace_format::catalogue::FILE_MISUSE`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, FileFault, Findings, Rank};
use trace_format::catalogue::{CheckInfo, FILE_MISUSE};

pub(super) static CHECK: &CheckInfo = &FILE_MISUSE;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for r in &model.ranks {
        for fault in r.files.faults.iter().filter(|fault| fault.check == CHECK) {
            let mut draft = draft(fault);
            if has_ended(r, fault) {
                draft.notes.push("the MPI library then ended the program".into());
                draft.notes.extend(e.aftermath());
            }
            findings.add(model, draft);
        }
    }
}

pub(super) fn draft(fault: &FileFault) -> Draft {
    let mut draft = Draft::new(fault.check, fault.message.clone(), fault.sites.clone());
    draft.count = fault.count;
    draft
}

/// Did the library end the program in the wrong call?
fn has_ended(r: &Rank, fault: &FileFault) -> bool {
    let wrong = fault.sites.first().and_then(|site| site.call.as_ref());
    let is_wrong = |call: &std::rc::Rc<_>| wrong.is_some_and(|wrong| std::rc::Rc::ptr_eq(wrong, call));
    r.errors.iter().any(|error| error.fatal && error.call.as_ref().is_some_and(is_wrong))
}
