//! Memory of the program's own that its windows expose. That of MPI_Win_create gets a second view where this can be done, which
//! the library is given in its place: then the program's view is watched as other windows are. Other processes may have the
//! system access other memory (MPI_Win_attach, and what has no second view): it is left alone.

use super::{is_watching, library, suspects, windows};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::definition::Id;

struct Exposed {
    /// `None` until the call has returned.
    window: Option<Id>,
    span: Range<u64>,
    /// Where the library has it; 0 if it has it where the program has.
    second: u64,
}

static ALL: Mutex<Vec<Exposed>> = Mutex::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);
/// Buffers that were not watched because they lie there.
static BUFFERS: AtomicU64 = AtomicU64::new(0);

fn lock() -> MutexGuard<'static, Vec<Exposed>> {
    ALL.lock().unwrap_or_else(|e| e.into_inner())
}

fn add(exposed: Exposed) {
    if exposed.second == 0 {
        library().into_iter().for_each(|library| (library.expose)(exposed.span.start, exposed.span.end));
    }
    ANY.store(true, Ordering::SeqCst);
    lock().push(exposed);
}

/// MPI_Win_create is about to be called for this memory. The address to give to the library instead, if there is one.
#[cold]
pub(crate) fn creating(span: Range<u64>) -> Option<u64> {
    if !is_watching() || span.is_empty() {
        return None;
    }
    let second =
        library().filter(|_| suspects::are_windows()).map_or(0, |library| (library.double)(span.start, span.end));
    add(Exposed { window: None, span, second });
    (second != 0).then_some(second)
}

/// It has failed.
#[cold]
pub(crate) fn not_created(span: &Range<u64>) {
    remove(|exposed| exposed.window.is_none() && exposed.span == *span);
}

/// It has made a window.
#[cold]
pub(crate) fn created(id: Id, span: &Range<u64>) {
    let mut all = lock();
    let Some(exposed) = all.iter_mut().find(|e| e.window.is_none() && e.span == *span) else { return };
    exposed.window = Some(id);
    let (span, is_doubled) = (exposed.span.clone(), exposed.second != 0);
    drop(all);
    windows::made(id, span, is_doubled);
}

/// MPI_Win_attach is about to be called.
#[cold]
pub(crate) fn attaching(window: Id, span: Range<u64>) {
    if is_watching() && !span.is_empty() {
        add(Exposed { window: Some(window), span, second: 0 });
    }
}

/// MPI_Win_detach has returned.
pub(crate) fn detached(window: Id, start: u64) {
    remove(|exposed| exposed.window == Some(window) && exposed.span.start == start);
}

/// The window is gone.
pub(crate) fn freed(window: Id) {
    remove(|exposed| exposed.window == Some(window));
}

fn remove(is_over: impl Fn(&Exposed) -> bool) {
    if !ANY.load(Ordering::Relaxed) {
        return;
    }
    let over: Vec<Exposed> = lock().extract_if(.., |exposed| is_over(exposed)).collect();
    for exposed in over.iter().filter(|exposed| exposed.second != 0) {
        library().into_iter().for_each(|library| (library.undouble)(exposed.span.start, exposed.span.end));
    }
}

/// The program's own address of memory that the library knows by another one.
#[cold]
pub(crate) fn own_address(of_library: u64) -> Option<u64> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    lock().iter().find(|exposed| exposed.second == of_library && of_library != 0).map(|exposed| exposed.span.start)
}

const PAGE: u64 = 4096;

/// Where the library has memory of the program, if it has all of it elsewhere.
pub(super) fn second_view(memory: Range<u64>) -> Option<u64> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    let all = ALL.try_lock().ok()?;
    let holds = |e: &&Exposed| {
        let pages = e.span.start & !(PAGE - 1)..e.span.end.next_multiple_of(PAGE);
        e.second != 0 && pages.start <= memory.start && memory.end <= pages.end
    };
    all.iter().find(holds).map(|e| e.second.wrapping_add(memory.start.wrapping_sub(e.span.start)))
}

/// May other processes have the system access some of this memory, without any doing of this one? Such a buffer is not watched.
pub(super) fn is_reached(span: &Range<u64>) -> bool {
    let meets = |e: &Exposed| e.second == 0 && e.span.start < span.end && span.start < e.span.end;
    let is_reached = ANY.load(Ordering::Relaxed) && lock().iter().any(meets);
    BUFFERS.fetch_add(u64::from(is_reached), Ordering::Relaxed);
    is_reached
}

/// How many buffers were not watched for that.
pub(super) fn buffers() -> u64 {
    BUFFERS.load(Ordering::Relaxed)
}
