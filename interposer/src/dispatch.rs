//! What happens at every MPI call: record it, call the library, record its return. Everything of ours is guarded: a
//! panic ends the recording and the program goes on.

use crate::abi::Abi;
use crate::encode::{Encoder, Words, max_bytes};
use crate::modules::Origin;
use crate::stubs::{Frame, INDEX, PROFILING};
use crate::thread::{LastPoll, Thread};
use crate::{clock, define, errors, handles, levels, lifecycle, real, sites, stage, thread, trace};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};
use trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS;
use trace_format::mpi::{Class, Coll, Dir, FUNCTIONS, FnId, Function, Kind};
use trace_format::plan::{Plan, plans};
use trace_format::record::{CALL_HEADER_BYTES, RETURN_HEADER_BYTES, State, pack_duration};

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

pub(crate) fn set_mode(mode: Mode) {
    MODE.store(mode as u8, Ordering::SeqCst);
}

pub(crate) fn is_recording() -> bool {
    MODE.load(Ordering::Relaxed) == Mode::Recording as u8
}

/// The family of the process, known once MPI has started.
pub(crate) fn abi() -> Option<&'static Abi> {
    ABI.get().copied()
}

/// What dispatching a function needs to know, worked out once from its row.
pub(crate) struct Info {
    pub(crate) row: &'static Function,
    plan: &'static Plan,
    args: usize,
    /// Most bytes of a record of this function.
    max_record: usize,
    ignored_in_place: Option<(usize, usize)>,
    /// The status parameters.
    status: Option<(usize, bool)>,
    /// Output handles that name new objects.
    makes: Vec<(usize, Kind)>,
    /// The handle that the call frees.
    frees: Option<(usize, Kind)>,
    /// The parameter that says whether a poll found something, and the value that says no.
    poll: Option<usize>,
    /// Statuses and indices mean something even when the call returns an error.
    completes: bool,
    watched: Watched,
    /// Every thread may call it at any time.
    always_available: bool,
}

/// Functions that need more than recording.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watched {
    No,
    Init,
    Finalize,
    SessionInit,
    SessionFinalize,
    SetErrhandler,
    GetErrhandler,
    FreeErrhandler,
    SetName,
    GetContents,
}

/// Works out the table and starts recording.
pub(crate) fn start(abi: &'static Abi) {
    _ = ABI.set(abi);
    INFOS.get_or_init(|| FUNCTIONS.iter().zip(plans()).map(|(row, plan)| info(row, plan)).collect());
    set_mode(Mode::Recording);
}

fn info(row: &'static Function, plan: &'static Plan) -> Info {
    let object = |k: Kind| k.is_handle() && !matches!(k, Kind::Request | Kind::Message);
    let single = |dir| move |p: &&trace_format::mpi::Param| p.dir == dir && p.len.is_empty();
    let freeing = match row.class {
        Class::Free | Class::SessionFinalize => true,
        Class::Collective(coll, _) => {
            matches!(coll, Coll::CommFree | Coll::CommDisconnect | Coll::WinFree | Coll::FileClose)
        }
        _ => false,
    };
    let place = |kind: Kind| row.params.iter().position(|p| p.kind == kind && p.len.is_empty());
    let status = row.params.iter().position(|p| p.kind == Kind::Status && p.dir == Dir::Out);
    Info {
        row,
        plan,
        args: arg_count(row),
        max_record: CALL_HEADER_BYTES + 16 + max_bytes(&plan.ins) + max_bytes(&plan.outs),
        ignored_in_place: place(Kind::SendBuf).zip(place(Kind::RecvBuf)),
        status: status.map(|p| (p, !row.params[p].len.is_empty())),
        makes: row
            .params
            .iter()
            .enumerate()
            .filter(|(_, p)| single(Dir::Out)(p) && object(p.kind))
            .map(|(i, p)| (i, p.kind))
            .collect(),
        frees: row
            .params
            .iter()
            .position(|p| freeing && single(Dir::InOut)(&p) && object(p.kind))
            .map(|i| (i, row.params[i].kind)),
        poll: match row.class {
            Class::Test(_) | Class::Probe(trace_format::mpi::Start::Nonblocking) | Class::GetStatus(_) => {
                row.param("flag").or_else(|| row.param("outcount"))
            }
            Class::Mprobe(trace_format::mpi::Start::Nonblocking) => row.param("flag"),
            _ => None,
        },
        completes: matches!(row.class, Class::Wait(_) | Class::Test(_)),
        watched: match row.id {
            _ if row.class == Class::Init => Watched::Init,
            _ if row.class == Class::SessionInit => Watched::SessionInit,
            _ if row.class == Class::SessionFinalize => Watched::SessionFinalize,
            FnId::MPI_Finalize => Watched::Finalize,
            FnId::MPI_Comm_set_errhandler | FnId::MPI_Errhandler_set => Watched::SetErrhandler,
            FnId::MPI_Comm_get_errhandler | FnId::MPI_Errhandler_get => Watched::GetErrhandler,
            FnId::MPI_Errhandler_free => Watched::FreeErrhandler,
            FnId::MPI_Comm_set_name | FnId::MPI_Type_set_name => Watched::SetName,
            FnId::MPI_Type_get_contents => Watched::GetContents,
            _ => Watched::No,
        },
        always_available: row.id.is_always_available(),
    }
}

