//! `leak-window`: see `trace_format::catalogue::LEAK_WINDOW`.

use super::Spot;
use super::leaks::{self, Leaks, Wording};
use crate::thread::Thread;
use trace_format::catalogue::LEAK_WINDOW;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Win);

/// `grown`: places of which `leak-growth` has told.
pub(super) fn check(leaks: &Leaks, grown: &[Spot], thread: &mut Thread) {
    let mut found = leaks.objects(Kind::Win);
    found.retain(|leak| !grown.iter().any(|spot| leak.is_at(spot)));
    leaks::tell(thread, &LEAK_WINDOW, &WORDING, &found);
}
