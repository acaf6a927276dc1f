//! `leak-window`: see `trace_format::catalogue::LEAK_WINDOW`.

use super::leaks::{self, Leaks, Wording};
use super::{Finding, Spot};
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_WINDOW;
use trace_format::mpi::Kind;

const WORDING: Wording = Wording::freed(Kind::Win);

/// `grown`: places of which `leak-growth` has told.
pub(super) fn check(leaks: &Leaks, grown: &[Spot], thread: &mut Thread) {
    let mut found = leaks.objects(Kind::Win);
    found.retain(|leak| !grown.iter().any(|spot| leak.is_at(spot)));
    leaks::tell(thread, &LEAK_WINDOW, &WORDING, &found);
}

/// MPI_Finalize, the call `here`, is about to be made. Some libraries end the program there if a window is left: then nobody
/// tells of it afterwards.
pub(super) fn before_end(leaks: &Leaks, here: Spot, thread: &mut Thread) {
    if let Some(leak) = leaks.objects(Kind::Win).first() {
        let (what, function) = (leaks::amount(leak.count, "window"), leak.spot.func.name());
        let are = if leak.count == 1 { "is" } else { "are" };
        let message = format!("{what} made by {function} {are} not freed when MPI_Finalize is called");
        let finding = Finding::new(&LEAK_WINDOW, message).at(leak.spot, "made a window").at(here, "the end of MPI");
        finding.tell_in_report(thread);
    }
}
