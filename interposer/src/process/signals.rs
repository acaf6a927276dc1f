//! Signals that end the process: written down, then the default or the program's own action follows unchanged.
//! Nothing in here allocates or locks.

use crate::job::launch;
use crate::mpi::origin::{self, Origin};
use crate::process::{agent, callers};
use crate::state::thread;
use crate::state::{in_handler, interrupted};
use crate::watch::report;
use recorder::{clock, owner, trace};
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use trace_format::record::{Commit, SYSTEM_HEADER_BYTES, State, SystemKind};

/// The place of the program counter among the registers.
const PC: usize = libc::REG_RIP as usize;

/// The signals that are watched, with their names.
const WATCHED: [(c_int, &str); 7] = [
    (libc::SIGFPE, "SIGFPE (erroneous arithmetic operation)"),
    (libc::SIGSEGV, "SIGSEGV (invalid memory access)"),
    (libc::SIGBUS, "SIGBUS (invalid memory access)"),
    (libc::SIGILL, "SIGILL (illegal instruction)"),
    (libc::SIGABRT, "SIGABRT (abort)"),
    (libc::SIGTERM, "SIGTERM (request to end)"),
    (libc::SIGINT, "SIGINT (interrupt)"),
];

/// Does the signal come from outside? Launchers send it to all ranks when one of them has ended, so that nothing is said
/// of it but in the report.
fn is_from_outside(signal: c_int) -> bool {
    matches!(signal, libc::SIGTERM | libc::SIGINT)
}

/// Actions that were in force before ours.
struct Before(UnsafeCell<[MaybeUninit<libc::sigaction>; WATCHED.len()]>);
// SAFETY: written once by `install` before the handlers can run, read only afterwards.
unsafe impl Sync for Before {}
static BEFORE: Before = Before(UnsafeCell::new([const { MaybeUninit::uninit() }; WATCHED.len()]));

/// Bit `i`: the old action of `WATCHED[i]` is a handler of the MPI library, which prints something and dies.
static LIBRARY_HANDLERS: AtomicU64 = AtomicU64::new(0);
/// Bit `i`: the program's one-time handler of `WATCHED[i]` has run.
static RESET: AtomicU64 = AtomicU64::new(0);
/// How often each signal went to a handler of the program.
static HANDLED: [AtomicU64; WATCHED.len()] = [const { AtomicU64::new(0) }; WATCHED.len()];
/// So many of each are written down, of those that follow every one whose number is a power of two: programs may live on
/// signals, and the trace must not grow with them.
const ALL_UP_TO: u64 = 16;
thread_local! {
    /// The signal that a handler of the program is being called for, if it was not written down: what the handler does may
    /// be the end of the process. No destructor, so that nothing is allocated for it.
    static UNWRITTEN: Cell<Option<Delivered>> = const { Cell::new(None) };
}
static INSTALLED: AtomicBool = AtomicBool::new(false);
/// `mpivet run` follows, and tells of the signal with its source line.
static UNDER_RUN: AtomicBool = AtomicBool::new(false);
/// The processes that have started this one: the launcher, and scripts between.
static ANCESTORS: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];

/// Watches the signals. Called once MPI is initialized: libraries install handlers of their own during that.
pub(crate) fn install(under_run: bool) {
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    UNDER_RUN.store(under_run, Ordering::SeqCst);
    ANCESTORS.iter().zip(launch::ancestors()).for_each(|(place, pid)| place.store(pid, Ordering::Relaxed));
    callers::learn();
    for (i, (signal, _)) in WATCHED.iter().enumerate() {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: an all-zero sigaction is valid; the old action goes to this signal's own place, before the new
        // one can use it.
        unsafe {
            let place = (*BEFORE.0.get()).as_mut_ptr().add(i);
            libc::sigaction(*signal, std::ptr::null(), (*place).as_mut_ptr());
            let before = (*place).assume_init_ref();
            // A process that ignores it (nohup) and its children go on ignoring it.
            if before.sa_sigaction == libc::SIG_IGN && is_from_outside(*signal) {
                continue;
            }
            if is_library_handler(before.sa_sigaction) {
                LIBRARY_HANDLERS.fetch_or(1 << i, Ordering::SeqCst);
            }
            let action = action.assume_init_mut();
            action.sa_sigaction = on_signal as *const () as usize;
            // A handler of the program runs as it would by itself: on the stack, with the signals blocked and with the
            // system calls restarted that it asked for. SA_RESETHAND is done by `on_signal`.
            const KEPT: c_int = libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
            action.sa_flags = libc::SA_SIGINFO
                | match before.sa_sigaction {
                    // On the thread's stack for signals: its own may be what is full.
                    libc::SIG_DFL | libc::SIG_IGN => libc::SA_ONSTACK,
                    handler if is_library_handler(handler) => libc::SA_ONSTACK | before.sa_flags & KEPT,
                    _ => before.sa_flags & KEPT,
                };
            action.sa_mask = before.sa_mask;
            libc::sigaction(*signal, action, std::ptr::null_mut());
            libc::sigaction(*signal, std::ptr::null(), action);
            if let Some(restorer) = action.sa_restorer {
                in_handler::learn(restorer as *const () as u64);
            }
        }
    }
}

