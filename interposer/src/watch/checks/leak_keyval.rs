//! `leak-keyval`: see `trace_format::catalogue::LEAK_KEYVAL`.

use super::leaks::{self, Leaks, Wording};
use super::loans::Lent;
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_KEYVAL;

const WORDING: Wording = Wording { noun: "attribute key", made: "made", undone: "freed" };

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    let found = leaks.things(|what| matches!(what, Lent::Keyval(_)));
    leaks::tell(thread, &LEAK_KEYVAL, &WORDING, &found);
}
