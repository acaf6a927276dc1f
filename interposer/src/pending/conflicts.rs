//! Conflicts of what a call begins with pending operations: in its own part, and in those of other threads.

use crate::mpi::spot::Spot;
use crate::pending::shards::Part;
use crate::pending::uses::{Use, Uses};
use smallvec::SmallVec;
use trace_format::mpi::Class;
use trace_format::requests::Ix;

/// Two uses of the same memory that do not go together.
pub(crate) struct Conflict {
    pub(crate) mine: Use,
    /// How the pending operation uses it.
    pub(crate) theirs: Use,
    /// The class of the pending operation.
    pub(crate) class: Class,
    pub(crate) started: Spot,
    /// A byte that both use.
    pub(crate) address: u64,
}

/// The operation that a call has begun.
pub(crate) struct Begun {
    pub(crate) ix: Ix,
    pub(crate) conflict: Option<Box<Conflict>>,
    /// Operations of other threads may use its memory.
    pub(crate) suspects: Option<Box<Suspects>>,
}

/// Parts where operations may be in conflict with these buffers.
pub(crate) struct Suspects {
    parts: SmallVec<[Part; 4]>,
    uses: Uses,
}

impl Suspects {
    /// Conflicts of the buffers of an operation that was added to the part `own`.
    #[inline(never)]
    pub(crate) fn of(own: Part, uses: &[Use]) -> Option<Box<Suspects>> {
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
    pub(crate) fn conflict(&self) -> Option<Box<Conflict>> {
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

pub(crate) fn conflict_elsewhere(suspects: &Suspects, (own, ix): (Part, Ix), spot: Spot) -> Option<Box<Conflict>> {
    let conflict = suspects.conflict()?;
    own.with(|state| {
        if let Some(mine) = state.requests.get_mut(ix).filter(|operation| operation.started == spot) {
            mine.is_disturbed = true;
        }
    });
    Some(conflict)
}
