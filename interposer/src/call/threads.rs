//! How many threads have called MPI.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static NUMBER: AtomicU32 = AtomicU32::new(0);
/// A thread has taken over the state of an ended one.
static TAKEN_OVER: AtomicBool = AtomicBool::new(false);

/// The number of a new state of a thread.
pub(crate) fn next_number() -> u32 {
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// So many numbers were given.
pub(crate) fn numbers() -> u32 {
    NUMBER.load(Ordering::Relaxed)
}

/// A thread takes over the state of one that has ended.
pub(crate) fn is_taken_over() {
    TAKEN_OVER.store(true, Ordering::Relaxed);
}

/// Has more than one thread called MPI?
#[inline(always)]
pub(crate) fn are_several() -> bool {
    NUMBER.load(Ordering::Relaxed) > 1 || TAKEN_OVER.load(Ordering::Relaxed)
}

/// How many threads have called MPI at once, at most.
#[inline(always)]
pub(crate) fn count() -> usize {
    NUMBER.load(Ordering::Relaxed) as usize
}

/// For tests: as many threads as there may be have called MPI, as long as nobody else pretends so.
#[cfg(test)]
pub(crate) fn pretend_several() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    NUMBER.store(32, Ordering::SeqCst);
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}
