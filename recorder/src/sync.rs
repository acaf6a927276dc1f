//! The parts that locks are made of. `loom/` has its own ones, and compiles [`crate::biased`] with them: so it goes through all
//! interleavings of the lock that is used.

use crate::stop;
use std::cell::UnsafeCell;
use std::time::Duration;

pub(crate) use crate::tls::get as thread_word;
pub(crate) use parking_lot::MutexGuard;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::thread::yield_now;

/// A lock that holds nothing.
pub(crate) struct Lock(parking_lot::Mutex<()>);

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock(parking_lot::Mutex::new(()))
    }

    #[cfg(test)]
    pub(crate) fn take(&self) -> MutexGuard<'_, ()> {
        self.0.lock()
    }

    /// Waits at most so long.
    pub(crate) fn take_within(&self, time: Duration) -> Option<MutexGuard<'_, ()>> {
        self.0.try_lock_for(time)
    }
}

/// A value that is lent to one thread at a time.
pub(crate) struct Place<T>(UnsafeCell<T>);

impl<T> Place<T> {
    pub(crate) const fn new(value: T) -> Place<T> {
        Place(UnsafeCell::new(value))
    }

    /// Runs `f` with the value.
    ///
    /// # Safety
    /// It is lent to nobody else meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn lend<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: nobody else has it, as the caller vouches for.
        f(unsafe { &mut *self.0.get() })
    }
}

/// A pause that lets others run.
pub(crate) fn sleep(time: Duration) {
    std::thread::sleep(time);
}

/// Has a thread left this library by a jump, so that it never gives back what it has?
pub(crate) fn is_abandoned() -> bool {
    stop::has_a_thread_left()
}

/// Stores in front of this may still be on their way when loads behind it are done, until somebody has all processors
/// [catch up](catch_up).
#[inline(always)]
pub(crate) fn fence_to_catch_up() {
    if cfg!(miri) {
        // There is no other way to have what `catch_up` gives.
        std::sync::atomic::fence(Ordering::SeqCst);
    } else {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    }
}

const REGISTER: libc::c_long = 1 << 4;
const EXPEDITED: libc::c_long = 1 << 3;

fn membarrier(command: libc::c_long) -> bool {
    if cfg!(miri) {
        std::sync::atomic::fence(Ordering::SeqCst);
        return true;
    }
    // SAFETY: a plain system call.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Can the kernel make all processors that run this process catch up with what was stored?
pub(crate) fn can_catch_up() -> bool {
    membarrier(REGISTER)
}

/// Behind this, every thread has either stored for all to see what it has stored so far, or loads what was stored here.
pub(crate) fn catch_up() {
    if !membarrier(EXPEDITED) {
        // A program may forbid itself the call. Processors hold nothing back for so long.
        std::thread::sleep(Duration::from_millis(10));
    }
}