/// Words that are passed on: MPI_Pcontrol takes what a tool wants.
fn arg_count(row: &Function) -> usize {
    if row.class == Class::Pcontrol { real::MAX_ARGS } else { row.params.len() }
}

/// A recorded call that has not returned.
#[derive(Default)]
struct Open {
    lap: u64,
    offset: usize,
    /// Place of its return values, if they are completed in place.
    outs: Option<usize>,
    index: u64,
    /// The poll that this one repeats: then nothing is committed yet, and it is only recorded if it finds something.
    repeats: Option<LastPoll>,
    in_bytes: usize,
    site: u32,
    freed: Option<handles::Dying>,
    entered: u64,
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
    let mut open = Open::default();
    // SAFETY: the pointer is this thread's own state; the reference ends before the library is called, where a
    // callback of the program may come back here.
    let begun = guarded(|| begin(unsafe { &mut *thread }, info, abi, frame, profiling, &mut words, &mut open));
    if begun != Some(true) {
        return without_record(f, info, abi, &mut words);
    }
    // SAFETY: as above.
    unsafe { (*thread).depth += 1 };
    let unwinding = Unwinding { thread, info, abi, words: &words, open: &open };
    let result = forward(f, info.args, &words);
    std::mem::forget(unwinding);
    // SAFETY: as above.
    unsafe { (*thread).depth -= 1 };
    // SAFETY: as above.
    guarded(|| end(unsafe { &mut *thread }, info, abi, &words, &open, result as i32));
    // SAFETY: as above.
    if unsafe { (*thread).depth } == 0 {
        // SAFETY: as above.
        levels::leave(unsafe { &*thread });
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
    let mut words = frame.args(0);
    let mut open = Open::default();
    // SAFETY: as in `dispatch`.
    let begun = guarded(|| begin(unsafe { &mut *thread }, info, abi, frame, profiling, &mut words, &mut open));
    let result = function();
    if begun == Some(true) {
        // SAFETY: as in `dispatch`.
        guarded(|| end(unsafe { &mut *thread }, info, abi, &words, &open, 0));
    }
    result.to_bits()
}

/// A call that is not recorded. When recording has ended, our error handler stays in its disguise all the same.
#[cold]
fn without_record(f: *mut std::ffi::c_void, info: &Info, abi: &'static Abi, words: &mut Words) -> u64 {
    let watched = info.watched != Watched::No && trace::is_lost();
    if watched {
        guarded(|| before_call(info, abi, words));
    }
    let result = forward(f, info.args, words);
    if watched {
        guarded(|| after_call(info, abi, words, clock::now()));
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
        end(thread, info, abi, &words, &open, result);
    }
}

fn encoder<'a>(
    at: *mut u8,
    handles: &'a mut handles::Cache,
    info: &'a Info,
    abi: &'static Abi,
    words: &'a Words,
) -> Encoder<'a> {
    let ignored = match info.ignored_in_place {
        Some((send, recv)) if words.get(send).is_some_and(|w| abi.is_in_place(*w)) => send + 1..recv,
        _ => 0..0,
    };
    Encoder { at, abi, handles, words, plan: info.plan, ignored }
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
    let site = site.stack;
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
    open.repeats = repeats;
    open.in_bytes = in_bytes;
    open.site = site;
    if info.status.is_some() {
        own_status(thread, info, abi, words);
    }
    if let Some((param, kind)) = info.frees {
        let handle = handle_at(abi, kind, words.get(param).copied().unwrap_or(0));
        open.freed = handle.map(|handle| handles::dying(kind, handle));
    }
    if info.watched != Watched::No {
        before_call(info, abi, words);
    }
    let breach = levels::enter(thread, info.always_available);
    open.entered = clock::now();
    if repeats.is_some() {
        if let Some(inside) = breach {
            levels::breach(thread, info.row, open.index.saturating_sub(1), site, inside);
        }
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
    true
}

