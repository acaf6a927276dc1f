//! The threads that record: how many there are, and what ended ones have left for new ones.

use crate::trace;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Most threads of a process that are recorded.
pub const MOST: u32 = 1024;

/// Numbers that were given to threads.
static NUMBER: AtomicU32 = AtomicU32::new(0);
/// A thread has taken over the state of an ended one.
static REUSED: AtomicBool = AtomicBool::new(false);
/// Addresses of the states of ended threads.
static IDLE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The beginning of a thread.
#[derive(Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The address of the state of an ended thread.
    State(usize),
    /// A number of its own.
    Number(u16),
}

/// A thread begins to record. `None` if there are too many.
pub fn begin() -> Option<Beginning> {
    if let Some(state) = idle().pop() {
        REUSED.store(true, Ordering::Relaxed);
        return Some(Beginning::State(state));
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    (number < MOST).then_some(Beginning::Number(number as u16))
}

/// A thread has ended; the next one may have the state at this address.
pub fn end(state: usize) {
    idle().push(state);
}

/// Has more than one thread recorded?
#[inline(always)]
pub fn are_several() -> bool {
    NUMBER.load(Ordering::Relaxed) > 1 || REUSED.load(Ordering::Relaxed)
}

/// How many threads have recorded at once, at most.
#[inline(always)]
pub fn count() -> usize {
    NUMBER.load(Ordering::Relaxed) as usize
}

/// Removes the files of the stages, which are empty, if this is the only thread that has not ended.
pub fn remove_stages() {
    let Some(trace) = trace::get() else { return };
    let all = NUMBER.load(Ordering::Relaxed);
    if idle().len() + 1 == all as usize {
        trace.remove_stages(all);
    }
}

fn idle() -> MutexGuard<'static, Vec<usize>> {
    IDLE.lock().unwrap_or_else(|e| e.into_inner())
}
