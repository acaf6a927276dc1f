//! `buffer-too-small`: see `trace_format::catalogue::BUFFER_TOO_SMALL`.

use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Site, TooSmall};
use std::rc::Rc;
use trace_format::catalogue::{BUFFER_TOO_SMALL, CheckInfo};
use trace_format::finding::Severity;

pub(super) static CHECK: &CheckInfo = &BUFFER_TOO_SMALL;

/// Did the rank die in this call, whose buffer is too small?
pub(super) fn explains(call: &Rc<Origin>, model: &Model) -> bool {
    let is_it = |small: &TooSmall| Rc::ptr_eq(&small.extent.call, call);
    model.selection.is_on(CHECK) && model.too_small.iter().any(is_it)
}

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for TooSmall { extent, storage } in &model.too_small {
        let (call, (from, to)) = (&extent.call, extent.bytes);
        let behind = from - storage.start;
        let left = storage.size - behind;
        let row = call.func.row();
        let param = row.params.get(usize::from(extent.side.buf)).map_or("buf", |p| p.name);
        let place = match behind {
            0 => "the beginning".to_owned(),
            byte => format!("byte {byte}"),
        };
        let kind = if storage.is_local { "a local variable" } else { "a variable" };
        let message = format!(
            "rank {}: {param} of {} is to hold {} bytes from {place} of {} on, {kind} of {} bytes",
            call.rank,
            call.name(),
            to - from,
            storage.name,
            storage.size
        );
        let mut draft = Draft::new(CHECK, message, vec![Site::new(call, format!("calls {}", call.name()))]);
        let r = &model.ranks[call.rank as usize];
        let has_died = e.crashed.contains(&call.rank) && r.open_calls().any(|open| Rc::ptr_eq(&open.origin, call));
        if extent.takes_less && !has_died && extent.got.is_none_or(|got| got <= left) {
            draft = draft.severity(Severity::Warning);
            draft.notes.push("as far as is known, no message came that is longer than the variable".into());
        }
        if let Some(signal) = r.signal.as_ref().filter(|_| has_died) {
            draft.notes.push(format!("the process then died of {}", super::abend::name(signal.signal)));
            draft.notes.extend(e.aftermath());
        }
        findings.add(model, draft);
    }
}
