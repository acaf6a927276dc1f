//! `leak-session`: see `trace_format::catalogue::LEAK_SESSION`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_SESSION;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording { noun: "session", made: "started", undone: "finalized" };

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_SESSION, &WORDING, &leaks.objects(Kind::Session));
}
