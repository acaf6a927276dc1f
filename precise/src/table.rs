//! The memory that is protected: one entry a use of it. Handlers read the table and open pages; what else changes it holds a lock,
//! whose holder waits for nobody.

use crate::{backstop, budget, edges, kernel, place, views, watchpoints};
use recorder::in_flight::{Counts, OF_WINDOW, refusal};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Uses of memory at the same time.
const MOST: usize = 1 << 12;
pub(crate) const PAGE: u64 = 4096;
/// Traps of one use of a window's memory.
const MOST_OF_WINDOW: u32 = 2048;

/// A use of memory.
pub(crate) struct Entry {
    /// 0: nobody has it.
    ticket: AtomicU64,
    /// Its pages.
    first: AtomicU64,
    end: AtomicU64,
    /// The memory itself, which need not fill the first and the last page.
    from: AtomicU64,
    to: AtomicU64,
    /// It must not even be read.
    is_closed: AtomicBool,
    /// Traps on memory of a window.
    traps: AtomicU32,
    /// All of it was opened, for the library or for the kernel.
    is_open: AtomicBool,
}

static ENTRIES: [Entry; MOST] = [const {
    Entry {
        ticket: AtomicU64::new(0),
        first: AtomicU64::new(0),
        end: AtomicU64::new(0),
        from: AtomicU64::new(0),
        to: AtomicU64::new(0),
        is_closed: AtomicBool::new(false),
        traps: AtomicU32::new(0),
        is_open: AtomicBool::new(false),
    }
}; MOST];
/// Entries behind this one were never used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Memory of windows of which loads are noted.
static CLOSED_WINDOWS: AtomicUsize = AtomicUsize::new(0);
static ARMED: AtomicUsize = AtomicUsize::new(0);
/// Entries with pages that hold other data, too.
static WITH_EDGES: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicU64 = AtomicU64::new(0);
/// Threads that have opened memory and not left MPI, or the system call, that they opened it for.
static OPENERS: AtomicU32 = AtomicU32::new(0);
/// An entry may be open.
static ANY_OPEN: AtomicBool = AtomicBool::new(false);
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Loads from memory that will be written are trapped, too.
static LOADS: AtomicBool = AtomicBool::new(false);

static WATCHED: AtomicU64 = AtomicU64::new(0);
static SMALL: AtomicU64 = AtomicU64::new(0);
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);
static FULL: AtomicU64 = AtomicU64::new(0);

/// One thread at a time changes the table. A handler of the program that interrupts this thread goes on without it.
struct Lock(AtomicU32);
static LOCK: Lock = Lock(AtomicU32::new(0));

thread_local! {
    static HOLDS: Cell<bool> = const { Cell::new(false) };
}

impl Lock {
    fn with<T>(&self, f: impl FnOnce() -> T) -> T {
        if HOLDS.replace(true) {
            return f();
        }
        while self.0.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::thread::yield_now();
        }
        let result = f();
        self.0.store(0, Ordering::Release);
        HOLDS.set(false);
        result
    }
}

pub(crate) fn protect(pages: &Range<u64>, rights: i32) -> bool {
    // SAFETY: only pages that were found to be plain memory, which the program may read and write, are entered into the table.
    pages.is_empty() || unsafe { kernel::protect(pages.start, pages.end - pages.start, rights) }
}

pub(crate) const OPEN: i32 = libc::PROT_READ | libc::PROT_WRITE;

pub(crate) fn open_page(page: u64) {
    protect(&(page..page + PAGE), OPEN);
}

impl Entry {
    fn pages(&self) -> Range<u64> {
        self.first.load(Ordering::Acquire)..self.end.load(Ordering::Acquire)
    }

    pub(crate) fn ticket(&self) -> u64 {
        self.ticket.load(Ordering::Acquire)
    }

    fn memory(&self) -> Range<u64> {
        self.from.load(Ordering::Acquire)..self.to.load(Ordering::Acquire)
    }

    /// The part of a range that is in use.
    pub(crate) fn part(&self, range: &Range<u64>) -> Range<u64> {
        overlap(&self.memory(), range)
    }

    /// Does the page hold other data, too?
    pub(crate) fn is_edge(&self, page: u64) -> bool {
        let memory = self.memory();
        page < memory.start || page.saturating_add(PAGE) > memory.end
    }

    fn has_edges(&self) -> bool {
        let pages = self.pages();
        !pages.is_empty() && (self.is_edge(pages.start) || self.is_edge(pages.end - PAGE))
    }

    fn is_closed_window(&self) -> bool {
        self.ticket() & OF_WINDOW != 0 && self.is_closed.load(Ordering::Acquire)
    }

