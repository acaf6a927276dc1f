//! The way of every MPI call: record it, call the library, record its return. Everything of ours is guarded: a
//! panic ends the recording and the program goes on.

use crate::call::info::{Info, Watched, arg_count};
use crate::call::mode::{guarded, is_inert, is_recording, known, recorded};
use crate::call::sites::Arrival;
use crate::entry::stubs::{Frame, INDEX, PROFILING};
use crate::entry::{ordinary, quick};
use crate::mpi::abi::{self, Abi};
use crate::mpi::handles::Dying;
use crate::mpi::words::Words;
use crate::mpi::{handles, library};
use crate::precise::{self, Inside};
use crate::process::errors::handlers;
use crate::process::{altered, errors, lifecycle};
use crate::state::open_calls::OpenCall;
use crate::state::queued;
use crate::state::recording::{Call, Open, Return, complete, record_late};
use crate::state::thread::{Thread, ThreadPtr};
use crate::state::{asked_time, interrupted, levels, thread, user_threads};
use crate::tool::sampling;
use crate::watch::{annotations, checks, sums};
use recorder::{clock, owner, trace};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS;
use trace_format::mpi::{Class, FUNCTIONS, FnId, Function};

static STARTING: Mutex<()> = Mutex::new(());

/// Called by every entry point with its number.
pub(crate) extern "C-unwind" fn dispatch(number: u32, frame: &mut Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let Some(info) = recorded(index).filter(|info| info.is_quick) else { return ordinarily(number, frame) };
    let Some(thread) = thread::existing() else { return ordinarily(number, frame) };
    if !thread.with(|thread| quick::is_usual(thread)) {
        return ordinarily(number, frame);
    }
    let (arrival, f) = (frame.arrival(), info.next(profiling));
    thread.with(|thread| interrupted::enter(thread, arrival.stack_pointer));
    let words = frame.words(info.args);
    let mut open = MaybeUninit::uninit();
    let begun = guarded(|| thread.with(|thread| quick::begin(thread, info, arrival, words, &mut open)));
    if begun != Some(true) {
        thread.with(|thread| interrupted::leave(thread));
        return ordinarily(number, frame);
    }
    // SAFETY: `begin` has written it if it says so.
    let open = unsafe { open.assume_init_ref() };
    let call = Call { info, abi: info.abi, words, open };
    guarded(|| thread.with(|thread| quick::look(thread, &call)));
    let unwinding = Unwinding::begin_outermost(thread, &call, arrival.stack_pointer);
    let result = forward(f, info.args, words);
    if !unwinding.end_outermost() {
        return result;
    }
    let result = of_call(thread, result);
    guarded(|| thread.with(|thread| quick::end(thread, &call, result as i32)));
    thread.with(|thread| interrupted::leave(thread));
    result
}

/// The result of a call of the library that has just returned, as it would be without handlers of ours.
#[inline(always)]
fn of_call(thread: ThreadPtr, result: u64) -> u64 {
    thread.with(|thread| if thread.fatal.is_some() { errors::result(thread, result) } else { result })
}

/// A call that does not take the quick path.
#[inline(never)]
extern "C-unwind" fn ordinarily(number: u32, frame: &mut Frame) -> u64 {
    if precise::is_there() {
        return inside(number, frame);
    }
    usually(number, frame)
}

/// A call that says when it enters the library, and when it leaves it.
#[cold]
#[inline(never)]
extern "C-unwind" fn inside(number: u32, frame: &mut Frame) -> u64 {
    let _inside = Inside::enter(frame.arrival().stack_pointer);
    if trace::is_lost() {
        // Nobody knows any more when operations are over.
        precise::give_up("");
    }
    usually(number, frame)
}

