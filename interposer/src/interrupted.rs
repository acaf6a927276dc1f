//! A signal handler of the program may come at any time, also while this library is at work for a call. If it calls MPI, the
//! record that is being written must be left alone; if it jumps away (siglongjmp), locks stay held and what is half written
//! stays so: then nothing may be touched any more, and recording ends.

use crate::thread::Thread;
use crate::{signals, trace};
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};
use trace_format::call::SystemEvent;
use trace_format::mpi::FnId;

/// In [`Thread::at_work`]: the thread has left this library by a jump.
const LEFT: u64 = u64::MAX;
const REASON: &str = "a signal handler of the program has jumped out of mpivet (siglongjmp)";
static WAS_LEFT: AtomicBool = AtomicBool::new(false);

/// Work begins for a call with this stack pointer.
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
    // Handlers may run on another stack.
    if at_work == LEFT || stack_pointer < at_work || signals::in_handler() {
        return;
    }
    thread.at_work.store(LEFT, Ordering::Relaxed);
    WAS_LEFT.store(true, Ordering::SeqCst);
    // Not into the stage: it may just have been emptied by half.
    let mut record = Vec::new();
    let event = SystemEvent::Lost { reason: REASON.to_owned() };
    trace_format::writer::encode_system(&event, crate::clock::now(), &mut record);
    trace::process_event(&record, signals::next_serial());
    trace::lost(REASON);
}

/// Has a thread jumped out, so that any lock may be held for ever?
pub(crate) fn was_left() -> bool {
    WAS_LEFT.load(Ordering::SeqCst)
}
