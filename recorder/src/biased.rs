//! A lock for what one thread alone uses in most programs: for the first thread that takes it it costs two plain stores,
//! until another thread comes. From then on it is an ordinary lock.
//!
//! A signal handler of the program may jump out of it (siglongjmp): it is never given back then. Whoever waits for it too
//! long ends the recording.

use crate::stop::{Reason, stop};
use crate::sync::{
    AtomicBool, AtomicUsize, Lock, MutexGuard, Ordering, Place, can_catch_up, catch_up, fence_to_catch_up,
    is_abandoned, sleep, thread_word, yield_now,
};
use std::time::Duration;

/// Nothing is waited for by who has the lock. It may lose its processor, or the process may be stopped for a while, but not
/// so often while another one runs.
const TRIES: u32 = if cfg!(test) { 5 } else { 100 };
const TRY_MS: u32 = 50;
const MS: Duration = Duration::from_millis(1);

/// A value behind the lock.
pub struct Biased<T> {
    /// The word of the thread that takes it by the quick way, see [`crate::tls::get`]; 0: there is none yet.
    owner: AtomicUsize,
    /// The owner has taken it by the quick way.
    is_inside: AtomicBool,
    /// Everybody takes the lock.
    is_shared: AtomicBool,
    /// It is shared, and it was seen that the owner has left the quick way: it never comes back. Written under the lock.
    is_settled: AtomicBool,
    lock: Lock,
    value: Place<T>,
}

// SAFETY: `with` gives the value to one thread at a time.
unsafe impl<T: Send> Sync for Biased<T> {}

/// The value is this thread's until this is dropped, also if the closure panics.
enum Held<'a> {
    Quickly(#[expect(dead_code, reason = "it is for its end")] Inside<'a>),
    Locked(#[expect(dead_code, reason = "as above")] MutexGuard<'a, ()>),
}

/// Ends the quick way.
struct Inside<'a>(&'a AtomicBool);

impl Drop for Inside<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// One that nobody has taken yet.
macro_rules! fresh {
    ($value:expr) => {
        Biased {
            owner: AtomicUsize::new(0),
            is_inside: AtomicBool::new(false),
            is_shared: AtomicBool::new(false),
            is_settled: AtomicBool::new(false),
            lock: Lock::new(),
            value: Place::new($value),
        }
    };
}

impl<T> Biased<T> {
    /// Nobody has taken it yet.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Biased<T> {
        fresh!(value)
    }

    /// Nobody has taken it yet; in a model, whose parts are made while it runs.
    #[cfg(loom)]
    pub fn new(value: T) -> Biased<T> {
        fresh!(value)
    }

    /// Runs `f` with the value. It must not come back here.
    #[inline(always)]
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // One call of `f` for both ways: two would not be inlined.
        let _held = self.enter();
        // SAFETY: this thread is the owner, and others wait while it is inside; or it has the lock, so that whoever else takes
        // it waits, and the owner is not inside: if it comes, it sees that the lock is shared, or it is this thread.
        unsafe { self.value.lend(f) }
    }

    #[inline(always)]
    fn enter(&self) -> Held<'_> {
        let me = thread_word();
        // Once the lock is shared, the owner raises its flag no more: if it lost the processor then, others would wait for
        // nothing.
        if me != 0 && self.owner.load(Ordering::Relaxed) == me && !self.is_shared.load(Ordering::Relaxed) {
            self.is_inside.store(true, Ordering::Relaxed);
            // The processor may still look at the flag before others see the store: whoever sets the flag has all
            // processors catch up, and only then looks whether the owner is inside.
            fence_to_catch_up();
            let inside = Inside(&self.is_inside);
            if !self.is_shared.load(Ordering::Acquire) {
                return Held::Quickly(inside);
            }
        }
        Held::Locked(self.locked(me))
    }

    #[inline(never)]
    fn locked(&self, me: usize) -> MutexGuard<'_, ()> {
        let lock = tries(|| self.lock.take_within(TRY_MS * MS));
        if !self.is_shared.load(Ordering::Relaxed) {
            if me != 0 && self.owner.load(Ordering::Relaxed) == 0 && can_catch_up() {
                self.owner.store(me, Ordering::Relaxed);
            } else {
                self.is_shared.store(true, Ordering::SeqCst);
                catch_up();
            }
        }
        if !self.is_settled.load(Ordering::Relaxed) {
            self.settle();
        }
        lock
    }
}

