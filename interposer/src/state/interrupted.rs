//! A signal handler of the program may come at any time, also while this library is at work for a call. If it calls MPI, the
//! record that is being written must be left alone; if it jumps away (siglongjmp), locks stay held and what is half written
//! stays so: then nothing may be touched any more, and recording ends.

use crate::state::in_handler;
use crate::state::thread::Thread;
use recorder::stop::{self, Reason, stop};
use recorder::unwind::{self, Frame};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use trace_format::mpi::FnId;

/// In [`Thread::at_work`]: the thread has left this library by a jump.
const LEFT: u64 = u64::MAX;
/// The end of the process is the library's doing, in a call that is not in the trace.
static EXIT_IS_FORGOTTEN: AtomicBool = AtomicBool::new(false);

/// Work begins for a call with this stack pointer: that of the code behind one of our entry points.
#[inline(always)]
pub(crate) fn enter(thread: &Thread, stack_pointer: u64) {
    thread.at_work.store(stack_pointer, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// Work ends, the library or the program is next.
#[inline(always)]
pub(crate) fn leave(thread: &Thread) {
    compiler_fence(Ordering::SeqCst);
    thread.at_work.store(0, Ordering::Relaxed);
}

/// Does a call come while this library is at work for another one?
#[inline(always)]
pub(crate) fn is_at_work(thread: &Thread) -> bool {
    thread.at_work.load(Ordering::Relaxed) != 0
}

/// A call of `function` with this stack pointer comes while this library is at work. If the thread has jumped out of that,
/// recording ends.
#[cold]
#[inline(never)]
pub(crate) fn look(thread: &Thread, stack_pointer: u64, function: FnId) {
    if function == FnId::MPI_Abort {
        // It cannot be recorded here. Without this call, an exit(3) that the library ends the process with would look like
        // one of the program.
        EXIT_IS_FORGOTTEN.store(true, Ordering::SeqCst);
    }
    let at_work = thread.at_work.load(Ordering::Relaxed);
    // Where the stack cannot be walked, a stack pointer further in does not say that the other call is still there.
    // Handlers may run on another stack. With the same stack pointer this call stands in the place of the other one, and the
    // walk would find this one.
    let is_there = || {
        stack_pointer != at_work
            && is_under_way(at_work).unwrap_or_else(|| stack_pointer < at_work || in_handler::in_handler())
    };
    if at_work != LEFT {
        if is_there() {
            return;
        }
        thread.at_work.store(LEFT, Ordering::Relaxed);
        stop::a_thread_has_left();
    }
    // The thread may have jumped out of this as well before it was done.
    stop(Reason::JUMPED_OUT);
}

/// The addresses that the entry points of this library call first.
static ENTRIES: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Calls come into this library by functions that call `first`, which are known before one comes.
pub(crate) fn learn_entries(first: [u64; 4]) {
    ENTRIES.iter().zip(first).for_each(|(place, address)| place.store(address, Ordering::Relaxed));
}

fn is_entry(function: u64) -> bool {
    function != 0 && ENTRIES.iter().any(|entry| entry.load(Ordering::Relaxed) == function)
}

/// Is the entry point still on the stack that was called with this stack pointer? `None` if nothing tells how the stack goes
/// on. Signal handlers walk, too: what they have interrupted is found by way of what the kernel has saved, on whatever stack.
pub(crate) fn is_under_way(at_work: u64) -> Option<bool> {
    let (mut is_found, mut is_at_end, mut called) = (false, false, 0);
    unwind::walk(|Frame { address, stack_pointer, function }| {
        // The caller of another function may have the same stack pointer by now.
        is_found = stack_pointer == at_work && is_entry(called);
        is_at_end = address == 0;
        called = function;
        !is_found
    });
    (is_found || is_at_end).then_some(is_found)
}

/// Has this thread jumped out, whether or not a call of it has told since?
pub(crate) fn has_left(thread: &Thread) -> bool {
    match thread.at_work.load(Ordering::Relaxed) {
        0 => false,
        LEFT => true,
        at_work => is_under_way(at_work) == Some(false),
    }
}

/// Would an exit(3) look like one of the program, though it is the library that ends the process?
pub(crate) fn is_exit_forgotten() -> bool {
    EXIT_IS_FORGOTTEN.load(Ordering::SeqCst)
}
