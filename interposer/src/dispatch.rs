//! What happens at every MPI call: record it, call the library, record its return. Everything of ours is guarded: a
//! panic ends the recording and the program goes on.

use crate::abi::Abi;
use crate::encode::{Words, handle_at};
use crate::errors::{UnderWay, handlers};
use crate::info::{self, Info, Watched, arg_count};
use crate::modules::Origin;
use crate::recording::{
    Call, Open, Return, Unwritten, commit_poll, complete, count_poll, encoder, is_negative, is_same, outs_room,
    record_late, write_header,
};
use crate::stubs::{Frame, INDEX, PROFILING};
use crate::thread::{LastPoll, Thread};
use crate::tool::sampling;
use crate::{
    checks, clock, define, errors, forced, grequests, handles, interrupted, levels, lifecycle, marks, queues, real,
    signals, sites, statuses, sums,
};
use crate::{thread, trace};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};
use trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS;
use trace_format::mpi::{Class, FUNCTIONS, Function, Kind};
use trace_format::record::{CALL_HEADER_BYTES, State};

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
static ABI: OnceLock<&'static Abi> = OnceLock::new();

static STARTING: Mutex<()> = Mutex::new(());

/// What a child of the process does not inherit, not even one that the C library is not told of (a system call of the
/// program's own): the stages are in memory that both share.
#[repr(C, align(4096))]
struct Wiped {
    is_recording: AtomicU8,
    rest: [u8; 4095],
}

static WIPED: Wiped = Wiped { is_recording: AtomicU8::new(0), rest: [0; 4095] };

/// Has the system wipe the page in children.
fn stay_out_of_children() {
    let page = (&raw const WIPED).cast_mut().cast();
    // SAFETY: the page holds this variable alone. Where the system cannot do it, nothing changes.
    unsafe { libc::madvise(page, size_of::<Wiped>(), libc::MADV_WIPEONFORK) };
}

pub(crate) fn set_mode(mode: Mode) {
    MODE.store(mode as u8, Ordering::SeqCst);
    WIPED.is_recording.store(u8::from(mode == Mode::Recording), Ordering::SeqCst);
    if mode == Mode::Off {
        queues::lost();
    }
}

pub(crate) fn is_recording() -> bool {
    WIPED.is_recording.load(Ordering::Relaxed) != 0
}

/// The family of the process, known once MPI has started.
pub(crate) fn abi() -> Option<&'static Abi> {
    ABI.get().copied()
}

/// Works out the table and starts recording.
pub(crate) fn start(abi: &'static Abi) {
    _ = ABI.set(abi);
    INFOS.get_or_init(info::all);
    stay_out_of_children();
    set_mode(Mode::Recording);
}

/// Runs our own code; a panic ends the recording and gives `None`.
#[inline(always)]
pub(crate) fn guarded<T>(f: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Some(value),
        Err(_) => {
            set_mode(Mode::Off);
            trace::lost("internal error");
            None
        }
    }
}

/// Called by every entry point with its number.
pub(crate) extern "C-unwind" fn dispatch(number: u32, frame: &Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let info = INFOS.get().and_then(|i| i.get(index)).filter(|_| is_recording());
    let (Some(info), Some(abi)) = (info, abi()) else { return unrecorded(index, profiling, frame) };
    let f = real::next(index, profiling);
    if f.is_null() {
        return missing(info.row);
    }
    let mut words = frame.args(info.args);
    let Some(thread) = thread::current() else { return forward(f, info.args, &words) };
    // SAFETY: the pointer is this thread's own state, and no reference to it is live.
    let state = unsafe { &mut *thread };
    if interrupted::is_at_work(state) {
        interrupted::look(state, frame.stack_pointer(), info.row.id);
        return without_record(f, info, abi, &mut words);
    }
    interrupted::enter(state, frame.stack_pointer());
    if state.under_way.last().is_some_and(|u| frame.stack_pointer() >= u.stack_pointer) {
        errors::left(state, frame.stack_pointer());
    }
    let mut open = Open::default();
    // SAFETY: the pointer is this thread's own state; the reference ends before the library is called, where a
    // callback of the program may come back here.
    let begun = guarded(|| begin(unsafe { &mut *thread }, info, abi, frame, profiling, &mut words, &mut open));
    if begun != Some(true) {
        // SAFETY: as above.
        interrupted::leave(unsafe { &*thread });
        return without_record(f, info, abi, &mut words);
    }
    // SAFETY: as above.
    let outer = unsafe {
        let thread = &mut *thread;
        let (index, func, site, depth, freed) = (open.index, info.row.id, open.site, thread.depth, open.freed);
        let outer = thread.under_way.len();
        let stack_pointer = frame.stack_pointer();
        thread.under_way.push(UnderWay { index, func, site, stack_pointer, depth, freed });
        thread.depth += 1;
        interrupted::leave(thread);
        outer
    };
    let call = Call { info, abi, words: &words, open: &open };
    let unwinding = Unwinding { thread, call, outer };
    let result = match info.watched {
        Watched::Pcontrol if is_for_us(thread, &call) => 0,
        _ => match info.forced {
            None => forward(f, info.args, &words),
            // SAFETY: `f` is the library's function and the words are the arguments that the program passed to it; as
            // above.
            Some(forced) => unsafe { forced::forward(forced, f, thread, &call, profiling) },
        },
    };
    std::mem::forget(unwinding);
    // SAFETY: as above.
    unsafe {
        let thread = &mut *thread;
        interrupted::enter(thread, frame.stack_pointer());
        thread.depth = thread.depth.saturating_sub(1);
        thread.under_way.truncate(outer);
    }
    // SAFETY: as above.
    guarded(|| end(unsafe { &mut *thread }, &call, result as i32));
    // SAFETY: as above.
    interrupted::leave(unsafe { &*thread });
    // SAFETY: as above.
    if unsafe { (*thread).depth == 0 || (*thread).told.is_some() } {
        // SAFETY: as above.
        levels::leave(unsafe { &*thread });
    }
    if sampling::are_due() {
        // SAFETY: as above.
        guarded(|| sampling::between_calls(unsafe { &mut *thread }));
    }
    result
}

