//! The end of the process, and of the recording in a forked child.

use crate::call::mode::{self, Mode};
use crate::process::{agent, errors, signals};
use crate::state::{in_handler, interrupted, thread};
use crate::watch::checks;
use recorder::{clock, owner, stop, threads, trace};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// Recording begins: whatever ends it is to be noticed.
pub(super) fn watch() {
    // SAFETY: the handlers have the right types and live as long as the process: this library is never unloaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(after_fork));
        on_exit(at_exit, std::ptr::null_mut());
    }
}

extern "C" fn after_fork() {
    mode::set_mode(Mode::Off);
    trace::detach();
}

unsafe extern "C" {
    fn on_exit(f: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
}

/// The process ends by exit(3), and not from within a signal handler, which may have interrupted this library or the
/// heap at any place: nothing that locks or allocates may be done there.
static ENDS_IN_ORDER: AtomicBool = AtomicBool::new(false);

/// The end of the process, before the functions that the program had registered when MPI began.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if !owner::is_this() {
        return;
    }
    let has_left = || thread::existing().is_some_and(|thread| thread.with(|thread| interrupted::has_left(thread)));
    if !in_handler::in_handler() && !stop::has_a_thread_left() && !has_left() {
        ENDS_IN_ORDER.store(true, Ordering::SeqCst);
        at_the_end(errors::before_end);
    }
    signals::record_exit(status);
}

/// Behind functions registered with atexit(3) and destructors of C++, which may still free what outlives MPI.
extern "C" fn at_last() {
    if owner::is_this() && ENDS_IN_ORDER.load(Ordering::SeqCst) {
        at_the_end(|thread| {
            if mode::is_recording() && !trace::is_lost() {
                checks::at_exit(thread);
            }
            if let (Some(trace), Some(rate)) = (trace::get(), clock::ticks_per_second_so_far()) {
                trace.correct_rate(rate);
            }
            // Calls behind this are written to memory that nobody reads any more.
            if thread.stage.empty() && !trace::is_lost() {
                threads::remove_stages();
            }
        });
    }
    if owner::is_this() {
        agent::flush();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_LAST: extern "C" fn() = at_last;

/// Does something with the state of the thread that ends the process, and empties its stage.
fn at_the_end(what: impl FnOnce(&mut thread::Thread)) {
    mode::guarded(|| {
        if let Some(thread) = thread::existing() {
            thread.with(|thread| {
                what(thread);
                thread.stage.empty();
            });
        }
    });
}
