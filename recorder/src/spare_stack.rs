//! A stack for signal handlers, for threads that have none: a thread whose stack is full could not run the handler that
//! writes the crash down, and would die without a word. What the program sets by sigaltstack(2) itself takes its place.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Enough for the handlers that libraries have, which print the stack. Pages are only taken when they are used.
const BYTES: usize = 256 << 10;
/// Below it, so that a handler that needs still more does not write into what lies there.
const GUARD: usize = 4096;

/// The spare stack of a thread's state, which outlives the thread and is given to the next one.
#[derive(Default)]
pub struct SpareStack {
    /// Address of its lowest byte; 0: none was made.
    base: usize,
}

impl SpareStack {
    /// Gives it to the calling thread, unless that has one.
    pub fn provide(&mut self) {
        if of_thread().is_none_or(|stack| stack.ss_flags & libc::SS_DISABLE == 0) {
            return;
        }
        if self.base == 0 {
            match map() {
                Some(base) => self.base = base,
                None => return,
            }
        }
        let stack = libc::stack_t { ss_sp: self.base as *mut c_void, ss_flags: 0, ss_size: BYTES };
        // SAFETY: the mapping is of that size, belongs to this thread alone and is never given back.
        unsafe { libc::sigaltstack(&stack, null_mut()) };
    }

    /// Takes it from the calling thread, which is about to end.
    pub fn withdraw(&self) {
        let Some(stack) = of_thread().filter(|stack| self.base != 0 && stack.ss_sp as usize == self.base) else {
            return;
        };
        let none = libc::stack_t { ss_flags: libc::SS_DISABLE, ..stack };
        // SAFETY: the thread goes on without a stack for signal handlers.
        unsafe { libc::sigaltstack(&none, null_mut()) };
    }
}

/// The stack for signal handlers that the calling thread has.
fn of_thread() -> Option<libc::stack_t> {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: only asks; all zero is a valid value.
    unsafe { (libc::sigaltstack(std::ptr::null(), stack.as_mut_ptr()) == 0).then(|| stack.assume_init()) }
}

fn map() -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    // SAFETY: a fresh mapping, whose lowest page is made inaccessible.
    unsafe {
        let base = libc::mmap(null_mut(), BYTES + GUARD, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if base == libc::MAP_FAILED {
            return None;
        }
        libc::mprotect(base, GUARD, libc::PROT_NONE);
        Some(base as usize + GUARD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_a_stack_and_keeps_its_own() {
        // A thread of Rust has one.
        let base = |thread: Option<libc::stack_t>| {
            thread.filter(|s| s.ss_flags & libc::SS_DISABLE == 0).map(|s| s.ss_sp as usize)
        };
        let own = base(of_thread());
        let mut spare = SpareStack::default();
        spare.provide();
        assert_eq!((own.is_some(), base(of_thread()), spare.base), (true, own, 0));
        let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        // SAFETY: the thread goes on without a stack for signal handlers.
        unsafe { libc::sigaltstack(&none, null_mut()) };
        spare.provide();
        assert_eq!(base(of_thread()), Some(spare.base));
        spare.withdraw();
        assert_eq!(base(of_thread()), None);
    }
}
