//! `wrong-data-type`: see `trace_format::catalogue::WRONG_DATA_TYPE`.

use crate::model::Model;
use crate::state::{Draft, Findings, Message, Site};
use trace_format::catalogue::{CheckInfo, WRONG_DATA_TYPE};
use trace_format::finding::Severity;
use trace_format::mpi::predefined::DATATYPES;

pub(super) static CHECK: &CheckInfo = &WRONG_DATA_TYPE;

pub(super) fn rule(m: &Message, model: &Model, findings: &mut Findings) -> bool {
    let Some(d) = m.difference else { return false };
    let name = |id: u32| DATATYPES.get(id as usize - 1).copied().unwrap_or("?");
    // Where only names differ, a message that is too long is the greater evil.
    let too_long = model.signatures.elements(m.sent) > model.signatures.elements(m.room);
    if d.formal && too_long {
        return false;
    }
    findings.add_lazy(model, CHECK, &[&m.send, &m.recv], m.count, || {
        let all = &model.signatures;
        let message = format!(
            "rank {} sends {} to rank {}, which receives {}: element {} is {} on one side and {} on the other",
            m.send.rank,
            all.describe(m.sent),
            m.recv.rank,
            all.describe(m.room),
            d.position,
            name(d.left),
            name(d.right)
        );
        let draft = Draft::new(CHECK, message, vec![Site::new(&m.send, "the send"), Site::new(&m.recv, "the receive")]);
        if d.formal {
            draft.severity(Severity::Warning).note(
                "the two types look the same in memory here, so that the data arrive; the standard does not promise it",
            )
        } else {
            draft
        }
    });
    true
}
