//! The allocator of the command.

#![allow(unsafe_code)]

use mimalloc::MiMalloc;
use std::ffi::{c_int, c_long};

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

/// Free memory goes back to the system soon.
pub(crate) fn give_back_soon() {
    change(A_SECOND, SOON);
}

/// As many ranks are about to be read.
pub(crate) fn suit(ranks: usize) {
    if ranks <= FEW {
        change(SOON, LATE);
    }
}

/// Sets the delay, if it is `from`. If it has another value, this is another option of another version, or the user has chosen.
fn change(from: c_long, to: c_long) {
    // SAFETY: both take plain numbers and may be called at any time; a number that the library does not know is no option.
    unsafe {
        if mi_option_get(PURGE_DELAY) == from {
            mi_option_set(PURGE_DELAY, to);
        }
    }
}
