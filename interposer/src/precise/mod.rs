//! `--precise`: the memory of pending operations is protected while the program runs, so that the instruction that touches it
//! is known. `libmpivet_precise.so` protects and traps; here it is said which memory that is, and which operations the accesses
//! concern.

pub(crate) mod accesses;
mod instruction;
pub(crate) mod own_memory;
mod refusals;
mod summary;
mod suspects;
#[cfg(test)]
mod tests;
pub(crate) mod windows;

use crate::job::config;
use recorder::in_flight::{Access, Interface, SYMBOL, VERSION};
use recorder::{environment, log, memory};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use trace_format::run::job::PRECISE;
use trace_format::watched::Watched;

/// The other library, if it is there and wanted.
static LIBRARY: AtomicPtr<Interface> = AtomicPtr::new(std::ptr::null_mut());
/// Memory is protected when operations begin.
static WATCHES: AtomicBool = AtomicBool::new(false);

/// This library was loaded: looks for the other one.
pub(crate) fn loaded() {
    if environment::var_os(PRECISE).is_none_or(|value| value.is_empty() || value == "off") {
        return;
    }
    // SAFETY: looking up a name has no preconditions.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) }.cast::<Interface>();
    // SAFETY: the variable of this name begins with its version, whatever follows.
    if !found.is_null() && unsafe { (*found).version } == VERSION {
        LIBRARY.store(found, Ordering::Release);
    }
}

#[inline(always)]
fn library() -> Option<&'static Interface> {
    // SAFETY: null, or the address of a variable of a library that is never unloaded.
    unsafe { LIBRARY.load(Ordering::Relaxed).as_ref() }
}

/// Is the other library there? Then it must be told when a thread enters MPI.
#[inline(always)]
pub(crate) fn is_there() -> bool {
    !LIBRARY.load(Ordering::Relaxed).is_null()
}

/// Is memory protected when operations begin?
#[inline(always)]
pub(crate) fn is_watching() -> bool {
    WATCHES.load(Ordering::Relaxed)
}

/// MPI has begun. True: calls must say when they enter the library.
pub(crate) fn begin(is_first: bool) -> bool {
    let Some(loads) = config::precise() else { return false };
    let refused = match library() {
        None => Some("libmpivet_precise.so is not preloaded"),
        Some(library) => refusals::reason().or_else(|| {
            memory::learn();
            memory::set_other_view(own_memory::second_view);
            let begins = (library.begin)(loads);
            (!begins).then_some("an access to protected memory, which was tried, did not trap or did not go on")
        }),
    };
    if let Some(reason) = refused {
        let line = format!("--precise: no memory is watched, because {reason}");
        if is_first {
            log::line(&line);
        }
        keep(reason);
        return false;
    }
    WATCHES.store(true, Ordering::SeqCst);
    true
}

/// Nothing is watched any more, for the reason that is told.
#[cold]
pub(crate) fn give_up(reason: &str) {
    if WATCHES.swap(false, Ordering::SeqCst) {
        library().into_iter().for_each(|library| (library.stop)());
        if !reason.is_empty() {
            log::line(&format!("--precise: no memory is watched any more, because {reason}"));
        }
        keep(if reason.is_empty() { "the recording has ended" } else { reason });
    }
}

/// Why nothing is watched, or nothing any more.
static REASON: Mutex<Option<String>> = Mutex::new(None);

fn keep(reason: &str) {
    REASON.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert_with(|| reason.to_owned());
}

/// How much was watched up to now, and why not more; `None` if nobody has wished that.
#[cold]
pub(crate) fn watched() -> Option<Watched> {
    config::precise()?;
    let counts = library().map(|library| (library.counts)()).unwrap_or_default();
    let reason = REASON.lock().unwrap_or_else(|e| e.into_inner()).clone();
    let apart = summary::Apart { exposed: own_memory::buffers(), unsuspected: suspects::others() };
    Some(summary::of(&counts, &apart, windows::counts(), reason))
}

/// A thread inside of MPI, as long as this lives.
pub(crate) struct Inside(u32);

impl Inside {
    /// The thread is about to enter MPI; `None` if nobody must be told.
    #[inline(always)]
    pub(crate) fn enter(stack_pointer: u64) -> Option<Inside> {
        library().map(|library| Inside((library.enter)(stack_pointer)))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        library().into_iter().for_each(|library| (library.leave)(self.0));
    }
}

fn take() -> Option<Access> {
    let mut access = Access::nothing();
    (library()?.take)(&mut access).then_some(())?;
    access.bytes = instruction::bytes_of(&access);
    Some(access)
}
