//! Limits of traps: so many on one page, and so much time in all.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A page with so many traps is given up for its operation.
const MOST_ON_PAGE: u32 = 64;
/// The program may take so many times as long.
const MOST_TIMES: u64 = 3;
/// Time that traps may take in any case, in nanoseconds.
const FREE_NS: u64 = 300_000_000;
/// Price of a trap that the handlers do not see themselves: the way to the first handler, and from the last one back, as it was
/// measured at the beginning.
static UNSEEN_NS: AtomicU64 = AtomicU64::new(USUAL_NS);
const USUAL_NS: u64 = 3_000;
/// Virtual machines take long for what leaves them; whatever is longer was an interruption.
const MOST_NS: u64 = 50_000;

const PLACES: usize = 1 << 14;

/// Traps on pages: number of the page and of its use of memory, mixed, and how often.
struct Counters([(AtomicU64, AtomicU32); PLACES]);

static COUNTERS: Counters = Counters([const { (AtomicU64::new(0), AtomicU32::new(0)) }; PLACES]);
static BEGUN: AtomicU64 = AtomicU64::new(0);
static SPENT: AtomicU64 = AtomicU64::new(0);
static TRAPS: AtomicU64 = AtomicU64::new(0);
static PAGES: AtomicU64 = AtomicU64::new(0);
static OVER: AtomicBool = AtomicBool::new(false);

pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time into the variable; async-signal-safe.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

pub(crate) fn begin() {
    BEGUN.store(now(), Ordering::Relaxed);
}

/// Counts a trap on a page of a use of memory. False: the page is given up. Another page may share its place in the table: then
/// both are counted anew.
pub(crate) fn may_trap(ticket: u64, page: u64) -> bool {
    COUNTERS.count(ticket, page)
}

impl Counters {
    fn count(&self, ticket: u64, page: u64) -> bool {
        let key = (ticket ^ page.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let Some((known, count)) = self.0.get((key >> 50) as usize % PLACES) else { return false };
        if known.swap(key, Ordering::Relaxed) != key {
            count.store(0, Ordering::Relaxed);
        }
        let before = count.fetch_add(1, Ordering::Relaxed);
        if before == MOST_ON_PAGE {
            PAGES.fetch_add(1, Ordering::Relaxed);
        }
        before < MOST_ON_PAGE
    }
}

/// An access was trapped.
pub(crate) fn trapped() {
    TRAPS.fetch_add(1, Ordering::Relaxed);
}

/// A trap whose handler began at `start` is over: the instruction has been led over. Too much time: all is given up.
pub(crate) fn spend(start: u64) {
    spend_time(start, UNSEEN_NS.load(Ordering::Relaxed));
}

/// Nanoseconds that traps have taken up to now.
pub(crate) fn spent() -> u64 {
    SPENT.load(Ordering::Relaxed)
}

/// A trap has taken so long, of which so much was counted.
pub(crate) fn learn(took: u64, counted: u64) {
    let seen = counted.saturating_sub(UNSEEN_NS.load(Ordering::Relaxed));
    UNSEEN_NS.store(took.saturating_sub(seen).clamp(USUAL_NS, MOST_NS), Ordering::Relaxed);
}

/// How long a trap takes, in nanoseconds: as it was on average.
pub(crate) fn price() -> u64 {
    let traps = TRAPS.load(Ordering::Relaxed);
    SPENT.load(Ordering::Relaxed).checked_div(traps).unwrap_or(0)
}

/// As [`spend`], for what is no trap of an access and costs so much beside.
pub(crate) fn spend_time(start: u64, unseen: u64) {
    let end = now();
    let own = end.saturating_sub(start).saturating_add(unseen);
    let spent = SPENT.fetch_add(own, Ordering::Relaxed).saturating_add(own);
    let all = end.saturating_sub(BEGUN.load(Ordering::Relaxed));
    if is_too_much(spent, all) {
        OVER.store(true, Ordering::SeqCst);
    }
}

/// Has the program taken too long, of whose time in all so much was spent by traps?
fn is_too_much(spent: u64, all: u64) -> bool {
    spent > FREE_NS.saturating_add(all.saturating_sub(spent).saturating_mul(MOST_TIMES - 1))
}

pub(crate) fn is_over() -> bool {
    OVER.load(Ordering::SeqCst)
}

/// Nothing more is trapped.
pub(crate) fn end() {
    OVER.store(true, Ordering::SeqCst);
}

/// Traps up to now were none of the program.
pub(crate) fn forget_traps() {
    TRAPS.store(0, Ordering::Relaxed);
}

pub(crate) fn traps() -> u64 {
    TRAPS.load(Ordering::Relaxed)
}

pub(crate) fn pages() -> u64 {
    PAGES.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_given_up_for_one_use_of_it() {
        for _ in 0..MOST_ON_PAGE {
            assert!(may_trap(100, 0x7000));
        }
        assert!(!may_trap(100, 0x7000) && may_trap(101, 0x7000) && may_trap(100, 0x8000));
    }

    #[test]
    fn traps_may_take_twice_the_time_of_the_program() {
        const SECOND: u64 = 1_000_000_000;
        assert!(!is_too_much(FREE_NS, FREE_NS), "the beginning is free");
        assert!(!is_too_much(2 * SECOND, 3 * SECOND) && is_too_much(3 * SECOND, 4 * SECOND));
    }
}
