//! The stack of a thread that is not the first one. What lies above the frames at work is there as long as they are, so that
//! the thread itself may read it without asking the kernel, which costs more than all else that is done for a call.

use std::cell::Cell;
use std::ops::Range;

thread_local! {
    /// Where it lies; `None` until it was looked up.
    static RANGE: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
}

/// Does `span` lie in the part of the calling thread's own stack that is in use?
pub(super) fn holds(span: &Range<u64>) -> bool {
    let (start, end) = RANGE.get().unwrap_or_else(learn);
    let here = (&raw const start) as u64;
    // A thread may run on a stack of the program's (coroutines, signal handlers): then nothing is known.
    start <= here && here <= span.start && span.start < span.end && span.end <= end
}

/// Is this an address of the stack that the calling thread was made with? Not for the first thread.
pub(super) fn reaches(address: u64) -> bool {
    let (start, end) = RANGE.get().unwrap_or_else(learn);
    (start..end).contains(&address)
}

#[cold]
fn learn() -> (u64, u64) {
    let range = find().unwrap_or((0, 0));
    RANGE.set(Some(range));
    range
}

/// Asks the C library. `None` for the first thread, whose stack it does not know.
fn find() -> Option<(u64, u64)> {
    // SAFETY: plain system calls that cannot fail.
    if unsafe { libc::syscall(libc::SYS_gettid) == i64::from(libc::getpid()) } {
        return None;
    }
    let mut attributes = std::mem::MaybeUninit::uninit();
    // SAFETY: the place is one for attributes of a thread.
    if unsafe { libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) } != 0 {
        return None;
    }
    let (mut start, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes were written above and are given back once.
    let error = unsafe {
        let error = libc::pthread_attr_getstack(attributes.as_ptr(), &mut start, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        error
    };
    (error == 0).then_some((start as u64, (start as u64).saturating_add(bytes as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Region, is_there, region};

    fn span(value: &[u64]) -> Range<u64> {
        let start = value.as_ptr() as u64;
        start..start + size_of_val(value) as u64
    }

    /// A frame that is gone when this returns.
    #[inline(never)]
    fn deeper() -> Range<u64> {
        let value = [1u64; 64];
        let span = span(std::hint::black_box(&value));
        assert_eq!(region(&span), Region::Stack);
        span
    }

    #[test]
    fn a_thread_knows_its_own_stack() {
        let main = [0u64; 4];
        let of_main = span(&main);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let value = [0u64; 4];
                let own = span(std::hint::black_box(&value));
                assert_eq!(region(&own), Region::Stack);
                assert!(is_there(Region::Stack, &own));
                let gone = deeper();
                assert!(!is_there(Region::Stack, &(gone.start - 65536..gone.start)), "below what is in use");
                assert!(!holds(&(own.start..u64::MAX)), "beyond its end");
                assert!(!holds(&of_main));
                // Another thread does not know how long it will be there.
                std::thread::scope(|inner| {
                    inner.spawn(|| assert!(!is_there(Region::Stack, &own) && region(&own) != Region::Stack));
                });
            });
        });
    }
}
