//! Tries at the beginning what everything rests on, with memory and watchpoints of this library's own: no message, no other
//! process.

use crate::pages::PAGE;
use crate::{arm, backstop, budget, kernel, keys, records, table, thread, watchpoints};
use recorder::in_flight::Access;
use std::sync::atomic::{AtomicI64, Ordering};

#[repr(C, align(4096))]
struct Page([AtomicI64; PAGE as usize / 8]);

static OWN: Page = Page([const { AtomicI64::new(0) }; PAGE as usize / 8]);
const CLOCK: u64 = libc::CLOCK_MONOTONIC as u64;
const TRIES: usize = 8;
/// In the page, beside the word that is read.
const ASIDE: u64 = 64;
static WORD: AtomicI64 = AtomicI64::new(0);

/// Do accesses to protected memory trap, and go on? Means that do not work are done without from now on.
pub(crate) fn passes() -> bool {
    let passes = thread::as_program(|| {
        let mut passes = is_trapped();
        if !passes && keys::is_there() {
            keys::do_without();
            passes = is_trapped();
        }
        if passes {
            measure();
            try_watchpoints();
        }
        passes
    });
    budget::forget_traps();
    passes
}

/// The access that was noted last, if it is one of this ticket.
fn was_noted(ticket: u64) -> bool {
    let mut access = Access::nothing();
    records::take(&mut access) && access.ticket == ticket
}

fn is_trapped() -> bool {
    let start = (&raw const OWN) as u64;
    // SAFETY: the kernel writes two words into the page, which is this function's, or refuses.
    let is_open = || unsafe { kernel::call(libc::SYS_clock_gettime, [CLOCK, start + ASIDE, 0, 0, 0, 0]) == 0 };
    let Some(ticket) = arm::arm_own(start..start + PAGE) else { return false };
    let Page([word, ..]) = &OWN;
    let is_closed = !is_open();
    let read = word.load(Ordering::SeqCst);
    let passes = is_closed && read == 0 && was_noted(ticket) && !is_open();
    if passes && backstop::is_set() {
        backstop::block();
        // SAFETY: the kernel writes two words into the page, which is this function's.
        let result = unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, start) };
        backstop::allow();
        if result != 0 || is_open() {
            backstop::do_without();
        }
    }
    table::disarm(ticket);
    passes && is_open()
}

/// Measures how long a trap takes, the quickest of some.
fn measure() {
    let start = (&raw const OWN) as u64;
    let Page([word, ..]) = &OWN;
    let mut best: Option<(u64, u64)> = None;
    for _ in 0..TRIES {
        let Some(ticket) = arm::arm_own(start..start + PAGE) else { return };
        let (before, counted) = (budget::now(), budget::spent());
        word.load(Ordering::SeqCst);
        let found = (budget::now().saturating_sub(before), budget::spent().saturating_sub(counted));
        table::disarm(ticket);
        was_noted(ticket);
        if best.is_none_or(|best| found.0 < best.0) {
            best = Some(found);
        }
    }
    best.into_iter().for_each(|(took, counted)| budget::learn(took, counted));
}

fn try_watchpoints() {
    let start = (&raw const WORD) as u64;
    let Some(ticket) = watchpoints::arm(start, start + 8, false, false) else { return };
    WORD.store(1, Ordering::SeqCst);
    watchpoints::disarm(ticket);
    if !was_noted(ticket) {
        watchpoints::do_without();
    }
}