#[inline(always)]
fn usually(number: u32, frame: &mut Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let Some(info) = recorded(index) else { return unrecorded(index, profiling, frame) };
    let abi = info.abi;
    let f = info.next(profiling);
    if f.is_null() {
        return missing(info.row);
    }
    let arrival = frame.arrival();
    let stack_pointer = arrival.stack_pointer;
    let words = frame.words(info.args);
    let Some(thread) = thread::current() else { return forward(f, info.args, words) };
    // Only read, and so also in a signal handler.
    if thread.with(|thread| is_nested_anyway(thread, info, arrival)) {
        return without_record(f, info, abi, words);
    }
    if !enter(thread, stack_pointer, info.row.id) {
        return without_record(f, info, abi, words);
    }
    let is_inside = |thread: &mut Thread| {
        thread.open_calls.is_empty() || guarded(|| user_threads::look(thread, stack_pointer)) == Some(true)
    };
    if !thread.with(is_inside) {
        thread.with(|thread| interrupted::leave(thread));
        return without_record(f, info, abi, words);
    }
    let mut open = Open::default();
    let begun =
        guarded(|| thread.with(|thread| ordinary::begin(thread, info, abi, arrival, profiling, words, &mut open)));
    if begun != Some(true) {
        thread.with(|thread| interrupted::leave(thread));
        return without_record(f, info, abi, words);
    }
    let call = Call { info, abi, words, open: &open };
    let unwinding = Unwinding::begin(thread, &call, stack_pointer, open.freed);
    let result = match info.watched {
        Watched::Pcontrol if is_for_us(thread, &call, stack_pointer) => 0,
        _ => match info.altered {
            None => forward(f, info.args, words),
            // SAFETY: `f` is the library's function and the words are the arguments that the program passed to it.
            Some(altered) => unsafe { altered::forward(altered, f, thread, &call, profiling) },
        },
    };
    if !unwinding.end() {
        return result;
    }
    let result = of_call(thread, result);
    guarded(|| thread.with(|thread| ordinary::end(thread, &call, result as i32)));
    thread.with(|thread| {
        interrupted::leave(thread);
        if thread.depth == 0 || thread.told.is_some() {
            levels::leave(thread);
        }
    });
    if sampling::are_due() {
        thread.with(|thread| interrupted::enter(thread, stack_pointer));
        guarded(|| thread.with(sampling::between_calls));
        thread.with(|thread| interrupted::leave(thread));
    }
    result
}

/// Is it known at once that the call is no event?
#[inline(always)]
fn is_nested_anyway(thread: &Thread, info: &Info, arrival: Arrival) -> bool {
    // Libraries call their own functions from others.
    let may_be = info.is_conversion || thread.depth > 0;
    let is_a_routines = || thread.in_routine.is_some_and(|routine| routine.function == info.row.id);
    may_be && thread.sites.is_nested_anyway(arrival.return_address, info) && !is_a_routines()
}

/// Work begins for a call with this stack pointer. False if this library is at work for another one already: then the call
/// comes from a signal handler, or the thread has jumped out of that one.
#[inline(always)]
fn enter(thread: ThreadPtr, stack_pointer: u64, function: FnId) -> bool {
    thread.with(|thread| {
        let is_free = !interrupted::is_at_work(thread);
        match is_free {
            true => interrupted::enter(thread, stack_pointer),
            false => interrupted::look(thread, stack_pointer, function),
        }
        is_free
    })
}

/// Dispatches functions that return a double; the result travels as its bits.
pub(crate) extern "C-unwind" fn dispatch_double(number: u32, frame: &Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let Some(info) = recorded(index) else { return double_ordinarily(number, frame) };
    let arrival = frame.arrival();
    let count =
        |thread: &mut Thread| if quick::is_usual(thread) { asked_time::count(thread, number, arrival) } else { None };
    let Some(count) = thread::existing().and_then(|thread| thread.with(count)) else {
        return double_ordinarily(number, frame);
    };
    // SAFETY: the place of the count is in the stage of this thread, which stays mapped, and it alone writes there.
    unsafe { count.write(count.read() + 1) };
    double_of(info.next(profiling))
}

/// Calls MPI_Wtime or MPI_Wtick.
#[inline(always)]
fn double_of(f: *mut std::ffi::c_void) -> u64 {
    // SAFETY: they take no argument and return a double.
    let function: extern "C" fn() -> f64 = unsafe { std::mem::transmute(f) };
    function().to_bits()
}

/// A call that is not like the one before it.
#[inline(never)]
fn double_ordinarily(number: u32, frame: &Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let info = recorded(index);
    if info.is_none() {
        library::resolve_once();
    }
    let f = library::next(index, profiling);
    if f.is_null() {
        return 0f64.to_bits();
    }
    let (Some(info), Some(abi), Some(thread)) = (info, abi::current(), info.and_then(|_| thread::current())) else {
        return double_of(f);
    };
    if !enter(thread, frame.stack_pointer(), info.row.id) {
        return double_of(f);
    }
    let mut words = frame.args(0);
    let mut open = Open::default();
    let begun = guarded(|| {
        thread.with(|thread| ordinary::begin(thread, info, abi, frame.arrival(), profiling, &mut words, &mut open))
    });
    let result = double_of(f);
    if begun == Some(true) {
        let call = Call { info, abi, words: &words, open: &open };
        guarded(|| {
            thread.with(|thread| {
                ordinary::end(thread, &call, 0);
                asked_time::note(thread, &call, number, frame.arrival());
            })
        });
    }
    thread.with(|thread| interrupted::leave(thread));
    result
}

