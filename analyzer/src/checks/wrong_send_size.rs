//! `wrong-send-size`: see `trace_format::catalogue::WRONG_SEND_SIZE`.

use crate::engine::Model;
use crate::engine::facts::{Draft, Report, Site};
use crate::engine::p2p::Message;
use trace_format::catalogue::{CheckInfo, WRONG_SEND_SIZE};

pub(super) static CHECK: &CheckInfo = &WRONG_SEND_SIZE;

pub(super) fn rule(m: &Message, model: &Model, report: &mut Report) -> bool {
    let all = &model.signatures;
    // Untyped data are compared by bytes, typed ones by elements.
    let too_long = if all.untyped(m.sent, m.room) {
        matches!((m.sent.bytes, m.room.bytes), (Some(s), Some(r)) if s > r)
    } else {
        all.elements(m.sent) > all.elements(m.room)
    };
    if !too_long {
        return false;
    }
    report.add_lazy(model, CHECK, &[&m.send, &m.recv], m.count, || {
        let bytes = |b: Option<u64>| b.map(|b| format!(" ({b} bytes)")).unwrap_or_default();
        let message = format!(
            "rank {} sends {}{} to rank {}, whose receive has room for {}{}",
            m.send.rank,
            all.describe(m.sent),
            bytes(m.sent.bytes),
            m.recv.rank,
            all.describe(m.room),
            bytes(m.room.bytes)
        );
        Draft::new(CHECK, message, vec![Site::new(&m.send, "the send"), Site::new(&m.recv, "the receive")])
    });
    true
}
