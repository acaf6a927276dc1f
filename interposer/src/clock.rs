//! Time stamps: the processor's invariant time stamp counter where there is one, else the monotonic clock.

use crate::unusual::{self, Matter};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static USE_TSC: AtomicBool = AtomicBool::new(false);
/// Learned when recording starts.
static TICKS_PER_SECOND: AtomicU64 = AtomicU64::new(1_000_000_000);

/// Nanoseconds of the monotonic clock.
pub(crate) fn monotonic_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970.
pub(crate) fn unix_ns() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place for the result.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Now, in ticks.
#[inline(always)]
pub(crate) fn now() -> u64 {
    if USE_TSC.load(Ordering::Relaxed) {
        // SAFETY: the instruction exists on every x86-64 processor.
        unsafe { core::arch::x86_64::_rdtsc() }
    } else {
        monotonic_ns()
    }
}

/// Now, in ticks of the processor's counter: where nothing says that it is not to be used ([`Matter::Clock`]).
#[inline(always)]
pub(crate) fn counter() -> u64 {
    // SAFETY: as in `now`.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Chooses the clock. Called once before the first time stamp.
pub(crate) fn choose() {
    use core::arch::x86_64::__cpuid;
    // Leaf 0x8000_0007, EDX bit 8: the counter runs at a constant rate in all power states.
    let invariant = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    USE_TSC.store(invariant, Ordering::Relaxed);
    unusual::set(Matter::Clock, !invariant);
}

/// Length of a time in nanoseconds.
pub(crate) fn ticks_to_ns(ticks: u64) -> u64 {
    let per_second = TICKS_PER_SECOND.load(Ordering::Relaxed).max(1);
    (u128::from(ticks) * 1_000_000_000 / u128::from(per_second)) as u64
}

/// A pair of readings, to learn the length of a tick from the time between two pairs.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    ticks: u64,
    ns: u64,
}

impl Reading {
    pub(crate) fn take() -> Reading {
        Reading { ticks: now(), ns: monotonic_ns() }
    }

    /// Ticks per second between this reading and now; waits until at least 2 ms have passed.
    pub(crate) fn ticks_per_second(self) -> u64 {
        if !USE_TSC.load(Ordering::Relaxed) {
            return 1_000_000_000;
        }
        while monotonic_ns() - self.ns < 2_000_000 {
            std::hint::spin_loop();
        }
        let later = Reading::take();
        let (ticks, ns) = (later.ticks - self.ticks, later.ns - self.ns);
        let per_second = (u128::from(ticks) * 1_000_000_000 / u128::from(ns.max(1))) as u64;
        TICKS_PER_SECOND.store(per_second, Ordering::Relaxed);
        per_second
    }
}
