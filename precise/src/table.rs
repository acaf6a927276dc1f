//! The memory that is protected: one entry a use of it. Handlers read the table and open pages; what else changes it holds a lock,
//! whose holder waits for nobody.

use crate::entry::Entry;
use crate::pages::{OPEN, PAGE, open_page, overlap, protect};
use crate::{backstop, budget, watchpoints};
use recorder::in_flight::{OF_WINDOW, refusal};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Uses of memory at the same time.
const MOST: usize = 1 << 12;
/// Traps of one use of a window's memory.
const MOST_OF_WINDOW: u32 = 2048;

static ENTRIES: [Entry; MOST] = [const { Entry::new() }; MOST];
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

fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().take(USED.load(Ordering::Acquire)).filter(|entry| entry.ticket() != 0)
}

/// Opens all of an entry for the library or for the kernel.
pub(crate) fn open(entry: &Entry) {
    entry.is_open.store(true, Ordering::SeqCst);
    ANY_OPEN.store(true, Ordering::SeqCst);
    protect(&entry.pages(), OPEN);
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

/// Is memory protected, if somebody wishes that?
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed) && !budget::is_over()
}

pub(crate) fn begin(loads: bool) {
    LOADS.store(loads, Ordering::SeqCst);
    IS_ON.store(true, Ordering::SeqCst);
}

/// A thread enters MPI: other processes may then have the system read what is sent from a window, for which nothing here is asked.
/// True if something was opened.
pub(crate) fn open_windows() -> bool {
    if CLOSED_WINDOWS.load(Ordering::Relaxed) == 0 {
        return false;
    }
    begin_opening();
    entries().filter(|entry| entry.is_closed_window()).for_each(open);
    true
}

/// Protects pages for a use of memory: its ticket, or why it cannot be. `kind`: a bit of the ticket.
pub(crate) fn enter(pages: Range<u64>, memory: Range<u64>, (kind, is_closed): (u64, bool)) -> u64 {
    LOCK.with(|| add(pages, memory, (kind, is_closed)))
}

/// Are loads trapped, too?
pub(crate) fn has_loads() -> bool {
    LOADS.load(Ordering::Relaxed)
}

fn add(pages: Range<u64>, memory: Range<u64>, (kind, is_closed): (u64, bool)) -> u64 {
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
    ticket
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
