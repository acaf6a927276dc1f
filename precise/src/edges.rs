//! First and last pages of buffers, which hold other data, too: they are protected only where everything is known that may access
//! them, and only as long as few do.
//!
//! One thread of the program is watched, which calls MPI. Threads of libraries hand all their system calls over
//! ([`crate::backstop`]): memory that one of them waits for in the kernel is left alone.

use crate::entry::Entry;
use crate::pages::PAGE;
use crate::{backstop, budget, place, table, thread};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Something was done after which nobody knows who accesses memory.
static UNKNOWN: AtomicBool = AtomicBool::new(false);

const PLACES: usize = 1 << 12;
/// Pages that were given up, and how often their next uses go without them.
static STRIKES: [(AtomicU64, AtomicU32); PLACES] = [const { (AtomicU64::new(0), AtomicU32::new(0)) }; PLACES];
/// Each giving up counts so much, and from here on a page is left alone.
const STRIKE: u32 = 64;
const ENOUGH: u32 = 2 * STRIKE;
const MOST_STRIKES: u32 = 16 * STRIKE;
/// An access of MPI to an edge opens all of the buffer, and loads of other data are many: each counts as so many stores.
const WEIGHT: u32 = 4;
/// A stack of the program's own making may reach so far around the stack pointer.
const AROUND_STACK: u64 = 128 << 10;

fn strikes(page: u64) -> Option<&'static (AtomicU64, AtomicU32)> {
    STRIKES.get((page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % PLACES)
}

/// The page was protected as an edge once, as far as anybody remembers.
pub(crate) fn was_one(page: u64) -> bool {
    strikes(page).is_some_and(|(known, _)| known.load(Ordering::Relaxed) == page)
}

/// It is not remembered any longer.
pub(crate) fn forget(page: u64) {
    strikes(page).into_iter().for_each(|(known, _)| known.store(0, Ordering::Relaxed));
}

fn is_wanted(page: u64) -> bool {
    let Some((known, count)) = strikes(page) else { return false };
    if known.swap(page, Ordering::Relaxed) != page {
        count.store(0, Ordering::Relaxed);
    }
    let is_resting = count.load(Ordering::Relaxed) >= ENOUGH;
    if is_resting {
        count.fetch_sub(1, Ordering::Relaxed);
    }
    !is_resting
}

/// The pages to protect for a buffer: those that hold nothing else, and its edges where that can be done.
pub(crate) fn pages(start: u64, end: u64, whole: Range<u64>) -> Range<u64> {
    let (first, last) = (start / PAGE * PAGE, end.saturating_sub(1) / PAGE * PAGE);
    if end <= start || !are_possible() {
        return whole;
    }
    let may = |page: u64| {
        let around = page.saturating_sub(AROUND_STACK)..page.saturating_add(PAGE + AROUND_STACK);
        is_wanted(page)
            && place::is_plain(&(page..page + PAGE))
            && place::is_programs(&(page..page + PAGE))
            && !around.contains(&((&raw const around) as u64))
            && !thread::is_stack_near(&around)
            && !backstop::kernel_may_reach(page)
    };
    if whole.is_empty() {
        // On one page, or on two of which neither is the buffer's alone.
        return match (may(first), first == last || may(last)) {
            (true, true) => first..last + PAGE,
            (true, false) => first..first + PAGE,
            (false, true) if first != last => last..last + PAGE,
            _ => whole,
        };
    }
    let begin = if first < whole.start && may(first) { first } else { whole.start };
    let behind = if last >= whole.end && may(last) { last + PAGE } else { whole.end };
    begin..behind
}

/// The program has begun another thread.
pub(crate) fn drop_for_several() {
    if table::has_edges() {
        table::drop_edges(&(0..u64::MAX));
    }
}

pub(crate) fn are_possible() -> bool {
    !UNKNOWN.load(Ordering::SeqCst) && thread::is_only_one() && backstop::is_set()
}

/// Nobody knows any more who accesses memory: edges are left alone from now on.
pub(crate) fn end() {
    if !UNKNOWN.swap(true, Ordering::SeqCst) {
        table::drop_edges(&(0..u64::MAX));
    }
}

/// The page was accessed, by a store of the program or otherwise. False: it is an edge of the entry, and given up now.
pub(crate) fn may_stay(entry: &Entry, page: u64, is_store: bool) -> bool {
    if !entry.is_edge(page) {
        return true;
    }
    let times = if is_store { 1 } else { WEIGHT };
    if (0..times).fold(true, |all, _| budget::may_trap(entry.ticket(), page) && all) {
        return true;
    }
    if let Some((_, count)) = strikes(page).filter(|_| was_one(page)) {
        count.store(count.load(Ordering::Relaxed).saturating_add(STRIKE).min(MOST_STRIKES), Ordering::Relaxed);
    }
    table::drop_edges(&(page..page + PAGE));
    false
}