    /// Pages that must not even be read. Others have data beside the buffer that another process may be about to read, on behalf of
    /// the library: a message that is sent, or one of the library's own.
    fn closed(&self) -> Range<u64> {
        let (pages, memory) = (self.pages(), self.memory());
        let closed = overlap(&pages, &whole_pages(memory.start, memory.end));
        if self.is_closed.load(Ordering::Acquire) { closed } else { pages.end..pages.end }
    }

    /// Does the entry forbid an access to the page?
    pub(crate) fn forbids_at(&self, page: u64, is_store: bool) -> bool {
        is_store || self.closed().contains(&page)
    }

    /// Does it forbid an access to some of its memory?
    pub(crate) fn forbids(&self, is_store: bool) -> bool {
        is_store || self.is_closed.load(Ordering::Acquire)
    }

    /// Opens all of it for the library or for the kernel.
    pub(crate) fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
        ANY_OPEN.store(true, Ordering::SeqCst);
        protect(&self.pages(), OPEN);
    }
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().take(USED.load(Ordering::Acquire)).filter(|entry| entry.ticket() != 0)
}

/// The entries with pages in a range.
pub(crate) fn within(range: Range<u64>) -> impl Iterator<Item = &'static Entry> {
    entries().filter(move |entry| {
        let pages = entry.pages();
        pages.start < range.end && range.start < pages.end
    })
}

/// Is anything protected?
#[inline(always)]
pub(crate) fn is_any() -> bool {
    ARMED.load(Ordering::Relaxed) != 0
}

/// Is any page protected that holds other data, too?
#[inline(always)]
pub(crate) fn has_edges() -> bool {
    WITH_EDGES.load(Ordering::Relaxed) != 0
}

pub(crate) fn begin(loads: bool) {
    LOADS.store(loads, Ordering::SeqCst);
    IS_ON.store(true, Ordering::SeqCst);
}

pub(crate) fn whole_pages(start: u64, end: u64) -> Range<u64> {
    let first = start.saturating_add(PAGE - 1) / PAGE * PAGE;
    first..(end / PAGE * PAGE).max(first)
}

pub(crate) extern "C" fn arm(start: u64, end: u64, is_closed: bool, has_gaps: bool) -> u64 {
    if !IS_ON.load(Ordering::Relaxed) || budget::is_over() {
        return refusal::OVER;
    }
    // A watchpoint does not tell which of its bytes were accessed.
    let by_watchpoint = |samples: bool| {
        let is_closed = is_closed && LOADS.load(Ordering::Relaxed);
        let ticket = if has_gaps { None } else { watchpoints::arm(start, end, is_closed, samples) };
        ticket.inspect(|_| _ = WATCHED.fetch_add(1, Ordering::Relaxed))
    };
    if end.saturating_sub(start) <= watchpoints::SMALL
        && let Some(ticket) = by_watchpoint(false)
    {
        return ticket;
    }
    let refused = match by_pages(start, end, is_closed) {
        Ok(ticket) => return ticket,
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
    let ticket = LOCK.with(|| enter(page.clone(), page, (0, true)));
    let is_there = ticket > refusal::LAST;
    is_there.then(|| WATCHED.fetch_sub(1, Ordering::Relaxed));
    is_there.then_some(ticket)
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
    let ticket = LOCK.with(|| enter(pages.clone(), start..end, (0, is_closed && LOADS.load(Ordering::Relaxed))));
    look_at_edges(&pages);
    if ticket > refusal::LAST { Ok(ticket) } else { Err(ticket) }
}

/// Is memory protected, if somebody wishes that?
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed) && !budget::is_over()
}

/// Is all of a window's memory such as [`arm_window`] needs?
pub(crate) extern "C" fn may_watch(start: u64, end: u64) -> bool {
    place::is_shared(&all_pages(start, end))
}

pub(crate) fn all_pages(start: u64, end: u64) -> Range<u64> {
    start / PAGE * PAGE..end.saturating_add(PAGE - 1) / PAGE * PAGE
}

/// All pages that hold bytes of a window: what else is on them is the library's, which opens it. If the memory is the program's
/// own, the first and the last page hold other data of it.
pub(crate) extern "C" fn arm_window(start: u64, end: u64, is_closed: bool) -> u64 {
    if !IS_ON.load(Ordering::Relaxed) || budget::is_over() {
        return refusal::OVER;
    }
    let is_closed = is_closed && LOADS.load(Ordering::Relaxed);
    let mut pages = all_pages(start, end);
    let mut memory = pages.clone();
    if views::is_in_one(&pages) {
        (pages, memory) = (edges::pages(start, end, whole_pages(start, end)), start..end);
    }
    if pages.is_empty() {
        return refusal::PLACE;
    }
    let ticket = LOCK.with(|| enter(pages.clone(), memory, (OF_WINDOW, is_closed)));
    look_at_edges(&pages);
    ticket
}

