//! A use of memory: which pages are protected for it, and against what.

use crate::keys;
use crate::pages::{PAGE, overlap, whole_pages};
use recorder::in_flight::OF_WINDOW;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A use of memory.
pub(crate) struct Entry {
    /// 0: nobody has it.
    pub(crate) ticket: AtomicU64,
    /// Its pages.
    pub(crate) first: AtomicU64,
    pub(crate) end: AtomicU64,
    /// The memory itself, which need not fill the first and the last page.
    pub(crate) from: AtomicU64,
    pub(crate) to: AtomicU64,
    /// It must not even be read.
    pub(crate) is_closed: AtomicBool,
    /// Traps on memory of a window.
    pub(crate) traps: AtomicU32,
    /// All of it was opened, for the library or for the kernel.
    pub(crate) is_open: AtomicBool,
}

impl Entry {
    pub(crate) const fn new() -> Entry {
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
    }

    pub(crate) fn pages(&self) -> Range<u64> {
        self.first.load(Ordering::Acquire)..self.end.load(Ordering::Acquire)
    }

    pub(crate) fn ticket(&self) -> u64 {
        self.ticket.load(Ordering::Acquire)
    }

    pub(crate) fn memory(&self) -> Range<u64> {
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

    pub(crate) fn has_edges(&self) -> bool {
        let pages = self.pages();
        !pages.is_empty() && (self.is_edge(pages.start) || self.is_edge(pages.end - PAGE))
    }

    pub(crate) fn is_closed_window(&self) -> bool {
        self.ticket() & OF_WINDOW != 0 && self.is_closed.load(Ordering::Acquire)
    }

    /// Pages that must not even be read. Others have data beside the buffer that another process may be about to read, on behalf of
    /// the library: a message that is sent, or one of the library's own.
    pub(crate) fn closed(&self) -> Range<u64> {
        let (pages, memory) = (self.pages(), self.memory());
        let whole = overlap(&pages, &whole_pages(memory.start, memory.end));
        let closed = if keys::is_there() { pages.clone() } else { whole };
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
}