/// A call of MPI_Pcontrol: does the program speak to mpivet, not to the library?
#[cold]
#[inline(never)]
fn is_for_us(thread: ThreadPtr, call: &Call, stack_pointer: u64) -> bool {
    thread.with(|thread| interrupted::enter(thread, stack_pointer));
    let is_ours = guarded(|| thread.with(|thread| annotations::pcontrol(thread, call))) == Some(true);
    thread.with(|thread| interrupted::leave(thread));
    is_ours
}

/// The facts of a function from before an error of ours has ended the recording.
fn recorded_once(index: usize) -> Option<&'static Info> {
    known(index).filter(|_| trace::is_lost() && owner::is_this())
}

/// A call that is not recorded. When recording has ended, our error handler stays in its disguise all the same.
#[cold]
fn without_record(f: *mut std::ffi::c_void, info: &Info, abi: &'static Abi, words: &mut Words) -> u64 {
    let watched = info.watched != Watched::No && trace::is_lost();
    if watched {
        guarded(|| ordinary::before_call(info, abi, words));
    }
    let result = forward(f, info.args, words);
    if watched && info.watched == Watched::GetErrhandler {
        guarded(|| handlers::after_get(abi, info.row.id, words));
    }
    result
}

#[inline(always)]
fn forward(f: *mut std::ffi::c_void, args: usize, words: &Words) -> u64 {
    // SAFETY: `f` is the library's function and the words are the arguments that the program passed to it.
    unsafe { library::call_words(f, args, words) }
}

/// A function that the loaded library does not have.
#[cold]
pub(crate) fn missing(row: &Function) -> u64 {
    recorder::log::line(&format!("the program calls {}, which its MPI library does not have", row.name));
    let class = library::loaded().and_then(|library| library.abi().class_number("MPI_ERR_OTHER"));
    class.unwrap_or(1) as u64
}

#[cold]
fn unrecorded(index: usize, profiling: bool, frame: &Frame) -> u64 {
    library::resolve_once();
    let f = library::next(index, profiling);
    let Some(row) = FUNCTIONS.get(index) else { return 0 };
    if f.is_null() {
        return missing(row);
    }
    if let Some(info) = recorded_once(index) {
        return without_record(f, info, info.abi, &mut frame.args(info.args));
    }
    let words = frame.args(arg_count(row));
    let starts = matches!(row.class, Class::Init | Class::SessionInit);
    let inert = starts && is_inert();
    if is_inert() && !profiling && !IS_STARTING.get() {
        guarded(|| checks::call_outside_mpi::before_init(row));
    }
    // Another tool, or the library itself, may call the profiling entry on the way.
    if !inert || IS_STARTING.replace(true) {
        return forward(f, arg_count(row), &words);
    }
    let before = guarded(lifecycle::before_init).flatten();
    let entered = clock::now();
    let result = forward(f, arg_count(row), &words);
    if let Some(before) = before
        && result as i32 == 0
    {
        guarded(|| {
            // Threads may call MPI_Session_init at the same time: whoever comes first starts the recording, and the
            // others go on when it has begun.
            let _one = STARTING.lock();
            if is_inert() {
                lifecycle::after_init(before, row.class, &words);
            }
            if is_recording() {
                sums::announce();
                record_after(index, frame, &words, entered, 0);
            }
        });
    }
    IS_STARTING.set(false);
    result
}

thread_local! {
    /// This thread is in a call that starts MPI.
    static IS_STARTING: Cell<bool> = const { Cell::new(false) };
}

/// Records a call that has returned.
pub(crate) fn record_after(index: usize, frame: &Frame, words: &Words, entered: u64, result: i32) {
    let (Some(info), Some(abi)) = (known(index), abi::current()) else { return };
    let Some(thread) = thread::current() else { return };
    thread.with(|thread| {
        interrupted::enter(thread, frame.stack_pointer());
        let mut words = *words;
        let mut open = Open::default();
        if ordinary::begin(thread, info, abi, frame.arrival(), false, &mut words, &mut open) {
            open.entered = entered;
            // SAFETY: word 1 of the record just written.
            unsafe { thread.stage.at(open.offset + 8).cast::<u64>().write(entered) };
            ordinary::end(thread, &Call { info, abi, words: &words, open: &open }, result);
        }
        interrupted::leave(thread);
    });
}

