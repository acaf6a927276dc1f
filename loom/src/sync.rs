//! The parts of the biased lock in a model: `recorder/src/sync.rs` has those of the machine.

use loom::cell::UnsafeCell;
use std::cell::Cell;
use std::time::Duration;

pub(crate) use loom::sync::MutexGuard;
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(crate) use loom::thread::yield_now;

/// A lock that holds nothing.
pub(crate) struct Lock(loom::sync::Mutex<()>);

impl Lock {
    pub(crate) fn new() -> Lock {
        Lock(loom::sync::Mutex::new(()))
    }

    /// Time is not part of the model: a thread that waits gets the lock.
    pub(crate) fn take_within(&self, _: Duration) -> Option<MutexGuard<'_, ()>> {
        self.0.lock().ok()
    }
}

/// A value; the model ends where two threads have it at once.
pub(crate) struct Place<T>(UnsafeCell<T>);

impl<T> Place<T> {
    pub(crate) fn new(value: T) -> Place<T> {
        Place(UnsafeCell::new(value))
    }

    /// Runs `f` with the value.
    ///
    /// # Safety
    /// It is lent to nobody else meanwhile, which loom sees to.
    pub(crate) unsafe fn lend<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: nobody else has it, as the caller vouches for.
        self.0.with_mut(|value| f(unsafe { &mut *value }))
    }
}

pub(crate) fn sleep(_: Duration) {
    yield_now();
}

pub(crate) fn is_abandoned() -> bool {
    false
}

loom::thread_local! {
    /// The word of the thread of the model; 0: it has none.
    pub static WORD: Cell<usize> = Cell::new(0);
}

pub(crate) fn thread_word() -> usize {
    WORD.with(Cell::get)
}

std::thread_local! {
    /// The kernel cannot make others catch up. All threads of a model run in one thread of the system.
    pub static IS_FORBIDDEN: Cell<bool> = const { Cell::new(false) };
    /// The kernel says that others have caught up, and they have not.
    pub static IS_BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// membarrier(2) promises what a fence in each of two threads gives: one of the two sees what the other one has stored in
/// front of its own fence.
fn fence() {
    if !IS_BROKEN.get() {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }
}

pub(crate) fn fence_to_catch_up() {
    fence();
}

pub(crate) fn can_catch_up() -> bool {
    !IS_FORBIDDEN.get()
}

pub(crate) fn catch_up() {
    fence();
}