/// Is a call inside another one the work of a tool that wraps MPI, not of a callback of the program?
#[inline(always)]
fn is_tools(site: sites::Site, profiling: bool) -> bool {
    site.caller == Origin::Tool || profiling && site.caller != Origin::Binding
}

#[inline(always)]
fn write_header(stage: &stage::Stage, start: usize, time: u64, site: u32) {
    let words = stage.at(start).cast::<u64>();
    // SAFETY: `reserve` made room for the header; word 0 is stored by `commit`.
    unsafe {
        words.add(1).write(time);
        words.add(2).write(0);
        words.add(3).write(u64::from(site));
    }
}

/// Bytes that the values at the return will take.
#[inline(always)]
fn outs_room(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words) -> usize {
    use trace_format::plan::Shape;
    let mut room = 0;
    for item in &info.plan.outs {
        room += match item.shape {
            Shape::Deref(elem) | Shape::Arg(elem) => elem.width(),
            Shape::Array { elem, len, at_root } => {
                let encoder = encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words);
                let bytes = encoder.length(len, at_root) * elem.width();
                4 + if bytes > trace_format::record::MAX_INLINE_BYTES { 0 } else { bytes }
            }
            _ => 0,
        };
    }
    room
}

/// Is the record being written the same as the negative poll right before it?
fn is_same(thread: &Thread, info: &Info, last: &LastPoll, site: u32, start: usize, in_bytes: usize) -> bool {
    if last.lap != thread.stage.lap || last.func != info.row.id as u16 || last.in_bytes != in_bytes {
        return false;
    }
    // SAFETY: both ranges lie in the stage: the last record and the one being written behind it.
    unsafe {
        let same_site = thread.stage.at(last.offset + 24).cast::<u32>().read() == site;
        let old = std::slice::from_raw_parts(thread.stage.at(last.offset + CALL_HEADER_BYTES), in_bytes);
        let new = std::slice::from_raw_parts(thread.stage.at(start + CALL_HEADER_BYTES), in_bytes);
        same_site && old == new
    }
}

/// Passes statuses of our own where the program ignores them.
#[inline(always)]
fn own_status(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &mut Words) {
    let Some((param, array)) = info.status else { return };
    if !words.get(param).is_some_and(|w| abi.is_status_ignore(*w)) {
        return;
    }
    let count = if array { status_count(thread, info, abi, words) } else { 1 };
    let bytes = count.max(1) * abi.status_size();
    let depth = thread.depth;
    if thread.statuses.len() <= depth {
        thread.statuses.resize_with(depth + 1, Vec::new);
    }
    if let Some(own) = thread.statuses.get_mut(depth) {
        if own.len() < bytes {
            own.resize(bytes, 0);
        }
        own.chunks_mut(abi.status_size()).take(count.max(1)).for_each(|s| abi.blank_status(s));
        if let Some(word) = words.get_mut(param) {
            *word = own.as_mut_ptr() as u64;
        }
    }
}

/// Length of the array of statuses; for those of Waitsome and Testsome that of the array of requests.
fn status_count(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words) -> usize {
    use trace_format::plan::Shape;
    let encoder = encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words);
    let lengths = info.plan.ins.iter().filter_map(|i| match i.shape {
        Shape::SlotAndArray { len, at_root, .. } => Some(encoder.length(len, at_root)),
        _ => None,
    });
    lengths.max().unwrap_or(1)
}

fn handle_at(abi: &Abi, kind: Kind, address: u64) -> Option<u64> {
    if address < abi.lowest_address {
        return None;
    }
    // SAFETY: the program passed the address of a handle of this kind.
    let handle = unsafe {
        match abi.handle_bytes(kind) {
            4 => u64::from((address as *const u32).read_unaligned()),
            _ => (address as *const u64).read_unaligned(),
        }
    };
    Some(handle)
}