/// A call under way, so that its end is recorded if it is an exception of a callback of the program (an error handler in
/// C++ may throw) that passes through the library and this one.
struct Unwinding<'a> {
    thread: ThreadPtr,
    call: &'a Call<'a>,
    /// How many calls were under way before.
    outer: usize,
    stack_pointer: u64,
}

impl<'a> Unwinding<'a> {
    /// The library is about to be entered.
    #[inline(always)]
    fn begin(thread: ThreadPtr, call: &'a Call<'a>, stack_pointer: u64, freed: Option<Dying>) -> Unwinding<'a> {
        let (func, open) = (call.info.func, call.open);
        let outer = thread.with(|state| {
            let (outer, depth) = (state.open_calls.len(), state.depth);
            let site = open.site.stack;
            state.open_calls.push(OpenCall { index: open.index, func, site, stack_pointer, depth, freed });
            state.depth += 1;
            interrupted::leave(state);
            outer
        });
        Unwinding { thread, call, outer, stack_pointer }
    }

    /// Begins a call inside of no other.
    #[inline(always)]
    fn begin_outermost(thread: ThreadPtr, call: &'a Call<'a>, stack_pointer: u64) -> Unwinding<'a> {
        let (func, open) = (call.info.func, call.open);
        let open_call =
            OpenCall { index: open.index, func, site: open.site.stack, stack_pointer, depth: 0, freed: None };
        thread.with(|state| {
            state.open_calls.begin(open_call);
            state.depth = 1;
            interrupted::leave(state);
        });
        Unwinding { thread, call, outer: 0, stack_pointer }
    }

    /// It has returned. False if nothing more may be done for it here.
    #[inline(always)]
    fn end_outermost(self) -> bool {
        let is_over = go_on(self.thread, self.outer, self.stack_pointer, |state| {
            interrupted::enter(state, self.stack_pointer);
            state.depth = 0;
            state.open_calls.end();
        });
        std::mem::forget(self);
        is_over
    }

    /// A call that may be inside of others has returned. False as for [`Unwinding::end_outermost`].
    #[inline(always)]
    fn end(self) -> bool {
        let is_over = go_on(self.thread, self.outer, self.stack_pointer, |state| {
            interrupted::enter(state, self.stack_pointer);
            state.depth = state.open_calls.get(self.outer).map_or(0, |call| call.depth);
            state.open_calls.truncate(self.outer);
        });
        std::mem::forget(self);
        is_over
    }
}

/// Does this with the state of its thread, if the call inside of so many others has returned there and was not taken for left.
#[inline(always)]
fn go_on(thread: ThreadPtr, outer: usize, stack_pointer: u64, step: impl FnOnce(&mut Thread)) -> bool {
    if !user_threads::is_here(thread) {
        return false;
    }
    thread.with(|state| {
        let is_here = state.open_calls.get(outer).is_some_and(|call| call.stack_pointer == stack_pointer);
        match is_here {
            true => step(state),
            false => user_threads::came_back(),
        }
        is_here
    })
}

impl Drop for Unwinding<'_> {
    /// The parts are passed on one by one: nothing of this is in memory then where calls return.
    #[inline(always)]
    fn drop(&mut self) {
        let Unwinding { thread, call, outer, stack_pointer } = *self;
        unwound(thread, call, outer, stack_pointer);
    }
}

/// An exception passes through the call.
#[cold]
#[inline(never)]
fn unwound(thread: ThreadPtr, call: &Call, outer: usize, stack_pointer: u64) {
    guarded(|| {
        go_on(thread, outer, stack_pointer, |thread| {
            interrupted::enter(thread, stack_pointer);
            thread.depth -= 1;
            thread.open_calls.truncate(outer);
            queued::left(thread, call);
            thread.fatal = None;
            call.open.freed.into_iter().for_each(handles::kept);
            let done = Return { time: clock::now(), class: UNKNOWN_ERROR_CLASS, valid: false };
            if call.open.repeats {
                record_late(thread, call, done);
            } else {
                complete(thread, call, done, false);
            }
            interrupted::leave(thread);
            if thread.depth == 0 {
                levels::leave(thread);
            }
        })
    });
}
