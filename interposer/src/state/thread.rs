//! The state of one thread of the program: its stage, its memory of call sites and handles. Threads reuse the states of ended
//! threads have left.

use crate::call::call_cache::CallCache;
use crate::call::mode;
use crate::call::sites;
use crate::debuggers::queues::Queued;
use crate::job::config;
use crate::mpi::abi::BlankStatus;
use crate::mpi::handles;
use crate::pending::{shards::Part, spare::Spare};
use crate::state::asked_time::AskedTime;
use crate::state::call_requests::CallRequests;
use crate::state::open_calls::{Fatal, InRoutine, OpenCall, OpenCalls};
use crate::state::queued;
use crate::state::recording::{self, Unwritten};
use crate::state::slow_path::MAIN_THREAD;
use crate::state::user_threads::OneStack;
use recorder::slow_path::Reason;
use recorder::spare_stack::SpareStack;
use recorder::stage::Stage;
use recorder::threads::{self, Beginning};
use recorder::{log, mappings, owner, stop, tls, trace};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use trace_format::definition::Definition;
use trace_format::record::MAX_INLINE_BYTES;
use trace_format::system::Checksum;
use trace_format::writer;

/// Fields that every call touches come first.
#[repr(C)]
pub(crate) struct Thread {
    /// MPI calls of this thread that have not returned, of which not all are recorded.
    pub(crate) depth: usize,
    /// The stack pointer of the call that this library is at work for, outside of the MPI library; 0: none. See
    /// [`crate::state::interrupted`].
    pub(crate) at_work: AtomicU64,
    /// The recorded calls that the library is in.
    pub(crate) open_calls: OpenCalls,
    /// Matters that do not concern its calls: [`MAIN_THREAD`] if it has started MPI.
    pub(crate) no_concern: Reason,
    /// Something stands behind the record of the call that must be read before its return.
    pub(crate) return_apart: bool,
    /// The stage ends with the mark that recording has ended.
    marked_lost: bool,
    /// An error whose handler would have ended the program.
    pub(crate) fatal: Option<Fatal>,
    /// The last record, if it is a poll with a negative answer that may be repeated.
    pub(crate) last_poll: Option<LastPoll>,
    /// The last record, if it is a call that asks for the time.
    pub(crate) asked_time: Option<AskedTime>,
    /// The call under way, if it is a poll that repeats the last record and nothing has been written since.
    pub(crate) unwritten: Option<Unwritten>,
    pub(crate) sites: sites::Cache,
    pub(crate) call_cache: CallCache,
    /// A status of our own for an outermost call whose program ignores it.
    pub(crate) status: Box<BlankStatus>,
    /// The statuses of all other calls, by depth.
    pub(crate) statuses: Vec<Vec<u32>>,
    /// The requests that completion calls were given, by depth.
    pub(crate) call_requests: Vec<CallRequests>,
    /// The entries for debuggers of the calls that have not returned, by depth.
    pub(crate) queued: Vec<Queued>,
    pub(crate) stage: Stage,
    /// The operations that it begins.
    pub(crate) part: Part,
    pub(crate) spare: Spare,
    pub(crate) mappings: mappings::Cache,
    pub(crate) handles: handles::Cache,
    /// The Fortran routine that this thread is in, if it is one of those that are wrapped.
    pub(crate) in_routine: Option<InRoutine>,
    /// The call whose error the program's own handler was called with, and which is recorded.
    pub(crate) told: Option<u64>,
    /// That error with its class and text, as long as it was not printed.
    pub(crate) untold: Option<(OpenCall, u16, String)>,
    /// Sums of what blocking calls send, by the index of the call.
    pub(crate) sent: Vec<(u64, Vec<Checksum>)>,
    /// Wildcard calls that it has made, in a run that replays a witness.
    pub(crate) wildcards: u64,
    /// Where calls under way were found to be on the same stack.
    pub(crate) one_stack: OneStack,
    spare_stack: SpareStack,
}

/// A poll that a later one may equal.
#[derive(Clone, Copy)]
pub(crate) struct LastPoll {
    pub(crate) lap: u64,
    pub(crate) offset: usize,
    pub(crate) func: u16,
    /// Bytes of the values at the call.
    pub(crate) in_bytes: usize,
}

/// Bytes that most definitions fit in.
const USUAL_DEFINITION: usize = 128;

static STACK_DEPTH: AtomicU32 = AtomicU32::new(8);
/// Is told the number of each thread that ends: it may be given to another one.
static AT_END: OnceLock<fn(u16)> = OnceLock::new();
/// Key whose destructor runs when a thread ends.
static KEY: AtomicU32 = AtomicU32::new(u32::MAX);

