//! Windows whose memory is watched: loads and stores of the program itself go into the trace, where the analyzer holds them against
//! the accesses of other processes (`rma-local-race`).
//!
//! Memory is watched if other processes have mappings of their own, which no protection here concerns: that of
//! MPI_Win_allocate, if the processes of a node share it, and that of MPI_Win_create with a second view
//! ([`super::own_memory`]). Loads are trapped while an epoch of fences or of MPI_Win_post is open, and never in a window from
//! which the program has begun an operation: the system must not read there then for another process.

use super::{accesses, is_watching, library, suspects};
use recorder::in_flight::{Access, OF_WINDOW};
use recorder::threads;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
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
    /// It is left alone until then.
    rests_until: Option<Instant>,
    /// Where the part begins that is watched next, if all costs too much.
    part: Option<u64>,
}

static ALL: Mutex<Vec<Window>> = Mutex::new(Vec::new());
/// There may be some.
static ANY: AtomicBool = AtomicBool::new(false);
static SEEN: AtomicUsize = AtomicUsize::new(0);
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// After so many traps between two calls of synchronization a window rests, and after any when there were so many in all.
const MANY_TRAPS: u64 = 512;
const FREE_TRAPS: u64 = 4096;
/// One takes so long at least.
const TRAP: Duration = Duration::from_micros(20);
/// So many times as long as it took.
const REST: u32 = 8;
/// After so many a part of it is watched at a time, of this length.
const TOO_MANY_TRAPS: u64 = 2048;
const PART: u64 = 8 * 4096;

fn lock() -> MutexGuard<'static, Vec<Window>> {
    ALL.lock().unwrap_or_else(|e| e.into_inner())
}

/// Is memory of a window watched?
#[inline(always)]
pub(crate) fn is_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// How many traps there were, and how long one takes.
fn traps() -> (u64, Duration) {
    let counts = library().map(|library| (library.counts)()).unwrap_or_default();
    (counts.traps, Duration::from_nanos(counts.trap_ns).max(TRAP))
}

impl Window {
    fn arm(&mut self, is_closed: bool) {
        self.disarm();
        let Some(library) = library() else { return };
        (self.is_closed, self.traps) = (is_closed, traps().0);
        let part = match self.part {
            None => self.span.clone(),
            Some(start) => start..start.saturating_add(PART).min(self.span.end),
        };
        let ticket = (library.arm_window)(part.start, part.end, is_closed);
        self.ticket = if ticket & OF_WINDOW == 0 { 0 } else { ticket };
    }

    fn disarm(&mut self) {
        if let (Some(library), true) = (library(), self.ticket != 0) {
            (library.disarm)(self.ticket);
            self.ticket = 0;
        }
    }

    /// The program has synchronized: pages that were given up are watched again, unless the window rests.
    fn renew(&mut self, is_exposed: bool) {
        let is_closed = is_exposed && !self.has_buffers;
        let (traps, price) = traps();
        let trapped = if self.ticket == 0 { 0 } else { traps.saturating_sub(self.traps) };
        let is_part = self.part.is_some();
        if trapped > TOO_MANY_TRAPS || is_part {
            let next = self.part.map_or(self.span.start, |start| start.saturating_add(PART));
            self.part = Some(if next < self.span.end { next } else { self.span.start });
        }
        if trapped > MANY_TRAPS || traps > FREE_TRAPS && trapped > 0 {
            self.rests_until = Some(Instant::now() + price * trapped as u32 * REST);
            return self.disarm();
        }
        if self.rests_until.is_some_and(|end| Instant::now() < end) {
            return;
        }
        self.rests_until = None;
        if trapped > 0 || is_part || is_closed != self.is_closed || self.ticket == 0 {
            self.arm(is_closed);
        }
    }
}

/// The process has made a window with this memory. `is_doubled`: the library has another view of it.
#[cold]
pub(crate) fn made(id: Id, span: Range<u64>, is_doubled: bool) {
    if !is_watching() || span.is_empty() {
        return;
    }
    let mut window =
        Window { id, span, ticket: 0, is_closed: false, has_buffers: false, traps: 0, rests_until: None, part: None };
    let is_wanted = suspects::are_windows();
    if is_wanted
        && (is_doubled || library().is_some_and(|library| (library.may_watch)(window.span.start, window.span.end)))
    {
        window.arm(false);
    }
    SEEN.fetch_add(1, Ordering::Relaxed);
    if window.ticket != 0 {
        WATCHED.fetch_add(1, Ordering::Relaxed);
        ANY.store(true, Ordering::SeqCst);
        lock().push(window);
    }
}

/// How many windows were watched, and how many there were with memory of this process.
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
