//! The operations in parts, so that threads that have nothing to do with each other do not wait for each other: each thread
//! has those that it begins in a part of its own, with a lock of its own. It goes to the other parts for requests that others
//! have made, and where its buffers may be in use there ([`super::reach`]). Nobody holds two of the locks.

use super::conflicts::Conflict;
use super::operation::Operation;
use super::reach::Reach;
use super::state::State;
use super::uses::Use;
use crate::mpi::spot::Spot;
use crate::precise;
use recorder::biased::Biased;
use recorder::threads;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Threads share parts from the next one on.
const PARTS: usize = 32;
const PLACES: usize = 1024;

struct Shard {
    reach: Reach,
    operations: Guarded,
    /// Handles that its requests have at the moment, by [`Part::place_of`]; 0 where none is known. A handle that is not here may be
    /// one of a request all the same. Written under the lock only.
    live: [AtomicU64; PLACES],
}

/// The data that the owner writes all the time, apart from those that others look at.
#[repr(align(128))]
struct Guarded {
    state: Biased<State>,
    /// Buffers of pending operations.
    pending: AtomicUsize,
    /// Operations in the short list.
    in_lane: AtomicUsize,
}

impl Shard {
    const fn new() -> Shard {
        let state = Biased::new(State::new());
        let operations = Guarded { state, pending: AtomicUsize::new(0), in_lane: AtomicUsize::new(0) };
        Shard { reach: Reach::new(), operations, live: [const { AtomicU64::new(0) }; PLACES] }
    }
}

static ALL: [Shard; PARTS] = [const { Shard::new() }; PARTS];

/// A part of the operations.
#[derive(Clone, Copy)]
pub(crate) struct Part(&'static Shard);

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Part {
    /// The part of what the thread with this number begins.
    #[expect(clippy::indexing_slicing, reason = "a remainder by the length of the array")]
    pub(crate) fn of(thread: u16) -> Part {
        Part(&ALL[usize::from(thread) % PARTS])
    }

    #[inline(always)]
    pub(crate) fn reach(self) -> &'static Reach {
        &self.0.reach
    }

    /// Runs `f` with the operations of this part. It must not call the library, report, or go to another part.
    #[inline]
    pub(crate) fn with<T>(self, f: impl FnOnce(&mut State) -> T) -> T {
        let Guarded { state, pending, in_lane } = &self.0.operations;
        state.with(|state| {
            if !state.lane.is_empty() {
                state.move_over();
                in_lane.store(0, Ordering::Relaxed);
            }
            let result = f(state);
            pending.store(state.pending.len(), Ordering::Relaxed);
            result
        })
    }

    /// As [`Part::with`], and the operations in the short list stay there.
    #[inline(always)]
    fn with_lane<T>(self, f: impl FnOnce(&mut State) -> T) -> T {
        let Guarded { state, pending, in_lane } = &self.0.operations;
        state.with(|state| {
            let result = f(state);
            let list = state.lane.len();
            pending.store(state.pending.len() + list, Ordering::Relaxed);
            in_lane.store(list, Ordering::Relaxed);
            result
        })
    }

    /// Is the short list empty, as long as no other thread calls MPI?
    #[inline(always)]
    fn is_lane_empty(self) -> bool {
        self.0.operations.in_lane.load(Ordering::Relaxed) == 0
    }

    /// See [`State::begin_in_lane`].
    #[inline(always)]
    pub(crate) fn begin_in_lane(self, request: (u64, u64), operation: Box<Operation>) -> Result<(), Box<Operation>> {
        let is_run = matches!(operation.uses.as_slice(), [used] if used.buffer.run().is_some());
        if !is_run || precise::is_watching() {
            return Err(operation);
        }
        self.with_lane(|state| state.begin_in_lane(self, request, operation))
    }

    /// See [`State::end_in_lane`].
    #[inline(always)]
    pub(crate) fn end_in_lane(self, request: (u64, u64), by: (Spot, u64)) -> Option<(Box<Operation>, bool)> {
        if self.is_lane_empty() { None } else { self.with_lane(|state| state.end_in_lane(self, request, by)) }
    }

    /// Has an operation of the short list this handle?
    pub(crate) fn is_in_lane(self, handle: u64) -> bool {
        !self.is_lane_empty() && self.with_lane(|state| state.lane.has(handle))
    }

    /// A pending operation whose use of memory does not go with one of these.
    pub(crate) fn conflict(self, uses: &[Use]) -> Option<Box<Conflict>> {
        let meets = |state: &State, used: &Use| {
            let (span, writes) = (used.buffer.span(), used.access.writes());
            state.lane.meets(&span, writes) || state.pending.conflict(&used.buffer, writes).is_some()
        };
        let may_be = self.with_lane(|state| uses.iter().any(|used| meets(state, used)));
        if may_be { self.with(|state| state.conflict(uses)) } else { None }
    }

    /// Is any buffer in use by a pending operation?
    #[inline(always)]
    pub(crate) fn is_any_pending(self) -> bool {
        self.0.operations.pending.load(Ordering::Relaxed) != 0
    }

    /// The other parts that have had operations.
    #[inline]
    pub(crate) fn others(self) -> impl Iterator<Item = Part> {
        ALL.iter().take(threads::count()).map(Part).filter(move |part| *part != self && part.reach().is_used())
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a remainder by the length of the array")]
    fn place_of(self, handle: u64) -> &'static AtomicU64 {
        let hash = handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        &self.0.live[hash as usize % PLACES]
    }

    /// Has a request of this part this handle? If not it may have it all the same.
    #[inline(always)]
    pub(crate) fn is_live(self, handle: u64) -> bool {
        handle != 0 && self.place_of(handle).load(Ordering::Relaxed) == handle
    }

    /// There is a request with this handle. Its lock is held.
    #[inline(always)]
    pub(crate) fn set_live(self, handle: u64) {
        self.place_of(handle).store(handle, Ordering::Relaxed);
    }

    /// A request with this handle is gone. Its lock is held.
    #[inline(always)]
    pub(crate) fn set_gone(self, handle: u64) {
        let place = self.place_of(handle);
        if place.load(Ordering::Relaxed) == handle {
            place.store(0, Ordering::Relaxed);
        }
    }
}
