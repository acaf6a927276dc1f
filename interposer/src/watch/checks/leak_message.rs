//! `leak-message`: see `trace_format::catalogue::LEAK_MESSAGE`.

use super::leaks::{self, Leaks, Wording};
use super::loans::Lent;
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_MESSAGE;

const WORDING: Wording = Wording { noun: "message", made: "found", undone: "received" };

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    let found = leaks.things(|what| matches!(what, Lent::Message(_)));
    leaks::tell(thread, &LEAK_MESSAGE, &WORDING, &found);
}
