//! Walks up the stack of this thread by the tables that compilers write for exceptions. Neither allocates nor locks, where the
//! C library finds these tables without a lock (glibc since 2.35).

mod quick;
mod rules;

pub use quick::Walker;

use std::ffi::{c_int, c_void};

/// A function on the stack.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Where it goes on; 0: behind the outermost one, where the stack ends.
    pub address: u64,
    /// Its stack pointer at the call that it is in: the return address lies below.
    pub stack_pointer: u64,
    /// Where it begins.
    pub function: u64,
}

/// Passes the functions that are on the stack to `f`, the innermost first, which says whether to go on.
pub fn walk<F: FnMut(Frame) -> bool>(mut f: F) {
    // SAFETY: the callback matches the unwinder's interface, gets a pointer to the closure, and is not called after this.
    unsafe { _Unwind_Backtrace(step::<F>, (&raw mut f).cast()) };
}

const CONTINUE: c_int = 0;
const END_OF_STACK: c_int = 5;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    fn _Unwind_GetRegionStart(context: *mut c_void) -> usize;
}

unsafe extern "C" fn step<F: FnMut(Frame) -> bool>(context: *mut c_void, f: *mut c_void) -> c_int {
    // SAFETY: `walk` passes a pointer to its closure; the context is valid during the callback.
    let (f, frame) = unsafe {
        let (address, function) = (_Unwind_GetIP(context) as u64, _Unwind_GetRegionStart(context) as u64);
        (&mut *f.cast::<F>(), Frame { address, stack_pointer: _Unwind_GetCFA(context) as u64, function })
    };
    if f(frame) { CONTINUE } else { END_OF_STACK }
}
