//! `leak-bsend-buffer`: see `trace_format::catalogue::LEAK_BSEND_BUFFER`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_BSEND_BUFFER;

const WORDING: Wording = Wording { noun: "buffer", made: "attached", undone: "detached" };

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_BSEND_BUFFER, &WORDING, &leaks.buffers());
}
