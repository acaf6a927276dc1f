//! `thread-level`: calls from threads that the level of thread support in force forbids (MPI 4.1, 11.2.1). The level
//! is what the library says that it provides, not what the program asked for.

use crate::mpi::abi::Abi;
use crate::mpi::library;
use crate::state::slow_path::{MAIN_THREAD, SERIALIZED};
use crate::state::thread::Thread;
use recorder::{slow_path, threads};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use trace_format::mpi::{FnId, ThreadLevel};

/// The level in force, as a number; nothing is checked while it is that of MPI_THREAD_MULTIPLE.
static LEVEL: AtomicU8 = AtomicU8::new(ThreadLevel::Multiple as u8);
/// The function that started MPI.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);
/// One more than the number of the thread that is inside of MPI, for MPI_THREAD_SERIALIZED; 0: none.
static INSIDE: AtomicU32 = AtomicU32::new(0);

/// Asks the library which level it provides. `thread` has started MPI with `function`.
pub(crate) fn learn(abi: &Abi, thread: &mut Thread, function: FnId) {
    // A session has a level of its own.
    if !matches!(function, FnId::MPI_Init | FnId::MPI_Init_thread) {
        return;
    }
    let mut provided = 0i32;
    if library::call(FnId::MPI_Query_thread, &[&raw mut provided as u64]) != Some(0) {
        return;
    }
    if let Some(level) = abi.thread_level(provided) {
        thread.no_concern = MAIN_THREAD;
        STARTED_BY.store(function as u32, Ordering::Relaxed);
        LEVEL.store(level as u8, Ordering::Relaxed);
        slow_path::set(SERIALIZED, level == ThreadLevel::Serialized);
        slow_path::set(MAIN_THREAD, (level as u8) < ThreadLevel::Serialized as u8);
    }
}

/// A call begins. What is wrong with it: the thread that is inside of MPI, or [`NOT_MAIN`].
#[inline(always)]
pub(crate) fn enter(thread: &Thread, always_available: bool) -> Option<u32> {
    let level = LEVEL.load(Ordering::Relaxed);
    if level == ThreadLevel::Multiple as u8 || always_available {
        return None;
    }
    if level < ThreadLevel::Serialized as u8 {
        return (!thread.is_main()).then_some(NOT_MAIN);
    }
    let me = u32::from(thread.number()) + 1;
    if !threads::are_several() {
        // Nobody competes: a plain store. Whoever comes finds it.
        INSIDE.store(me, Ordering::Relaxed);
        return None;
    }
    let inside = INSIDE.swap(me, Ordering::SeqCst);
    (inside != 0 && inside != me).then(|| inside - 1)
}

/// The thread is not the main one.
pub(crate) const NOT_MAIN: u32 = u32::MAX;

/// A call has returned to the program's level.
#[inline(always)]
pub(crate) fn leave(thread: &Thread) {
    if LEVEL.load(Ordering::Relaxed) == ThreadLevel::Serialized as u8 {
        if !threads::are_several() {
            return INSIDE.store(0, Ordering::Release);
        }
        let me = u32::from(thread.number()) + 1;
        // Another thread that broke in has put its own number there.
        _ = INSIDE.compare_exchange(me, 0, Ordering::SeqCst, Ordering::Relaxed);
    }
}

/// The level in force, and the function that started MPI.
pub(crate) fn in_force() -> Option<(ThreadLevel, FnId)> {
    let level = LEVEL.load(Ordering::Relaxed);
    let level = ThreadLevel::ALL.into_iter().find(|l| *l as u8 == level)?;
    Some((level, FnId::from_index(STARTED_BY.load(Ordering::Relaxed) as usize).unwrap_or(FnId::MPI_Init)))
}
