//! `leak-communicator`: see `trace_format::catalogue::LEAK_COMMUNICATOR`.

use super::Spot;
use super::leaks::{self, Leaks, Wording};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_COMMUNICATOR;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Comm);

/// `grown`: places of which `leak-growth` has told.
pub(super) fn check(leaks: &Leaks, grown: &[Spot], thread: &mut Thread) {
    let mut found = leaks.objects(Kind::Comm);
    found.retain(|leak| !grown.iter().any(|spot| leak.is_at(spot)));
    leaks::tell(thread, &LEAK_COMMUNICATOR, &WORDING, &found);
}
