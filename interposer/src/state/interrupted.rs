//! A signal handler of the program may come at any time, also while this library is at work for a call. If it calls MPI, the
//! record that is being written must be left alone; if it jumps away (siglongjmp), locks stay held and what is half written
//! stays so: then nothing may be touched any more, and recording ends.

use crate::entry::stubs;
use crate::process::{errors, signals};
use crate::state::thread::Thread;
use recorder::stop::{self, Reason, stop};
use recorder::unwind::{self, Frame};
use std::sync::atomic::{Ordering, compiler_fence};
use trace_format::mpi::FnId;

/// In [`Thread::at_work`]: the thread has left this library by a jump.
const LEFT: u64 = u64::MAX;

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
        signals::forget_exit();
    }
    let at_work = thread.at_work.load(Ordering::Relaxed);
    // Where the stack cannot be walked, a stack pointer further in does not say that the other call is still there.
    // Handlers may run on another stack. With the same stack pointer this call stands in the place of the other one, and the
    // walk would find this one.
    let is_there = || {
        stack_pointer != at_work
            && is_under_way(at_work).unwrap_or_else(|| stack_pointer < at_work || signals::in_handler())
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

/// Is the entry point still on the stack that was called with this stack pointer? `None` if nothing tells how the stack goes
/// on. Signal handlers walk, too: what they have interrupted is found by way of what the kernel has saved, on whatever stack.
pub(crate) fn is_under_way(at_work: u64) -> Option<bool> {
    let (mut is_found, mut is_at_end, mut called) = (false, false, 0);
    unwind::walk(|Frame { address, stack_pointer, function }| {
        // The caller of another function may have the same stack pointer by now.
        is_found = stack_pointer == at_work && (stubs::is_entry(called) || errors::program::is_entry(called));
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
