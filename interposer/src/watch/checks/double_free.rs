//! `double-free`: see `trace_format::catalogue::DOUBLE_FREE`.

use super::{Finding, Spot};
use crate::mpi::handles;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::DOUBLE_FREE;
use trace_format::definition::NULL_ID;
use trace_format::mpi::Kind;

/// A call is about to free a handle.
#[cold]
pub(crate) fn check(thread: &mut Thread, call: &Call, kind: Kind, handle: u64) {
    let (function, here) = (call.info.row.name, Spot::of(thread, call));
    if handles::is_predefined(kind, handle) {
        // An object that the library hands out may be predefined, and is to be given back all the same: empty groups, error
        // handlers.
        let id = handles::lookup(kind, handle);
        if id != NULL_ID && !matches!(kind, Kind::Group | Kind::Errhandler) {
            let what = handles::describe(kind, id);
            let message = format!("{function} is called for {what}, which is predefined and must not be freed");
            Finding::new(&DOUBLE_FREE, message).at(here, "frees it").tell(thread);
        }
        return;
    }
    let Some(freed) = handles::freed_before(kind, handle) else { return };
    let what = kind.noun();
    let message = format!("{function} is called for a {what} that was already freed by {}", freed.by.func.name());
    let mut finding = Finding::new(&DOUBLE_FREE, message).at(here, "frees it again").at(freed.by, "freed it first");
    if let Some(made) = freed.made {
        finding = finding.at(made, format!("made the {what}"));
    }
    finding.tell(thread);
}
