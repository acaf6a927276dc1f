//! Windows whose memory is watched: loads and stores of the program itself go into the trace, where the analyzer holds them against
//! the accesses of other processes (`rma-local-race`).
//!
//! Only memory of MPI_Win_allocate that the processes of a node share is watched: others have mappings of their own, which no
//! protection here concerns. Loads are trapped while an epoch of fences or of MPI_Win_post is open, and never in a window from
//! which the program has begun an operation: the system must not read there then for another process.

use super::{accesses, is_watching, library};
use recorder::in_flight::{Access, OF_WINDOW};
use recorder::threads;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::definition::Id;

struct Window {
    id: Id,
    span: Range<u64>,
    ticket: u64,
    is_closed: bool,
    /// The program has begun an operation with a buffer in it.
    has_buffers: bool,
    /// Traps in the whole process when it was armed.
    traps: u64,
    /// It is left alone for so many calls of synchronization, and was for so many before.
    pause: u32,
    last_pause: u32,
}

static ALL: Mutex<Vec<Window>> = Mutex::new(Vec::new());
/// There may be some.
static ANY: AtomicBool = AtomicBool::new(false);
static SEEN: AtomicUsize = AtomicUsize::new(0);
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// More traps between two calls of synchronization cost too much.
const MOST_TRAPS: u64 = 2048;
const LONGEST_PAUSE: u32 = 63;

fn lock() -> MutexGuard<'static, Vec<Window>> {
    ALL.lock().unwrap_or_else(|e| e.into_inner())
}

/// Is memory of a window watched?
#[inline(always)]
pub(crate) fn is_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

fn traps() -> u64 {
    library().map_or(0, |library| (library.counts)().traps)
}

impl Window {
    fn arm(&mut self, is_closed: bool) {
        self.disarm();
        let Some(library) = library() else { return };
        (self.is_closed, self.traps) = (is_closed, traps());
        let ticket = (library.arm_window)(self.span.start, self.span.end, is_closed);
        self.ticket = if ticket & OF_WINDOW == 0 { 0 } else { ticket };
    }

    fn disarm(&mut self) {
        if let (Some(library), true) = (library(), self.ticket != 0) {
            (library.disarm)(self.ticket);
            self.ticket = 0;
        }
    }

    /// The program has synchronized: pages that were given up are watched again, unless that costs too much.
    fn renew(&mut self, is_exposed: bool) {
        let is_closed = is_exposed && !self.has_buffers;
        let trapped = traps().saturating_sub(self.traps);
        if self.pause > 0 {
            self.pause -= 1;
        } else if trapped > MOST_TRAPS {
            self.last_pause = (2 * self.last_pause + 1).min(LONGEST_PAUSE);
            self.pause = self.last_pause;
            return self.disarm();
        } else {
            self.last_pause /= 2;
        }
        if self.pause == 0 && (trapped > 0 || is_closed != self.is_closed || self.ticket == 0) {
            self.arm(is_closed);
        }
    }
}

/// The process has made a window by MPI_Win_allocate, and got this memory for it.
#[cold]
pub(crate) fn made(id: Id, span: Range<u64>) {
    if !is_watching() || span.is_empty() {
        return;
    }
    let mut window =
        Window { id, span, ticket: 0, is_closed: false, has_buffers: false, traps: 0, pause: 0, last_pause: 0 };
    window.arm(false);
    SEEN.fetch_add(1, Ordering::Relaxed);
    if window.ticket != 0 {
        WATCHED.fetch_add(1, Ordering::Relaxed);
        ANY.store(true, Ordering::SeqCst);
        lock().push(window);
    }
}

/// How many windows of MPI_Win_allocate were watched, and how many there were.
pub(crate) fn counts() -> (usize, usize) {
    (WATCHED.load(Ordering::Relaxed), SEEN.load(Ordering::Relaxed))
}

/// The process has synchronized a window, in whose memory the accesses of an epoch may be now.
#[inline]
pub(crate) fn synchronized(id: Id, is_exposed: bool) {
    if is_any() {
        lock().iter_mut().filter(|window| window.id == id).for_each(|window| window.renew(is_exposed));
    }
}

/// A window is about to be freed.
#[inline]
pub(crate) fn freeing(id: Id) {
    if is_any() {
        lock().retain_mut(|window| {
            if window.id == id {
                window.disarm();
            }
            window.id != id
        });
    }
}

/// The program has begun an operation with a buffer there.
#[inline]
pub(crate) fn is_buffer(span: &Range<u64>) {
    if !is_any() {
        return;
    }
    for window in lock().iter_mut().filter(|window| window.span.start < span.end && span.start < window.span.end) {
        window.has_buffers = true;
        if window.is_closed {
            window.arm(false);
        }
    }
}

/// The loads and stores since the last call of this. None if several threads call MPI: nobody could tell then in front of which
/// thread's calls they were.
pub(crate) fn take_noted() -> Vec<Access> {
    let noted = accesses::of_windows();
    if threads::are_several() { Vec::new() } else { noted }
}