fn is_library_handler(handler: usize) -> bool {
    origin::of_address(handler as u64) == Origin::Internal
}

/// Does the instruction that the signal interrupted raise it again when the handler returns? What the terminal or the
/// kernel sends by itself (SI_KERNEL, an asynchronous memory error) does not come again.
fn is_fault(signal: c_int, code: c_int) -> bool {
    /// `BUS_MCEERR_AO`
    const ASYNCHRONOUS: c_int = 5;
    code > 0
        && matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL)
        && !(signal == libc::SIGBUS && code == ASYNCHRONOUS)
}

/// The handler that the program, or a library, had for a signal.
enum Handler {
    None,
    /// Installed without SA_SIGINFO.
    Short(Short),
    /// Installed with SA_SIGINFO.
    Long(Long),
}

type Short = extern "C" fn(c_int);
type Long = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Its own frame lies below the program's handler, on an alternate stack that may be small: what it has to do is in a function
/// that has returned by then.
unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
    match unsafe { note(signal, info, context) } {
        Handler::None => {}
        Handler::Short(handler) => {
            handler(signal);
            after_handler(signal);
        }
        Handler::Long(handler) => {
            handler(signal, info, context);
            after_handler(signal);
        }
    }
}

/// Records a signal. If nobody handles it, what is done by default follows.
///
/// # Safety
/// The pointers are those that the kernel passes to a handler with SA_SIGINFO.
#[inline(never)]
unsafe fn note(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) -> Handler {
    let Some(index) = WATCHED.iter().position(|(s, _)| *s == signal) else { return Handler::None };
    // SAFETY: by the contract; `install` has stored the old action.
    let (before, code, address, pc) = unsafe {
        let before = (*BEFORE.0.get()).as_ptr().add(index);
        let pc = (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[PC];
        ((*before).assume_init_ref(), (*info).si_code, (*info).si_addr() as u64, pc as u64)
    };
    // SAFETY: the address is that of this thread's own variable.
    let errno = unsafe { *libc::__errno_location() };
    let of_library = LIBRARY_HANDLERS.load(Ordering::SeqCst) >> index & 1 != 0;
    // The program's handler was for one time, and that is over.
    let is_spent = before.sa_flags & libc::SA_RESETHAND != 0
        && !matches!(before.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
        && RESET.fetch_or(1 << index, Ordering::SeqCst) >> index & 1 != 0;
    let is_last = match before.sa_sigaction {
        libc::SIG_DFL => true,
        // A fault cannot be ignored: the kernel ends the process all the same.
        libc::SIG_IGN => is_fault(signal, code),
        _ => of_library || is_spent,
    };
    // A forked child is none of the ranks.
    let recorder = owner::is_this();
    if recorder {
        // SAFETY: the kernel passes a valid context.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        let time = clock::now();
        let delivered = Delivered { time, signal, code, address, pc, is_last, caller: callers::find(signal, context) };
        if is_last {
            write_unwritten();
        }
        if is_last || is_to_be_written(index) {
            record(&delivered);
            if is_last {
                agent::flush();
            }
        } else {
            UNWRITTEN.set(Some(delivered));
        }
    }
    // Under `mpivet run` the report of the same moment has the line.
    if is_last && recorder && !is_from_outside(signal) && !UNDER_RUN.load(Ordering::SeqCst) {
        report::signal(WATCHED.get(index).map_or("a signal", |w| w.1), pc);
    }
    // SAFETY: as above. The interrupted code, and the program's handler, find it as it was.
    unsafe { *libc::__errno_location() = errno };
    match before.sa_sigaction {
        libc::SIG_IGN if is_last => reset(signal),
        libc::SIG_IGN => {}
        libc::SIG_DFL => {
            // SAFETY: restores the default action. A fault happens again at once when the handler returns; others
            // are raised again.
            unsafe {
                libc::sigaction(signal, before, std::ptr::null_mut());
                if !is_fault(signal, code) {
                    libc::raise(signal);
                }
            }
        }
        _ if is_spent => {
            reset(signal);
            // SAFETY: the default action follows.
            unsafe { libc::raise(signal) };
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the program (or a library) installed this function with SA_SIGINFO.
            return Handler::Long(unsafe { std::mem::transmute::<usize, Long>(handler) });
        }
        handler => {
            // SAFETY: the program (or a library) installed this function without SA_SIGINFO.
            return Handler::Short(unsafe { std::mem::transmute::<usize, Short>(handler) });
        }
    }
    Handler::None
}

/// Is this one of the signals that go to a handler of the program and are written down?
fn is_to_be_written(index: usize) -> bool {
    let number = HANDLED.get(index).map_or(1, |n| n.fetch_add(1, Ordering::Relaxed).saturating_add(1));
    number <= ALL_UP_TO || number.is_power_of_two()
}

/// A handler of the program has returned. If it has set another action for its signal, the default one perhaps, this was
/// the last that is seen of it.
#[inline(never)]
fn after_handler(signal: c_int) {
    let Some(delivered) = UNWRITTEN.take() else { return };
    // SAFETY: only asks for the action; errno is this thread's own, and stays as the handler has left it.
    unsafe {
        let errno = *libc::__errno_location();
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        if action.assume_init_ref().sa_sigaction != on_signal as *const () as usize {
            record(&delivered);
        }
        *libc::__errno_location() = errno;
    }
}

/// The process is about to end. If a handler of the program does that, the signal that it was called for is written down.
pub(crate) fn write_unwritten() {
    // Handlers may have been left by longjmp(3).
    if let Some(delivered) = UNWRITTEN.take()
        && in_handler::in_handler()
    {
        record(&delivered);
    }
}

/// Restores the default action.
fn reset(signal: c_int) {
    // SAFETY: an all-zero sigaction is the default action.
    unsafe { libc::sigaction(signal, &std::mem::zeroed(), std::ptr::null_mut()) };
}

/// A signal that has come.
#[derive(Clone, Copy)]
struct Delivered {
    /// When, in ticks.
    time: u64,
    signal: c_int,
    code: c_int,
    address: u64,
    pc: u64,
    /// The action of the library or the default one follows: the process ends.
    is_last: bool,
    caller: u64,
}

fn record(delivered: &Delivered) {
    const BYTES: usize = SYSTEM_HEADER_BYTES + 40;
    let &Delivered { time, signal, code, address, pc, is_last, caller } = delivered;
    let sender = address as u32;
    let by_launcher = code <= 0 && ANCESTORS.iter().any(|a| sender != 0 && a.load(Ordering::Relaxed) == sender);
    let thread = thread::existing().map_or(u16::MAX, |t| t.number());
    let words = (BYTES / 8) as u16;
    let commit = Commit { func: SystemKind::Signal as u16, state: State::System as u8, words, lap: 0 };
    let mut bytes = [0u8; BYTES];
    let mut put = |at: usize, value: &[u8]| {
        if let Some(place) = bytes.get_mut(at..at + value.len()) {
            place.copy_from_slice(value);
        }
    };
    put(0, &commit.pack().to_le_bytes());
    put(8, &time.to_le_bytes());
    put(16, &signal.to_le_bytes());
    put(20, &code.to_le_bytes());
    put(24, &pc.to_le_bytes());
    put(32, &address.to_le_bytes());
    put(40, &caller.to_le_bytes());
    put(48, &u32::from(thread).to_le_bytes());
    put(52, &(u32::from(is_last) | u32::from(by_launcher) << 1).to_le_bytes());
    trace::process_event(&bytes);
}

/// Writes down that the process ends by exit(3).
pub(crate) fn record_exit(status: c_int) {
    write_unwritten();
    if interrupted::is_exit_forgotten() {
        return;
    }
    let commit = Commit { func: SystemKind::Exit as u16, state: State::System as u8, words: 3, lap: 0 };
    let mut bytes = [0u8; SYSTEM_HEADER_BYTES + 8];
    let mut put = |at: usize, value: &[u8]| {
        if let Some(place) = bytes.get_mut(at..at + value.len()) {
            place.copy_from_slice(value);
        }
    };
    put(0, &commit.pack().to_le_bytes());
    put(8, &clock::now().to_le_bytes());
    put(16, &status.to_le_bytes());
    trace::process_event(&bytes);
}
