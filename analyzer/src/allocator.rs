//! The allocator of the command.

#![allow(unsafe_code)]

use mimalloc::MiMalloc;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls are made by the threads that read and end where the engine has used them: an allocator that is good at that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h`: for how many milliseconds memory that is free stays with the process.
const PURGE_DELAY: c_int = 15;
/// The library's own value.
const A_SECOND: c_long = 1000;
/// Lists of many ranks grow, and what they leave behind would count: a twelfth of all memory with 10,000 ranks.
const SOON: c_long = 10;
/// With few ranks, what one epoch or phase needed is there for the next: to give it back and to be given it anew took a tenth of
/// the analysis of a one-sided program.
const LATE: c_long = 300;
const FEW: usize = 128;

unsafe extern "C" {
    fn mi_option_get(option: c_int) -> c_long;
    fn mi_option_set(option: c_int, value: c_long);
}

/// The user has not chosen the delay.
static IS_OURS: AtomicBool = AtomicBool::new(false);
/// Ranks of the largest job that was read: a command may read several jobs, also at once.
static MOST_RANKS: AtomicUsize = AtomicUsize::new(0);

/// Free memory goes back to the system soon, unless the user has chosen when.
pub(crate) fn give_back_soon() {
    // SAFETY: it takes a plain number; one that the library does not know is no option.
    let is_ours = unsafe { mi_option_get(PURGE_DELAY) } == A_SECOND;
    IS_OURS.store(is_ours, Ordering::Relaxed);
    set(SOON);
}

/// The traces of a job with so many ranks are about to be read.
pub(crate) fn suit_to_ranks(ranks: usize) {
    let most = MOST_RANKS.fetch_max(ranks, Ordering::Relaxed).max(ranks);
    set(if most <= FEW { LATE } else { SOON });
}

fn set(delay: c_long) {
    if IS_OURS.load(Ordering::Relaxed) {
        // SAFETY: both are plain numbers, and the option is known: it had its value. It is one word, which other threads may read
        // in the meantime.
        unsafe { mi_option_set(PURGE_DELAY, delay) };
    }
}
