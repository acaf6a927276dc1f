//! `leak-group`: see `trace_format::catalogue::LEAK_GROUP`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_GROUP;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Group);

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_GROUP, &WORDING, &leaks.objects(Kind::Group));
}