impl<T> Biased<T> {
    /// Waits for the owner, if it is inside; this thread has the lock.
    #[cold]
    fn settle(&self) {
        let has_left = || !self.is_inside.load(Ordering::Acquire);
        let comes = |times: u32, pause: fn()| {
            (0..times).any(|_| {
                pause();
                has_left()
            })
        };
        tries(|| (has_left() || comes(1000, yield_now) || comes(TRY_MS, || sleep(MS))).then_some(()));
        // The owner may raise its flag once more, but all have caught up: it sees that the lock is shared, and takes it.
        self.is_settled.store(self.is_shared.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The value that one of many tries gives.
fn tries<T>(mut one: impl FnMut() -> Option<T>) -> T {
    for _ in 0..TRIES {
        if let Some(value) = one() {
            return value;
        }
        if is_abandoned() {
            break;
        }
    }
    stop(Reason::JUMPED_OUT);
    // To where our own work is guarded, without a word on the way.
    std::panic::resume_unwind(Box::new(Reason::JUMPED_OUT))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tls;
    use std::sync::Barrier;

    /// An owner that is inside most of the time, and others that come while it is.
    #[test]
    fn one_thread_at_a_time() {
        let (rounds, times) = if cfg!(miri) { (3, 200) } else { (200, 20_000) };
        for round in 0..rounds {
            let (lock, start) = (Biased::new((0u64, 0u64)), Barrier::new(3));
            let (lock, start) = (&lock, &start);
            std::thread::scope(|scope| {
                for thread in 1..=3usize {
                    scope.spawn(move || {
                        tls::set(thread);
                        if thread == 1 {
                            lock.with(|pair| *pair = (0, 0));
                        }
                        start.wait();
                        for _ in 0..if thread == 1 { times } else { 50 } {
                            lock.with(|(a, b)| {
                                *a += 1;
                                std::hint::black_box(&mut *a);
                                *b += 1;
                                assert_eq!(a, b, "round {round}");
                            });
                        }
                        tls::set(0);
                    });
                }
            });
            assert_eq!(lock.with(|pair| *pair), (times + 100, times + 100));
            assert!(lock.is_shared.load(Ordering::Relaxed) && lock.is_settled.load(Ordering::Relaxed));
        }
    }

    /// An owner that was interrupted on its way to a lock that is shared holds nobody up.
    #[test]
    fn nobody_waits_for_the_flag_of_a_shared_lock() {
        let lock = Biased::new(0);
        std::thread::scope(|scope| {
            for thread in 1..=2usize {
                let lock = &lock;
                let run = scope.spawn(move || {
                    tls::set(thread);
                    lock.with(|n| *n += 1);
                    tls::set(0);
                });
                assert!(run.join().is_ok());
            }
        });
        assert!(lock.is_shared.load(Ordering::Relaxed));
        lock.is_inside.store(true, Ordering::Relaxed);
        assert_eq!(lock.with(|n| *n), 2);
    }

    /// Nobody waits for ever for a lock that a jump has left behind.
    #[test]
    fn an_abandoned_lock_ends_the_work() {
        let lock = Biased::new(0);
        let (lock, mut is_owned) = (&lock, false);
        let work = || lock.with(|n| *n += 1);
        std::thread::scope(|scope| {
            let owner = scope.spawn(move || {
                tls::set(1);
                work();
                tls::set(0);
                lock.owner.load(Ordering::Relaxed) == 1
            });
            is_owned = owner.join().unwrap();
        });
        lock.is_inside.store(true, Ordering::Relaxed);
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        assert_eq!(tried.is_err(), is_owned);
        let lock = Biased::new(0);
        std::mem::forget(lock.lock.take());
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lock.with(|n| *n += 1))).is_err());
    }

    #[test]
    fn the_first_thread_takes_no_lock() {
        let lock = Biased::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                tls::set(1);
                lock.with(|n| *n += 1);
                if lock.owner.load(Ordering::Relaxed) == 1 {
                    let _held = lock.lock.take();
                    lock.with(|n| *n += 1);
                    assert_eq!(lock.with(|n| *n), 2);
                }
                tls::set(0);
            });
        });
    }
}
