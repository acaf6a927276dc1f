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
const SOON: c_long = 10;

unsafe extern "C" {
    fn mi_option_get(option: c_int) -> c_long;
    fn mi_option_set(option: c_int, value: c_long);
}

/// Free memory goes back to the system soon. An analysis takes seconds, in which lists of many ranks grow, and what they leave
/// behind would count: a twelfth of all memory with 10,000 ranks.
pub(crate) fn give_back_soon() {
    // SAFETY: both take plain numbers and may be called at any time; a number that the library does not know is no option. If it
    // has another value, this is another option of another version, or the user has chosen.
    unsafe {
        if mi_option_get(PURGE_DELAY) == A_SECOND {
            mi_option_set(PURGE_DELAY, SOON);
        }
    }
}