/// Prepares for threads; called once. `at_end` is told the number of each thread that ends.
pub(crate) fn prepare(config: &config::Config, at_end: fn(u16)) {
    _ = AT_END.set(at_end);
    STACK_DEPTH.store(config.stack_depth as u32, Ordering::Relaxed);
    let mut key = 0;
    // SAFETY: `key` is a valid place; the destructor has the right type.
    if unsafe { libc::pthread_key_create(&mut key, Some(ended)) } == 0 {
        KEY.store(key, Ordering::Relaxed);
    }
}

unsafe extern "C" fn ended(thread: *mut c_void) {
    mode::guarded(|| end(thread.cast()));
}

fn end(thread: *mut Thread) {
    tls::set(0);
    // The stages of a forked child are those of its parent.
    if !owner::is_this() || stop::has_a_thread_left() {
        return;
    }
    // SAFETY: the value is the pointer that `current` set for this thread.
    let state = unsafe { &mut *thread };
    if crate::state::interrupted::has_left(state) {
        return;
    }
    // It may have been cancelled in a call.
    crate::state::levels::leave(state);
    state.depth = 0;
    state.open_calls.truncate(0);
    queued::abandoned(state);
    recording::commit_poll(state);
    state.stage.empty();
    state.stage.abandon();
    state.last_poll = None;
    state.spare_stack.withdraw();
    if let Some(ended) = AT_END.get() {
        ended(state.number());
    }
    threads::end(thread as usize);
}

/// The state of the thread that has this, which is never sent to another one. Between two steps of ours the library and the
/// program run, and may come back here on the same thread: the state is lent for one step at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadPtr(*mut Thread);

impl ThreadPtr {
    /// Does one step with the state. A step calls nothing that leads to the program: of the library it calls only local functions
    /// that call nothing back.
    #[inline(always)]
    pub(crate) fn with<T>(self, step: impl FnOnce(&mut Thread) -> T) -> T {
        // SAFETY: the state lives for ever, and its own thread alone has this pointer, which was in its word. Every reference to
        // the state is lent here for a step, and no step leads to a second one. A signal handler of the program that calls MPI
        // amid a step looks at `at_work`, which is atomic, and touches nothing else then.
        step(unsafe { &mut *self.0 })
    }

    /// Is this the state of the thread that asks? It is not where user-level threads have moved a call.
    #[inline(always)]
    pub(crate) fn is_here(self) -> bool {
        tls::get() == self.0 as usize
    }

    /// The number of the thread's stage, which never changes.
    pub(crate) fn number(self) -> u16 {
        // SAFETY: as in `with`; the field is not written as long as the thread lives.
        unsafe { (*self.0).stage.thread }
    }
}

/// The state of this thread, made at its first call; `None` if it cannot be recorded.
#[inline(always)]
pub(crate) fn current() -> Option<ThreadPtr> {
    match tls::get() {
        0 => first_call(),
        p => Some(ThreadPtr(p as *mut Thread)),
    }
}

/// The state of this thread if it has one. Safe in a signal handler.
pub(crate) fn existing() -> Option<ThreadPtr> {
    match tls::get() {
        0 => None,
        p => Some(ThreadPtr(p as *mut Thread)),
    }
}

#[cold]
#[inline(never)]
fn first_call() -> Option<ThreadPtr> {
    let trace = trace::get()?;
    if trace::is_lost() {
        return None;
    }
    let Some(beginning) = threads::begin() else {
        trace::lost(&format!("more than {} threads call MPI at once", threads::MOST));
        return None;
    };
    let pointer = match beginning {
        Beginning::State(state) => {
            let thread = state as *mut Thread;
            // SAFETY: the state of an ended thread belongs to nobody; what it knew of that thread's stack is void.
            unsafe {
                (*thread).sites = new_sites((*thread).stage.thread);
                (*thread).call_cache.forget_stacks();
                (*thread).depth = 0;
                (*thread).at_work.store(0, Ordering::Relaxed);
                (*thread).in_routine = None;
                (*thread).no_concern = Reason::NONE;
                (*thread).asked_time = None;
                (*thread).stage.set_owner();
                (*thread).fatal = None;
                (*thread).open_calls.truncate(0);
                (*thread).one_stack = OneStack::default();
                (*thread).told = None;
                (*thread).untold = None;
                queued::abandoned(&mut *thread);
            }
            thread
        }
        Beginning::Number(number) => {
            let stage = match Stage::create(trace, number) {
                Ok(stage) => stage,
                Err(e) => {
                    trace::lost(&format!("cannot make a stage in {}: {e}", trace.dir.display()));
                    return None;
                }
            };
            make(stage)
        }
    };
    // SAFETY: the state belongs to this thread, and no other reference to it is live.
    unsafe { (*pointer).spare_stack.provide() };
    let key = KEY.load(Ordering::Relaxed);
    // SAFETY: the key exists; its value is given back by the destructor.
    if key != u32::MAX && unsafe { libc::pthread_setspecific(key, pointer.cast()) } != 0 {
        log::line("cannot watch the end of a thread");
    }
    tls::set(pointer as usize);
    Some(ThreadPtr(pointer))
}

