//! `leak-errhandler`: see `trace_format::catalogue::LEAK_ERRHANDLER`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_ERRHANDLER;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Errhandler);

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_ERRHANDLER, &WORDING, &leaks.objects(Kind::Errhandler));
}