#[cold]
fn before_call(info: &Info, abi: &'static Abi, words: &mut Words) {
    match info.watched {
        Watched::Finalize => lifecycle::before_finalize(abi),
        Watched::SessionFinalize => lifecycle::before_session_finalize(abi, words[0]),
        Watched::SetErrhandler => errors::before_set(words),
        Watched::FreeErrhandler => errors::before_free(abi, words),
        _ => {}
    }
}

#[cold]
fn after_call(info: &Info, abi: &'static Abi, words: &Words, entered: u64) {
    match info.watched {
        Watched::Init => lifecycle::world_begins(abi, entered),
        Watched::SessionInit => lifecycle::session_begins(abi, words),
        Watched::GetErrhandler => errors::after_get(abi, words),
        Watched::SetName => define::named(abi, info.row.id, words),
        Watched::GetContents => define::contents(abi, info.row, words),
        _ => {}
    }
}

/// Completes the record of a call that has returned.
#[inline(always)]
fn end(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words, open: &Open, result: i32) {
    let time = clock::now();
    let failed = result != 0 && info.row.ret == Kind::Code;
    if failed && open.repeats.is_some() {
        // The poll is not written down yet; its error must not come before it.
        let index = thread.stage.calls;
        record_late(thread, info, abi, words, open, time, abi.error_class(errors::class(result)), info.completes);
        return errors::returned(thread, info.row, abi, index, result);
    }
    if failed {
        if let Some(dying) = open.freed {
            handles::kept(dying);
        }
        // Does not return if the program's error handler ends the program.
        errors::returned(thread, info.row, abi, open.index, result);
    } else if let Some((_, code)) = thread.fatal {
        // The fatal handler was called although the call succeeds: MPI_Comm_call_errhandler.
        errors::returned(thread, info.row, abi, open.index, code);
    } else {
        for (param, kind) in &info.makes {
            if let Some(handle) = handle_at(abi, *kind, words.get(*param).copied().unwrap_or(0)) {
                define::object(abi, *kind, handle, info.row, words, open.entered);
            }
        }
        if let Some(dying) = open.freed {
            handles::freed(dying);
        }
        if info.watched != Watched::No {
            after_call(info, abi, words, open.entered);
        }
        if info.watched == Watched::Init {
            levels::learn(abi, thread, info.row.id);
        }
    }
    let class = if failed { abi.error_class(errors::class(result)) } else { 0 };
    let valid = !failed || info.completes;
    let negative = info.poll.is_some_and(|p| !failed && is_negative(abi, words.get(p).copied().unwrap_or(0)));
    if open.repeats.is_some() {
        if negative && thread.last_poll.is_some() {
            return count_poll(thread, time);
        }
        return record_late(thread, info, abi, words, open, time, class, valid);
    }
    if complete(thread, info, abi, words, open, time, class, valid) && negative {
        thread.last_poll =
            Some(LastPoll { lap: open.lap, offset: open.offset, func: info.row.id as u16, in_bytes: open.in_bytes });
    }
}

/// Writes down the return of a call: in its record, or else, and then the answer is false, as a record of its own.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn complete(
    thread: &mut Thread,
    info: &Info,
    abi: &'static Abi,
    words: &Words,
    open: &Open,
    time: u64,
    class: u16,
    valid: bool,
) -> bool {
    let Some(outs) = open.outs.filter(|_| open.lap == thread.stage.lap) else {
        write_return(thread, info, abi, words, open.index, time, class, valid);
        return false;
    };
    let at = thread.stage.at(outs);
    encoder(at, &mut thread.handles, info, abi, words).outs(valid);
    let duration = pack_duration(time.saturating_sub(open.entered), class);
    // SAFETY: word 2 of the record, which is in the current lap.
    unsafe { thread.stage.at(open.offset + 16).cast::<u64>().write(duration) };
    thread.stage.complete(open.offset);
    true
}

/// A call under way, so that its end is recorded if it is an exception of a callback of the program (an error handler in
/// C++ may throw) that passes through the library and this one. Forgotten when the call returns.
struct Unwinding<'a> {
    thread: *mut Thread,
    info: &'a Info,
    abi: &'static Abi,
    words: &'a Words,
    open: &'a Open,
}

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        let Unwinding { thread, info, abi, words, open } = *self;
        guarded(|| {
            // SAFETY: the pointer is this thread's own state, and the call was left, so that no reference to it is live.
            let thread = unsafe { &mut *thread };
            thread.depth -= 1;
            thread.fatal = None;
            open.freed.into_iter().for_each(handles::kept);
            let (time, class) = (clock::now(), UNKNOWN_ERROR_CLASS);
            if open.repeats.is_some() {
                record_late(thread, info, abi, words, open, time, class, false);
            } else {
                complete(thread, info, abi, words, open, time, class, false);
            }
            if thread.depth == 0 {
                levels::leave(thread);
            }
        });
    }
}

