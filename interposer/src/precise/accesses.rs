//! Buffers that are watched, and accesses to them. A lock guards both; it is taken when a watched operation begins or is over.

use super::{is_watching, library, own_memory, suspects, take, windows};
use crate::mpi::origin::{self, Origin};
use crate::mpi::spot::Spot;
use recorder::in_flight::{Access, How, OF_WINDOW, refusal};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::mpi::FnId;
use typemap::{Buffer, Key, common_byte};

/// The place of an operation's buffer among those that are pending: which index, and where in it.
pub(crate) type Place = (usize, Key);

/// A buffer of an operation.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) buffer: Buffer,
    /// Only this process writes there, and nobody reads it before: not even loads are right.
    pub(crate) is_closed: bool,
    /// The call that has started it.
    pub(crate) started: Spot,
    /// The parameter that names the buffer, the function that it is one of, and its value.
    pub(crate) param: u8,
    pub(crate) func: FnId,
    pub(crate) base: u64,
}

/// An access to a buffer of a pending operation.
#[derive(Debug, Clone)]
pub(crate) struct Touched {
    pub(crate) watched: Watched,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) how: How,
    /// Return addresses, the innermost first.
    pub(crate) frames: Vec<u64>,
    /// The operation is over by now.
    pub(crate) is_over: bool,
    ticket: u64,
}

#[derive(Default)]
struct All {
    tickets: FxHashMap<Place, u64>,
    watched: FxHashMap<u64, Watched>,
    touched: Vec<Touched>,
    of_windows: Vec<Access>,
}

static ALL: Mutex<Option<All>> = Mutex::new(None);
/// Somebody may have something to tell.
static ANY: AtomicBool = AtomicBool::new(false);

/// No more accesses are kept until they are told.
const MOST: usize = 4096;

fn lock() -> MutexGuard<'static, Option<All>> {
    ALL.lock().unwrap_or_else(|e| e.into_inner())
}

/// The operation that has its buffer at `place` has begun. Not if it is one of files: the C library has threads that read and
/// write files, which nothing stands in front of.
#[cold]
pub(crate) fn begins(place: Place, watched: Watched) {
    let span = watched.buffer.span();
    let may_be = suspects::is_one(watched.started.site) && !own_memory::is_reached(&span);
    let Some(library) = library().filter(|_| may_be) else { return };
    let has_gaps = watched.buffer.size() != span.end.saturating_sub(span.start);
    let ticket = (library.arm)(span.start, span.end, watched.is_closed, has_gaps);
    if ticket > refusal::LAST {
        let mut all = lock();
        let all = all.get_or_insert_default();
        all.tickets.insert(place, ticket);
        all.watched.insert(ticket, watched);
    }
}

/// It is over.
#[cold]
pub(crate) fn ends(place: Place) {
    let mut all = lock();
    let Some(all) = all.as_mut() else { return };
    let (Some(ticket), Some(library)) = (all.tickets.remove(&place), library()) else { return };
    (library.disarm)(ticket);
    all.look();
    all.touched.iter_mut().filter(|touched| touched.ticket == ticket).for_each(|touched| touched.is_over = true);
    all.watched.remove(&ticket);
}

impl All {
    /// Takes what was noted.
    fn look(&mut self) {
        while let Some(access) = take() {
            if access.ticket & OF_WINDOW != 0 {
                if self.of_windows.len() < MOST && !is_of_mpi(access.frames()) {
                    self.of_windows.push(access);
                }
                continue;
            }
            let Some(watched) = self.watched.get(&access.ticket) else { continue };
            let accessed = Buffer::bytes(access.address, access.bytes);
            // Between the elements of a datatype lies memory that is nobody's.
            let Some(address) = common_byte(&accessed, &watched.buffer) else { continue };
            let frames = access.frames().to_vec();
            if self.touched.len() >= MOST || is_of_mpi(&frames) {
                continue;
            }
            ANY.store(true, Ordering::SeqCst);
            self.touched.push(Touched {
                watched: watched.clone(),
                address,
                bytes: access.bytes.saturating_sub(address - access.address),
                how: access.how,
                frames,
                is_over: false,
                ticket: access.ticket,
            });
        }
    }
}

/// Is it the library of MPI that has come here, by a function that nothing stands in front of?
fn is_of_mpi(frames: &[u64]) -> bool {
    let origin = |frame: &u64| origin::of_address(frame.saturating_sub(1));
    frames.first().map(origin) == Some(Origin::Binding) || frames.iter().any(|frame| origin(frame) == Origin::Internal)
}

/// The accesses up to now.
pub(crate) fn up_to_now() -> Vec<Touched> {
    if !is_watching() {
        return Vec::new();
    }
    let mut all = lock();
    let Some(all) = all.as_mut() else { return Vec::new() };
    if !all.watched.is_empty() || windows::is_any() {
        all.look();
        // The call may have begun before them, or after.
        all.of_windows.clear();
    }
    if !ANY.swap(false, Ordering::SeqCst) {
        return Vec::new();
    }
    std::mem::take(&mut all.touched)
}

/// The accesses to memory of windows up to now.
pub(super) fn of_windows() -> Vec<Access> {
    let mut all = lock();
    let all = all.get_or_insert_default();
    all.look();
    std::mem::take(&mut all.of_windows)
}
