//! Time stamps: the processor's invariant time stamp counter where there is one, else the monotonic clock.

use crate::slow_path::{self, Reason};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static USE_TSC: AtomicBool = AtomicBool::new(false);
/// Learned when recording starts.
static TICKS_PER_SECOND: AtomicU64 = AtomicU64::new(1_000_000_000);

/// Nanoseconds of the monotonic clock.
fn monotonic_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970.
pub fn unix_ns() -> u64 {
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
pub fn now() -> u64 {
    if USE_TSC.load(Ordering::Relaxed) {
        // SAFETY: the instruction exists on every x86-64 processor.
        unsafe { core::arch::x86_64::_rdtsc() }
    } else {
        monotonic_ns()
    }
}

/// Now, in ticks of the processor's counter: where nothing says that it is not to be used ([`Reason::CLOCK`]).
#[inline(always)]
pub fn counter() -> u64 {
    // SAFETY: as in `now`.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Chooses the clock. Called once before the first time stamp.
pub fn choose() {
    use core::arch::x86_64::__cpuid;
    // Leaf 0x8000_0007, EDX bit 8: the counter runs at a constant rate in all power states.
    let invariant = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    USE_TSC.store(invariant, Ordering::Relaxed);
    slow_path::set(Reason::CLOCK, !invariant);
}

/// Length of a time in nanoseconds.
pub fn ticks_to_ns(ticks: u64) -> u64 {
    let per_second = TICKS_PER_SECOND.load(Ordering::Relaxed).max(1);
    (u128::from(ticks) * 1_000_000_000 / u128::from(per_second)) as u64
}

/// The first reading of the run.
static FIRST: OnceLock<Reading> = OnceLock::new();

/// A pair of readings, to learn the length of a tick from the time between two pairs.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    ticks: u64,
    ns: u64,
}

/// Readings of which the one is taken that nothing has interrupted.
const TRIES: usize = 5;
/// A shorter run says no more about the rate than its beginning.
const LONG_NS: u64 = 1_000_000_000;

/// Ticks, and what the clock says at the same time.
fn at_once(clock: impl Fn() -> u64) -> (u64, u64) {
    let tries = (0..TRIES).map(|_| {
        let before = now();
        let ns = clock();
        let took = now().saturating_sub(before);
        (took, (before + took / 2, ns))
    });
    tries.min_by_key(|(took, _)| *took).map(|(_, reading)| reading).unwrap_or_default()
}

/// Now, in ticks and in nanoseconds since 1970.
pub fn now_and_unix_ns() -> (u64, u64) {
    at_once(unix_ns)
}

impl Reading {
    /// Reads both clocks now.
    pub fn take() -> Reading {
        let (ticks, ns) = at_once(monotonic_ns);
        Reading { ticks, ns }
    }

    /// Ticks per second between this reading, the first of the run, and now; waits until at least 2 ms have passed.
    pub fn ticks_per_second(self) -> u64 {
        _ = FIRST.set(self);
        if !USE_TSC.load(Ordering::Relaxed) {
            return 1_000_000_000;
        }
        while monotonic_ns() - self.ns < 2_000_000 {
            std::hint::spin_loop();
        }
        let per_second = self.rate_until(Reading::take());
        TICKS_PER_SECOND.store(per_second, Ordering::Relaxed);
        per_second
    }

    fn rate_until(self, later: Reading) -> u64 {
        let (ticks, ns) = (later.ticks.saturating_sub(self.ticks), later.ns.saturating_sub(self.ns));
        u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(ns.max(1))).unwrap_or_default()
    }
}

/// Ticks per second over the whole run, if it says more than its beginning did.
pub fn ticks_per_second_so_far() -> Option<u64> {
    let first = FIRST.get().filter(|_| USE_TSC.load(Ordering::Relaxed))?;
    let last = Reading::take();
    (last.ns.saturating_sub(first.ns) >= LONG_NS).then(|| first.rate_until(last)).filter(|rate| *rate > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_a_run_is_that_between_its_ends() {
        let at = |ticks, ns| Reading { ticks, ns };
        assert_eq!(at(5_000, 1_000_000_000).rate_until(at(6_005_000, 3_000_000_000)), 3_000_000);
        assert_eq!(at(5, 7).rate_until(at(3, 7)), 0);
    }

    #[test]
    fn an_interruption_between_two_clocks_is_left_out() {
        let tries = std::cell::Cell::new(0);
        let (_, tried) = at_once(|| {
            tries.set(tries.get() + 1);
            if tries.get() != 3 {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            tries.get()
        });
        assert_eq!(tried, 3);
    }
}
