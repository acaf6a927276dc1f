//! `leak-datatype`: see `trace_format::catalogue::LEAK_DATATYPE`.

use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_DATATYPE;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Datatype);

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    leaks::tell(thread, &LEAK_DATATYPE, &WORDING, &leaks.objects(Kind::Datatype));
}