/// The same for functions that return a double; the result travels as its bits.
pub(crate) extern "C-unwind" fn dispatch_double(number: u32, frame: &Frame) -> u64 {
    let (index, profiling) = ((number & INDEX) as usize, number & PROFILING != 0);
    let info = INFOS.get().and_then(|i| i.get(index)).filter(|_| is_recording());
    if info.is_none() {
        real::resolve_once();
    }
    let f = real::next(index, profiling);
    if f.is_null() {
        return 0f64.to_bits();
    }
    // SAFETY: MPI_Wtime and MPI_Wtick take no argument and return a double.
    let function: extern "C" fn() -> f64 = unsafe { std::mem::transmute(f) };
    let (Some(info), Some(abi), Some(thread)) = (info, abi(), thread::current().filter(|_| info.is_some())) else {
        return function().to_bits();
    };
    // SAFETY: as in `dispatch`.
    let state = unsafe { &mut *thread };
    if interrupted::is_at_work(state) {
        interrupted::look(state, frame.stack_pointer(), info.row.id);
        return function().to_bits();
    }
    interrupted::enter(state, frame.stack_pointer());
    let mut words = frame.args(0);
    let mut open = Open::default();
    // SAFETY: as in `dispatch`.
    let begun = guarded(|| begin(unsafe { &mut *thread }, info, abi, frame, profiling, &mut words, &mut open));
    let result = function();
    if begun == Some(true) {
        // SAFETY: as in `dispatch`.
        guarded(|| end(unsafe { &mut *thread }, &Call { info, abi, words: &words, open: &open }, 0));
    }
    // SAFETY: as in `dispatch`.
    interrupted::leave(unsafe { &*thread });
    result.to_bits()
}

/// A call of MPI_Pcontrol: does the program speak to mpivet, not to the library?
#[cold]
#[inline(never)]
fn is_for_us(thread: *mut Thread, call: &Call) -> bool {
    // SAFETY: the pointer is this thread's own state, and no other reference to it is live.
    guarded(|| marks::pcontrol(unsafe { &mut *thread }, call)) == Some(true)
}

