//! `leak-op`: see `trace_format::catalogue::LEAK_OP`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_OP;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Op);

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_OP, &WORDING, &leaks.objects(Kind::Op));
}
