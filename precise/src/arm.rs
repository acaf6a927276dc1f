//! Chooses how memory is watched: by watchpoints, by its pages, or not at all.

use crate::pages::{PAGE, all_pages, whole_pages};
use crate::{backstop, edges, place, table, views, watchpoints};
use recorder::in_flight::{Counts, OF_WINDOW, refusal};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

static WATCHED: AtomicU64 = AtomicU64::new(0);
static SMALL: AtomicU64 = AtomicU64::new(0);
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);
static FULL: AtomicU64 = AtomicU64::new(0);

pub(crate) extern "C" fn arm(start: u64, end: u64, is_closed: bool, has_gaps: bool) -> u64 {
    if !table::is_on() {
        return refusal::OVER;
    }
    // A watchpoint does not tell which of its bytes were accessed.
    let by_watchpoint = |samples: bool| {
        let is_closed = is_closed && table::has_loads();
        let ticket = if has_gaps { None } else { watchpoints::arm(start, end, is_closed, samples) };
        ticket.inspect(|_| _ = WATCHED.fetch_add(1, Ordering::Relaxed))
    };
    if end.saturating_sub(start) <= watchpoints::SMALL
        && let Some(ticket) = by_watchpoint(false)
    {
        return ticket;
    }
    let refused = match by_pages(start, end, is_closed) {
        Ok(ticket) => {
            WATCHED.fetch_add(1, Ordering::Relaxed);
            return ticket;
        }
        Err(refused) => refused,
    };
    if let Some(ticket) = by_watchpoint(true) {
        return ticket;
    }
    let count = match refused {
        refusal::SMALL => &SMALL,
        refusal::PLACE => &ELSEWHERE,
        _ => &FULL,
    };
    count.fetch_add(1, Ordering::Relaxed);
    refused
}

/// Protects a page of this library's own.
pub(crate) fn arm_own(page: Range<u64>) -> Option<u64> {
    let ticket = table::enter(page.clone(), page, (0, true));
    (ticket > refusal::LAST).then_some(ticket)
}

/// Protects the pages of a buffer: its ticket, or why it cannot be.
fn by_pages(start: u64, end: u64, is_closed: bool) -> Result<u64, u64> {
    let whole = whole_pages(start, end);
    if !whole.is_empty() && !place::is_plain(&whole) {
        return Err(refusal::PLACE);
    }
    let pages = edges::pages(start, end, whole);
    let first = start / PAGE * PAGE;
    if pages.is_empty() {
        let is_plain = place::is_plain(&(first..first + PAGE));
        return Err(if is_plain { refusal::SMALL } else { refusal::PLACE });
    }
    let ticket = table::enter(pages.clone(), start..end, (0, is_closed && table::has_loads()));
    look_at_edges(&pages);
    if ticket > refusal::LAST { Ok(ticket) } else { Err(ticket) }
}

/// Is all of a window's memory such as [`arm_window`] needs?
pub(crate) extern "C" fn may_watch(start: u64, end: u64) -> bool {
    place::is_shared(&all_pages(start, end))
}

/// All pages that hold bytes of a window: what else is on them is the library's, which opens it. If the memory is the program's
/// own, the first and the last page hold other data of it.
pub(crate) extern "C" fn arm_window(start: u64, end: u64, is_closed: bool) -> u64 {
    if !table::is_on() {
        return refusal::OVER;
    }
    let mut pages = all_pages(start, end);
    let mut memory = pages.clone();
    if views::is_in_one(&pages) {
        (pages, memory) = (edges::pages(start, end, whole_pages(start, end)), start..end);
    }
    if pages.is_empty() {
        return refusal::PLACE;
    }
    let ticket = table::enter(pages.clone(), memory, (OF_WINDOW, is_closed && table::has_loads()));
    look_at_edges(&pages);
    ticket
}

/// Pages were protected: a thread may have gone into the kernel since it was asked whether it may reach them.
fn look_at_edges(pages: &Range<u64>) {
    if table::has_edges() {
        backstop::block_inside();
        let ends = [pages.start, pages.end - PAGE];
        ends.iter()
            .filter(|page| backstop::kernel_may_reach(**page))
            .for_each(|page| table::drop_edges(&(*page..page + PAGE)));
    }
}

pub(crate) fn counts() -> Counts {
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Counts { watched: of(&WATCHED), small: of(&SMALL), place: of(&ELSEWHERE), full: of(&FULL), ..Counts::default() }
}
