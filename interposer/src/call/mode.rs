//! Whether calls are recorded, and the end of the recording by an error of ours.

use crate::call::info::{self, Info, Said};
use crate::debuggers::queues;
use crate::mpi::abi::{self, Abi};
use recorder::stop::{Reason, stop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use trace_format::mpi::FUNCTIONS;

/// Whether calls are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// MPI has not started.
    Inert = 0,
    Recording = 1,
    /// For good: disabled, failed, or in a forked child.
    Off = 2,
}

static MODE: AtomicU8 = AtomicU8::new(Mode::Inert as u8);
static INFOS: OnceLock<Vec<Info>> = OnceLock::new();

/// A mark that a child of the process does not inherit, not even one that the C library is not told of (a system call of the
/// program's own): the stages are in memory that both share.
#[repr(C, align(4096))]
struct Wiped {
    /// The table of functions while calls are recorded.
    recorded: AtomicPtr<Info>,
    rest: [u8; 4096 - size_of::<AtomicPtr<Info>>()],
}

static WIPED: Wiped =
    Wiped { recorded: AtomicPtr::new(std::ptr::null_mut()), rest: [0; 4096 - size_of::<AtomicPtr<Info>>()] };

/// Has the system wipe the page in children.
fn stay_out_of_children() {
    let page = (&raw const WIPED).cast_mut().cast();
    // SAFETY: the page holds this variable alone. Where the system cannot do it, nothing changes.
    unsafe { libc::madvise(page, size_of::<Wiped>(), libc::MADV_WIPEONFORK) };
}

pub(crate) fn set_mode(mode: Mode) {
    MODE.store(mode as u8, Ordering::SeqCst);
    let infos = INFOS.get().filter(|_| mode == Mode::Recording);
    let first = infos.map_or(std::ptr::null(), |infos| infos.as_ptr());
    WIPED.recorded.store(first.cast_mut(), Ordering::Release);
    if mode == Mode::Off {
        queues::lost();
    }
}

/// Has MPI not started?
pub(crate) fn is_inert() -> bool {
    MODE.load(Ordering::SeqCst) == Mode::Inert as u8
}

pub(crate) fn is_recording() -> bool {
    !WIPED.recorded.load(Ordering::Relaxed).is_null()
}

/// Works out the table and starts recording.
pub(crate) fn start(abi: &'static Abi, said: Said) {
    abi::set_current(abi);
    INFOS.get_or_init(|| info::all(abi, said));
    stay_out_of_children();
    set_mode(Mode::Recording);
}

/// Why recording ends then.
pub(crate) const INTERNAL_ERROR: Reason = Reason::new("internal error");

/// Runs our own code; a panic ends the recording and gives `None`.
#[inline(always)]
pub(crate) fn guarded<T>(f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(_) => {
            set_mode(Mode::Off);
            stop(INTERNAL_ERROR);
            None
        }
    }
}

/// The facts of a function, if calls are recorded.
#[inline(always)]
pub(crate) fn recorded(index: usize) -> Option<&'static Info> {
    let all = WIPED.recorded.load(Ordering::Acquire);
    const COUNT: usize = FUNCTIONS.len();
    // SAFETY: the pointer is null or that of the table, which lives for ever and has all functions.
    (!all.is_null() && index < COUNT).then(|| unsafe { &*all.add(index) })
}

/// The facts of a function since recording began, also when it has ended.
pub(crate) fn known(index: usize) -> Option<&'static Info> {
    INFOS.get()?.get(index)
}
