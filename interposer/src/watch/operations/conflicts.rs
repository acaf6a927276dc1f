//! Conflicts of what a call begins with pending operations: in its own part, and in those of other threads.

use super::Part;
use crate::state::recording::Call;
use crate::state::thread::{self, Thread};
use crate::watch::checks::{Spot, buffers};
use crate::watch::operands::{Use, Uses};
use smallvec::SmallVec;
use trace_format::requests::Ix;

/// Is any buffer in use by a pending operation?
#[inline(always)]
pub(crate) fn is_any_pending(thread: &Thread) -> bool {
    let own = thread.part;
    own.is_any_pending() || thread::are_several() && own.others().next().is_some()
}

/// A blocking call of `thread` is about to use these buffers: one that a pending operation has.
pub(crate) fn conflict(thread: &Thread, uses: &[Use]) -> Option<Box<buffers::Conflict>> {
    let own = thread.part;
    let conflict = if own.is_any_pending() { own.with(|state| state.conflict(uses)) } else { None };
    if conflict.is_some() || !thread::are_several() {
        return conflict;
    }
    Suspects::of(own, uses)?.conflict()
}

/// What a call has begun.
pub(super) struct Begun {
    pub(super) ix: Ix,
    pub(super) conflict: Option<Box<buffers::Conflict>>,
    /// Operations of other threads may use its memory.
    pub(super) suspects: Option<Box<Suspects>>,
}

/// Parts where operations may be in conflict with these buffers.
pub(super) struct Suspects {
    parts: SmallVec<[Part; 4]>,
    uses: Uses,
}

impl Suspects {
    /// Conflicts of the buffers of an operation that was added to the part `own`.
    #[inline(never)]
    pub(super) fn of(own: Part, uses: &[Use]) -> Option<Box<Suspects>> {
        let meets = |part: &Part| uses.iter().any(|used| part.reach().meets(&used.buffer.span(), used.access.writes()));
        if own.others().any(|part| meets(&part)) { Suspects::all(own.others().filter(meets), uses) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn all(parts: impl Iterator<Item = Part>, uses: &[Use]) -> Option<Box<Suspects>> {
        Some(Box::new(Suspects { parts: parts.collect(), uses: uses.iter().cloned().collect() }))
    }

    /// A pending operation of another part whose use of memory does not go with them.
    #[cold]
    fn conflict(&self) -> Option<Box<buffers::Conflict>> {
        self.parts.iter().find_map(|part| {
            part.with(|state| {
                let conflict = state.conflict(&self.uses);
                if conflict.is_none() {
                    part.reach().was_met(state);
                }
                conflict
            })
        })
    }
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

pub(super) fn conflict_elsewhere(
    suspects: &Suspects,
    (own, ix): (Part, Ix),
    spot: Spot,
) -> Option<Box<buffers::Conflict>> {
    let conflict = suspects.conflict()?;
    own.with(|state| {
        if let Some(mine) = state.requests.get_mut(ix).filter(|operation| operation.started == spot) {
            mine.is_disturbed = true;
        }
    });
    Some(conflict)
}