/// Did a poll find nothing? `address` is that of its flag or count.
#[inline(always)]
fn is_negative(abi: &Abi, address: u64) -> bool {
    // SAFETY: the library has written the flag at this address of the program's.
    address >= abi.lowest_address && unsafe { (address as *const i32).read_unaligned() } == 0
}

/// Counts another poll like the last one.
#[inline(always)]
fn count_poll(thread: &mut Thread, time: u64) {
    let Some(last) = thread.last_poll else { return };
    let words = thread.stage.at(last.offset).cast::<u64>();
    // SAFETY: the record is in the current lap: `repeats_last` held when the poll began, and polls make no records.
    unsafe {
        let count = words.add(3).cast::<u32>().add(1);
        count.write(count.read().saturating_add(1));
        let entered = words.add(1).read();
        words.add(2).write(pack_duration(time.saturating_sub(entered), 0));
    }
}

/// Records a call after it has returned: a poll that did find something.
#[allow(clippy::too_many_arguments)]
fn record_late(
    thread: &mut Thread,
    info: &Info,
    abi: &'static Abi,
    words: &Words,
    open: &Open,
    time: u64,
    class: u16,
    valid: bool,
) {
    let Some(last) = open.repeats else { return };
    let undisturbed = thread.stage.cursor == open.offset && thread.stage.lap == open.lap;
    if !thread.stage.reserve(info.max_record) {
        return;
    }
    let start = thread.stage.cursor;
    let mut in_bytes = open.in_bytes;
    if thread.stage.lap != last.lap {
        // Callbacks of this very poll have filled the stage: what is left of the values is what the call left.
        let at = thread.stage.at(start + CALL_HEADER_BYTES);
        let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
        encoder.ins();
        in_bytes = encoder.at as usize - at as usize;
    } else if !undisturbed {
        // A callback has made records over the values; the poll that this one repeats has the same.
        let (from, to) = (last.offset + CALL_HEADER_BYTES, start + CALL_HEADER_BYTES);
        // SAFETY: both lie in the current lap, and room was reserved.
        unsafe { std::ptr::copy_nonoverlapping(thread.stage.at(from), thread.stage.at(to), in_bytes) };
    }
    let site = open.site;
    write_header(&thread.stage, start, open.entered, site);
    let outs = start + CALL_HEADER_BYTES + in_bytes;
    let index = thread.stage.calls;
    thread.stage.calls += 1;
    thread.last_poll = None;
    if !info.plan.outs_sized {
        thread.stage.commit(outs, info.row.id as u16, State::Entered);
        return write_return(thread, info, abi, words, index, time, class, valid);
    }
    let at = thread.stage.at(outs);
    let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
    encoder.outs(valid);
    let end = outs + (encoder.at as usize - at as usize);
    let duration = pack_duration(time.saturating_sub(open.entered), class);
    // SAFETY: word 2 of the record being written.
    unsafe { thread.stage.at(start + 16).cast::<u64>().write(duration) };
    thread.stage.commit(end, info.row.id as u16, State::Returned);
}

/// Writes the return of a call as a record of its own.
#[allow(clippy::too_many_arguments)]
#[cold]
fn write_return(
    thread: &mut Thread,
    info: &Info,
    abi: &'static Abi,
    words: &Words,
    index: u64,
    time: u64,
    class: u16,
    valid: bool,
) {
    if !thread.stage.reserve(RETURN_HEADER_BYTES + 8 + max_bytes(&info.plan.outs)) {
        return;
    }
    let start = thread.stage.cursor;
    let header = thread.stage.at(start).cast::<u64>();
    // SAFETY: `reserve` made room for the header.
    unsafe {
        header.add(1).write(time);
        header.add(2).write(index);
        header.add(3).write(u64::from(class));
    }
    let outs = start + RETURN_HEADER_BYTES;
    let at = thread.stage.at(outs);
    let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
    encoder.outs(valid);
    let end = outs + (encoder.at as usize - at as usize);
    thread.last_poll = None;
    thread.stage.commit(end, info.row.id as u16, State::Return);
}
