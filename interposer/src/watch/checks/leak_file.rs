//! `leak-file`: see `trace_format::catalogue::LEAK_FILE`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_FILE;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording { noun: "file", made: "opened", undone: "closed" };

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_FILE, &WORDING, &leaks.objects(Kind::File));
}