fn new_sites(thread: u16) -> sites::Cache {
    sites::Cache::new(thread, STACK_DEPTH.load(Ordering::Relaxed) as usize)
}

/// Makes the state of a thread in its place on the heap: it is large, and the stack of a thread may be small.
#[inline(never)]
fn make(stage: Stage) -> *mut Thread {
    let place = Box::into_raw(Box::<Thread>::new_uninit()).cast::<Thread>();
    // One field after the other: a whole value would be put together on the stack.
    macro_rules! write {
        ($($field:ident: $value:expr,)*) => {{
            $(
                // SAFETY: the place is that of a `Thread`, and nobody else knows it.
                unsafe { (&raw mut (*place).$field).write($value) };
            )*
            // The compiler says if one is missing.
            let _ = |t: Thread| { let Thread { $($field: _,)* } = t; };
        }};
    }
    write! {
        call_cache: CallCache::new(stage.thread),
        part: Part::of(stage.thread),
        sites: new_sites(stage.thread),
        stage: stage,
        handles: handles::Cache::new(),
        mappings: mappings::Cache::new(),
        depth: 0,
        in_routine: None,
        no_concern: Reason::NONE,
        fatal: None,
        open_calls: OpenCalls::default(),
        told: None,
        untold: None,
        marked_lost: false,
        last_poll: None,
        asked_time: None,
        unwritten: None,
        call_requests: Vec::new(),
        spare: Spare::new(),
        queued: Vec::new(),
        sent: Vec::new(),
        return_apart: false,
        status: Box::default(),
        statuses: Vec::new(),
        wildcards: 0,
        one_stack: OneStack::default(),
        spare_stack: SpareStack::default(),
        at_work: AtomicU64::new(0),
    }
    place
}

impl Thread {
    pub(crate) fn number(&self) -> u16 {
        self.stage.thread
    }

    /// Has it started MPI?
    pub(crate) fn is_main(&self) -> bool {
        self.no_concern == MAIN_THREAD
    }

    /// Recording has ended: the last record says so, once.
    #[cold]
    pub(crate) fn mark_lost(&mut self) {
        if std::mem::replace(&mut self.marked_lost, true) {
            return;
        }
        let mut reason = trace::loss();
        while reason.len() > 400 {
            reason.pop();
        }
        let mut bytes = Vec::new();
        let event = trace_format::system::SystemEvent::Lost { reason };
        writer::encode_system(&event, recorder::clock::now(), &mut bytes);
        self.last_poll = None;
        self.stage.append_last(&bytes);
    }

    /// Defines an object that the call at hand has made, in front of its return. In the stage: to write each to the file takes
    /// three system calls.
    pub(crate) fn define(&mut self, definition: Definition) {
        let Some(trace) = trace::get() else { return };
        if trace.has_segments() || !self.define_in_stage(&definition) {
            return trace.define(&[definition]);
        }
        self.return_apart = true;
    }

    /// False if it is too long, or there is no room.
    fn define_in_stage(&mut self, definition: &Definition) -> bool {
        let mut bytes = Vec::with_capacity(USUAL_DEFINITION);
        let is_encoded = writer::encode_definition(definition, recorder::clock::now(), &mut bytes).is_ok();
        is_encoded && bytes.len() <= MAX_INLINE_BYTES && self.append(&bytes)
    }

    /// Writes a system record.
    pub(crate) fn system(&mut self, event: &trace_format::system::SystemEvent) {
        let mut bytes = Vec::new();
        writer::encode_system(event, recorder::clock::now(), &mut bytes);
        self.append(&bytes);
    }

    /// Writes a record that is no call, behind a poll that is not written yet. False if there is no room for it.
    fn append(&mut self, record: &[u8]) -> bool {
        recording::commit_poll(self);
        let is_there = self.stage.append(record);
        if is_there {
            self.last_poll = None;
        }
        is_there
    }
}
