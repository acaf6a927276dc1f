//! Conflicts of what a call begins with pending operations, told.

use crate::mpi::spot::Spot;
use crate::pending::conflicts::{Begun, Conflict, Suspects, conflict_elsewhere};
use crate::pending::shards::Part;
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::buffers;
use recorder::threads;

/// Is any buffer in use by a pending operation?
#[inline(always)]
pub(crate) fn is_any_pending(thread: &Thread) -> bool {
    let own = thread.part;
    own.is_any_pending() || threads::are_several() && own.others().next().is_some()
}

/// A blocking call of `thread` is about to use these buffers: one that a pending operation has.
pub(crate) fn conflict(thread: &Thread, uses: &[Use]) -> Option<Box<Conflict>> {
    let own = thread.part;
    let conflict = if own.is_any_pending() { own.conflict(uses) } else { None };
    if conflict.is_some() || !threads::are_several() {
        return conflict;
    }
    Suspects::of(own, uses)?.conflict()
}

/// Tells that what the call has begun in a part does not go with another operation, in this part or in another one.
#[inline(always)]
pub(super) fn tell_conflict(thread: &mut Thread, call: &Call, begun: Option<(Part, Begun)>) {
    if let Some((part, begun)) = begun
        && (begun.conflict.is_some() || begun.suspects.is_some())
    {
        look_at_conflict(thread, call, (part, begun));
    }
}

#[cold]
#[inline(never)]
fn look_at_conflict(thread: &mut Thread, call: &Call, (part, begun): (Part, Begun)) {
    let Begun { ix, conflict, suspects } = begun;
    let spot = Spot::of(thread, call);
    let conflict = conflict.or_else(|| conflict_elsewhere(&*suspects?, (part, ix), spot));
    if let Some(conflict) = conflict {
        buffers::tell(thread, call, &conflict);
    }
}