/// Pages were protected: a thread may have gone into the kernel since it was asked whether it may reach them.
fn look_at_edges(pages: &Range<u64>) {
    if has_edges() {
        backstop::block_inside();
        let ends = [pages.start, pages.end - PAGE];
        ends.iter()
            .filter(|page| backstop::kernel_may_reach(**page))
            .for_each(|page| drop_edges(&(*page..page + PAGE)));
    }
}

/// A thread enters MPI: other processes may then have the system read what is sent from a window, for which nothing here is asked.
/// True if something was opened.
pub(crate) fn open_windows() -> bool {
    if CLOSED_WINDOWS.load(Ordering::Relaxed) == 0 {
        return false;
    }
    begin_opening();
    entries().filter(|entry| entry.is_closed_window()).for_each(Entry::open);
    true
}

fn enter(pages: Range<u64>, memory: Range<u64>, (kind, is_closed): (u64, bool)) -> u64 {
    let Some(number) = ENTRIES.iter().position(|entry| entry.ticket() == 0) else {
        return refusal::FULL;
    };
    let Some(entry) = ENTRIES.get(number) else { return refusal::FULL };
    // The place is in the ticket, and no ticket comes twice.
    let ticket = ((NEXT.fetch_add(1, Ordering::Relaxed) + refusal::LAST + 1) * MOST as u64 + number as u64) | kind;
    entry.first.store(pages.start, Ordering::Release);
    entry.end.store(pages.end, Ordering::Release);
    entry.from.store(memory.start, Ordering::Release);
    entry.to.store(memory.end, Ordering::Release);
    entry.is_closed.store(is_closed, Ordering::Release);
    entry.is_open.store(false, Ordering::Release);
    entry.traps.store(0, Ordering::Release);
    entry.ticket.store(ticket, Ordering::SeqCst);
    USED.fetch_max(number + 1, Ordering::SeqCst);
    ARMED.fetch_add(1, Ordering::SeqCst);
    if entry.has_edges() {
        WITH_EDGES.fetch_add(1, Ordering::SeqCst);
    }
    CLOSED_WINDOWS.fetch_add(usize::from(entry.is_closed_window()), Ordering::SeqCst);
    let done = if entry.closed() == pages {
        protect(&pages, libc::PROT_NONE)
    } else {
        // Pages that others have protected more strictly stay so.
        let mut closed = within(pages.clone()).map(|other| overlap(&other.closed(), &pages));
        protect(&pages, libc::PROT_READ) && closed.all(|part| protect(&part, libc::PROT_NONE))
    };
    if !done {
        // Too many parts of memory with rights of their own, or memory of another kind than it seemed.
        leave(entry, ticket);
        return refusal::FULL;
    }
    WATCHED.fetch_add(u64::from(kind == 0), Ordering::Relaxed);
    ticket
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

pub(crate) extern "C" fn disarm(ticket: u64) {
    if ticket & watchpoints::TICKET != 0 {
        return watchpoints::disarm(ticket);
    }
    let Some(entry) = ENTRIES.get((ticket % MOST as u64) as usize) else { return };
    LOCK.with(|| leave(entry, ticket));
}

/// The entry is over, if it has this ticket still.
fn leave(entry: &Entry, ticket: u64) {
    let closes = usize::from(entry.is_closed_window());
    if entry.ticket.compare_exchange(ticket, 0, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    CLOSED_WINDOWS.fetch_sub(closes, Ordering::SeqCst);
    ARMED.fetch_sub(1, Ordering::SeqCst);
    if entry.has_edges() {
        WITH_EDGES.fetch_sub(1, Ordering::SeqCst);
    }
    let pages = entry.pages();
    protect(&pages, OPEN);
    close(&pages);
}

/// An access of the program to the entry was trapped. False: it is memory of a window that has cost enough, and is left alone from
/// now on. For handlers, as [`drop_edges`] is.
pub(crate) fn may_trap(entry: &Entry) -> bool {
    if entry.ticket() & OF_WINDOW == 0 || entry.traps.fetch_add(1, Ordering::Relaxed) < MOST_OF_WINDOW {
        return true;
    }
    LOCK.with(|| {
        let pages = entry.pages();
        entry.end.store(pages.start, Ordering::Release);
        protect(&pages, OPEN);
        close(&pages);
    });
    false
}

/// Pages of a range that hold other data, too, are left alone from now on. Handlers call this: the thread that holds the lock waits
/// for nobody.
pub(crate) fn drop_edges(range: &Range<u64>) {
    LOCK.with(|| {
        for entry in within(range.clone()).filter(|entry| entry.has_edges()) {
            let pages = entry.pages();
            let is_dropped =
                |page: u64| entry.is_edge(page) && range.start < page.saturating_add(PAGE) && page < range.end;
            let (first, last) = (pages.start, pages.end - PAGE);
            if is_dropped(first) {
                entry.first.store(first + PAGE, Ordering::Release);
                give_free(first);
            }
            if last != first && is_dropped(last) {
                entry.end.store(last, Ordering::Release);
                give_free(last);
            }
            if !entry.has_edges() {
                WITH_EDGES.fetch_sub(1, Ordering::SeqCst);
            }
        }
    });
}

/// An entry has this page no longer; others may.
fn give_free(page: u64) {
    open_page(page);
    close_page(page);
}

/// Protects pages as those entries that are not open want it, the strictest last.
fn close(pages: &Range<u64>) {
    let is_shut = |entry: &&Entry| !entry.is_open.load(Ordering::SeqCst);
    for entry in within(pages.clone()).filter(is_shut) {
        let (all, closed) = (overlap(&entry.pages(), pages), overlap(&entry.closed(), pages));
        if all != closed {
            protect(&all, libc::PROT_READ);
        }
    }
    for entry in within(pages.clone()).filter(is_shut) {
        protect(&overlap(&entry.closed(), pages), libc::PROT_NONE);
    }
    // Somebody has opened one of them meanwhile.
    if ANY_OPEN.load(Ordering::SeqCst) {
        for entry in within(pages.clone()) {
            if entry.is_open.load(Ordering::SeqCst) {
                protect(&overlap(&entry.pages(), pages), OPEN);
            }
        }
    }
}

/// The instruction that a page was opened for is over. For handlers: two of them may do this at a time, and the pages stay what the
/// entries say.
pub(crate) fn close_page(page: u64) {
    close(&(page..page + PAGE));
}

/// Memory is going to be opened by a thread that says when it is done.
pub(crate) fn begin_opening() {
    OPENERS.fetch_add(1, Ordering::SeqCst);
}

pub(crate) fn end_opening() {
    if OPENERS.fetch_sub(1, Ordering::SeqCst) == 1 {
        close_all();
    }
}

/// A thread of a library may have opened something.
pub(crate) fn close_if_left_open() {
    if ANY_OPEN.load(Ordering::Relaxed) && OPENERS.load(Ordering::SeqCst) == 0 {
        close_all();
    }
}

fn close_all() {
    if budget::is_over() {
        return lift_all();
    }
    LOCK.with(|| {
        if OPENERS.load(Ordering::SeqCst) != 0 || !ANY_OPEN.swap(false, Ordering::SeqCst) {
            return;
        }
        for entry in entries() {
            if OPENERS.load(Ordering::SeqCst) != 0 {
                ANY_OPEN.store(true, Ordering::SeqCst);
                return;
            }
            if entry.is_open.swap(false, Ordering::SeqCst) {
                close(&entry.pages());
            }
        }
    });
}

/// The program gives memory back, or makes other memory of it: uses of it are over, and its rights are those of its new
/// owner.
pub(crate) fn forget(range: &Range<u64>) {
    LOCK.with(|| {
        for entry in within(range.clone()).filter(|entry| !entry.part(range).is_empty()) {
            leave(entry, entry.ticket());
        }
    });
}

fn lift_all() {
    LOCK.with(|| entries().for_each(|entry| leave(entry, entry.ticket())));
}

/// Nothing is protected any more, and nothing will be.
pub(crate) extern "C" fn stop() {
    IS_ON.store(false, Ordering::SeqCst);
    budget::end();
    watchpoints::stop();
    lift_all();
}

/// A fork has made this process: nothing of it is watched.
pub(crate) fn in_child() {
    IS_ON.store(false, Ordering::SeqCst);
    backstop::in_child();
    watchpoints::in_child();
    // Another thread may have held the lock, and is not here.
    LOCK.0.store(0, Ordering::SeqCst);
    for entry in entries() {
        leave(entry, entry.ticket());
    }
}

pub(crate) fn counts() -> Counts {
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Counts { watched: of(&WATCHED), small: of(&SMALL), place: of(&ELSEWHERE), full: of(&FULL), ..Counts::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_alone() {
        assert_eq!(whole_pages(4096, 12288), 4096..12288);
        assert_eq!(whole_pages(4097, 12287), 8192..8192);
        assert!(whole_pages(100, 4200).is_empty() && whole_pages(4000, 4100).is_empty());
        assert!(whole_pages(u64::MAX - 10, u64::MAX).is_empty());
    }

    #[test]
    fn overlaps_are_what_both_have() {
        assert_eq!(overlap(&(10..30), &(20..40)), 20..30);
        assert!(overlap(&(10..20), &(30..40)).is_empty());
    }
}
