//! `leak-info`: see `trace_format::catalogue::LEAK_INFO`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_INFO;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Info);

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_INFO, &WORDING, &leaks.objects(Kind::Info));
}