/// A call that is not recorded. When recording has ended, our error handler stays in its disguise all the same.
#[cold]
fn without_record(f: *mut std::ffi::c_void, info: &Info, abi: &'static Abi, words: &mut Words) -> u64 {
    let watched = info.watched != Watched::No && trace::is_lost();
    if watched {
        guarded(|| before_call(info, abi, words));
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
    unsafe { real::call_words(f, args, words) }
}

/// A function that the loaded library does not have.
#[cold]
pub(crate) fn missing(row: &Function) -> u64 {
    crate::log::line(&format!("the program calls {}, which its MPI library does not have", row.name));
    // An error class that exists everywhere: MPI_ERR_OTHER in the MPICH family, an unknown error elsewhere.
    15
}

#[cold]
fn unrecorded(index: usize, profiling: bool, frame: &Frame) -> u64 {
    real::resolve_once();
    let f = real::next(index, profiling);
    let Some(row) = FUNCTIONS.get(index) else { return 0 };
    if f.is_null() {
        return missing(row);
    }
    let words = frame.args(arg_count(row));
    let starts = matches!(row.class, Class::Init | Class::SessionInit);
    let inert = starts && MODE.load(Ordering::Relaxed) == Mode::Inert as u8;
    if MODE.load(Ordering::Relaxed) == Mode::Inert as u8 && !profiling && !IS_STARTING.get() {
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
            if MODE.load(Ordering::SeqCst) == Mode::Inert as u8 {
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
    let (Some(info), Some(abi)) = (INFOS.get().and_then(|i| i.get(index)), abi()) else { return };
    let Some(thread) = thread::current() else { return };
    // SAFETY: the pointer is this thread's own state.
    let thread = unsafe { &mut *thread };
    let mut words = *words;
    let mut open = Open::default();
    if begin(thread, info, abi, frame, false, &mut words, &mut open) {
        open.entered = entered;
        // SAFETY: word 1 of the record just written.
        unsafe { thread.stage.at(open.offset + 8).cast::<u64>().write(entered) };
        end(thread, &Call { info, abi, words: &words, open: &open }, result);
    }
}

/// Writes and commits the record of a call. False if it is not to be recorded.
#[inline(always)]
fn begin(
    thread: &mut Thread,
    info: &Info,
    abi: &'static Abi,
    frame: &Frame,
    profiling: bool,
    words: &mut Words,
    open: &mut Open,
) -> bool {
    let site = match &mut thread.in_routine {
        Some(routine) if routine.function == info.row.id => {
            routine.recorded = true;
            thread.sites.site(routine.return_address, routine.stack_pointer, info.row)
        }
        _ => {
            let site = thread.sites.site(frame.return_address, frame.stack_pointer(), info.row);
            if site.is_nested() || thread.depth > 0 && is_tools(site, profiling) {
                return false;
            }
            site
        }
    };
    let (site, for_tool, by_binding) = (site.stack, site.for_tool, site.caller == Origin::Binding);
    // A callback of that poll makes this call.
    if thread.unwritten.is_some() {
        commit_poll(thread);
    }
    if trace::is_lost() || !thread.stage.reserve(info.max_record) {
        thread.mark_lost();
        return false;
    }
    let start = thread.stage.cursor;
    let values = start + CALL_HEADER_BYTES;
    let at = thread.stage.at(values);
    let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
    encoder.ins();
    let in_bytes = encoder.at as usize - at as usize;
    let outs_at = values + in_bytes;
    // Polls without an answer are counted where they are already written down.
    let repeats = thread.last_poll.filter(|l| info.poll.is_some() && is_same(thread, info, l, site, start, in_bytes));
    open.lap = thread.stage.lap;
    open.offset = start;
    open.index = thread.stage.calls;
    open.repeats = repeats.is_some();
    open.in_bytes = in_bytes;
    open.site = site;
    (open.for_tool, open.by_binding) = (for_tool, by_binding);
    if info.status.is_some() {
        statuses::own(thread, info, abi, words);
    }
    if let Some((param, kind)) = info.frees {
        let handle = handle_at(abi, kind, words.get(param).copied().unwrap_or(0));
        open.freed = handle.map(|handle| handles::dying(kind, handle));
    }
    if info.watched != Watched::No {
        if info.watched == Watched::Abort {
            errors::before_end(thread);
            signals::write_unwritten();
        }
        before_call(info, abi, words);
        if info.watched == Watched::GrequestStart {
            grequests::before_start(thread, for_tool, words);
        }
    }
    let breach = levels::enter(thread, info.always_available);
    open.entered = clock::now();
    if let Some(last) = repeats {
        thread.unwritten = Some(Unwritten::new(last, open));
        if let Some(inside) = breach {
            levels::breach(thread, info.row, open.index, site, inside);
        }
        checks::before_repeated(thread, &Call { info, abi, words, open });
        return true;
    }
    let end = if info.plan.outs_sized { outs_at + outs_room(thread, info, abi, words) } else { outs_at };
    open.outs = info.plan.outs_sized.then_some(outs_at);
    write_header(&thread.stage, start, open.entered, site);
    thread.stage.commit(end, info.row.id as u16, State::Entered);
    thread.stage.calls += 1;
    thread.last_poll = None;
    if let Some(inside) = breach {
        levels::breach(thread, info.row, open.index, site, inside);
    }
    checks::before(thread, &Call { info, abi, words, open });
    queues::entered(thread, &Call { info, abi, words, open });
    true
}

/// Is a call inside another one the work of a tool that wraps MPI, not of a callback of the program?
#[inline(always)]
fn is_tools(site: sites::Site, profiling: bool) -> bool {
    site.caller == Origin::Tool || profiling && site.caller != Origin::Binding
}

#[cold]
fn before_call(info: &Info, abi: &'static Abi, words: &mut Words) {
    match info.watched {
        Watched::Finalize => lifecycle::before_finalize(abi),
        Watched::SessionFinalize => lifecycle::before_session_finalize(abi, words[0]),
        Watched::SetErrhandler => handlers::before_set(abi, info.row.id, words),
        Watched::FreeErrhandler => handlers::before_free(abi, words),
        Watched::CreateErrhandler => errors::program::before_create(words),
        _ => {}
    }
}

#[cold]
fn after_call(call: &Call, spot: checks::Spot) {
    let &Call { info, abi, words, open } = call;
    match info.watched {
        Watched::Init => {
            lifecycle::world_begins(abi, open.entered);
            let world = real::library().and_then(|r| handles::predefined_handle(r, Kind::Comm, "MPI_COMM_WORLD"));
            checks::mpi_has_begun(spot, world);
        }
        Watched::SessionInit => lifecycle::session_begins(abi, words),
        Watched::GetErrhandler => handlers::after_get(abi, info.row.id, words),
        Watched::AddsError => errors::added(call),
        Watched::SetName => define::named(abi, info.row.id, words),
        Watched::GetContents => define::contents(call, spot),
        Watched::Commit => define::committed(abi, words),
        Watched::GetAttribute => checks::attribute_was_asked(abi, words),
        Watched::GrequestStart => grequests::after_start(abi, words, Some(spot)),
        Watched::SetsStatus => grequests::sets_status(info.row.id),
        Watched::Finalize => checks::mpi_is_over(spot),
        _ => {}
    }
}

/// Completes the record of a call that has returned.
#[inline(always)]
fn end(thread: &mut Thread, call: &Call, result: i32) {
    let &Call { info, abi, words, open } = call;
    let time = clock::now();
    queues::left(thread, call);
    let failed = result != 0 && info.row.ret == Kind::Code;
    if failed {
        if let Some(dying) = open.freed {
            handles::kept(dying);
        }
        if info.watched == Watched::GrequestStart {
            grequests::after_start(abi, words, None);
        }
        // Does not return if the program's error handler ends the program.
        errors::returned(thread, call, open.index, result);
    } else if let Some(fatal) = thread.fatal {
        // The fatal handler was called although the call succeeds: MPI_Comm_call_errhandler.
        errors::returned(thread, call, open.index, fatal.code());
    } else {
        for (param, kind) in &info.makes {
            if let Some(handle) = handle_at(abi, *kind, words.get(*param).copied().unwrap_or(0)) {
                define::object(*kind, handle, call, checks::Spot::of(thread, call));
            }
        }
        if let Some(dying) = open.freed {
            handles::freed(dying, checks::Spot::of(thread, call));
        }
        if info.watched != Watched::No {
            after_call(call, checks::Spot::of(thread, call));
        }
        if info.watched == Watched::Init {
            levels::learn(abi, thread, info.row.id);
        }
    }
    checks::after(thread, call, failed);
    let apart = sums::are_on() && std::mem::take(&mut thread.return_apart);
    let class = if failed { errors::neutral_class(abi, info.row.id, result) } else { 0 };
    let done = Return { time, class, valid: !failed || info.completes };
    let negative = info.poll.is_some_and(|p| !failed && is_negative(abi, words.get(p).copied().unwrap_or(0)));
    if open.repeats {
        if negative && thread.unwritten.is_some() {
            return count_poll(thread, time);
        }
        return record_late(thread, call, done);
    }
    if complete(thread, call, done, apart) && negative {
        thread.last_poll =
            Some(LastPoll { lap: open.lap, offset: open.offset, func: info.row.id as u16, in_bytes: open.in_bytes });
    }
}

/// A call under way, so that its end is recorded if it is an exception of a callback of the program (an error handler in
/// C++ may throw) that passes through the library and this one. Forgotten when the call returns.
struct Unwinding<'a> {
    thread: *mut Thread,
    call: Call<'a>,
    /// How many calls were under way before.
    outer: usize,
}

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        let Unwinding { thread, call, outer } = *self;
        guarded(|| {
            // SAFETY: the pointer is this thread's own state, and the call was left, so that no reference to it is live.
            let thread = unsafe { &mut *thread };
            thread.depth -= 1;
            thread.under_way.truncate(outer);
            queues::left(thread, &call);
            thread.fatal = None;
            call.open.freed.into_iter().for_each(handles::kept);
            let done = Return { time: clock::now(), class: UNKNOWN_ERROR_CLASS, valid: false };
            if call.open.repeats {
                record_late(thread, &call, done);
            } else {
                complete(thread, &call, done, false);
            }
            if thread.depth == 0 {
                levels::leave(thread);
            }
        });
    }
}
