//! `incorrect-send-size`: see `trace_format::catalogue::INCORRECT_SEND_SIZE`.

use super::message_sizes;
use crate::model::Model;
use crate::state::{Findings, Message};
use trace_format::catalogue::{CheckInfo, INCORRECT_SEND_SIZE};

pub(super) static CHECK: &CheckInfo = &INCORRECT_SEND_SIZE;

pub(super) fn rule(m: &Message, model: &Model, findings: &mut Findings) -> bool {
    let too_short = model.signatures.is_shorter(m.sent, m.room);
    if too_short {
        message_sizes(CHECK, m, model, findings);
    }
    too_short
}
