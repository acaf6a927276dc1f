//! `wrong-send-size`: see `trace_format::catalogue::WRONG_SEND_SIZE`.

use super::message_sizes;
use crate::model::Model;
use crate::state::{Findings, Message};
use trace_format::catalogue::{CheckInfo, WRONG_SEND_SIZE};

pub(super) static CHECK: &CheckInfo = &WRONG_SEND_SIZE;

pub(super) fn rule(m: &Message, model: &Model, findings: &mut Findings) -> bool {
    let too_long = model.signatures.is_shorter(m.room, m.sent);
    if too_long {
        message_sizes(CHECK, m, model, findings);
    }
    too_long
}
