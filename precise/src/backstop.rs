//! System calls that nothing stands in front of: while memory is protected, the kernel hands over those that the program makes
//! outside of MPI instead of doing them (syscall user dispatch, Linux 5.11). What a call may access is opened, it is made by its
//! own instruction, and the trap behind it closes the memory again. Without such a kernel they fail on protected memory.
//!
//! Each thread switches its own calls. A thread that another one would switch might have all signals blocked, as the C library
//! has them for a moment when it starts threads and processes: that would end the process.

use crate::handler::{has_room, register, set_flag};
use crate::{budget, edges, kernel, pages, reach, records, signals, table, thread};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Numbers of `prctl`, and values of the byte by which the kernel is told (see its header `linux/prctl.h`).
const SET_DISPATCH: u64 = 59;
const ON: u64 = 1;
const ALLOW: u8 = 0;
const BLOCK: u8 = 1;
/// `si_code` of a call that was handed over.
const HANDED_OVER: c_int = 2;
/// Length of the instruction.
const SYSCALL: i64 = 2;
/// Price of a call that is stepped over, beside the handlers' own time: two signals, and a trap.
const UNSEEN_NS: u64 = 12_000;
/// Price of one that is made by the handler: a signal.
const UNSEEN_QUICK_NS: u64 = 2_000;

struct Own {
    /// The kernel looks here at each call of this thread.
    selector: AtomicU8,
    /// The kernel does look.
    is_set: Cell<bool>,
    /// A call is under way, made by its own instruction; where it goes on, and with which stack.
    is_calling: Cell<bool>,
    behind: Cell<i64>,
    stack_pointer: Cell<i64>,
    /// Memory is open for it.
    has_opened: Cell<bool>,
    /// Place in the list of threads of libraries, from 1 on.
    library: Cell<usize>,
    /// There was one: a trap may come of it, whatever has become of it.
    has_called: Cell<bool>,
}

thread_local! {
    // Constant and without a destructor, so that handlers may use it, and the kernel until the thread is gone.
    static OWN: Own = const {
        Own {
            selector: AtomicU8::new(ALLOW),
            is_set: Cell::new(false),
            is_calling: Cell::new(false),
            behind: Cell::new(0),
            stack_pointer: Cell::new(0),
            has_opened: Cell::new(false),
            library: Cell::new(0),
            has_called: Cell::new(false),
        }
    };
}

/// The kernel does this, as far as anybody knows.
static WORKS: AtomicBool = AtomicBool::new(true);

/// This thread is one of the program: its calls can be stopped from now on.
pub(crate) fn begins() {
    let Some(own) = records::own_range().filter(|_| WORKS.load(Ordering::Relaxed)) else { return };
    OWN.with(|state| {
        if state.is_set.get() {
            return;
        }
        let selector = (&raw const state.selector) as u64;
        // SAFETY: the byte lives as long as the thread does.
        let result =
            unsafe { kernel::call(libc::SYS_prctl, [SET_DISPATCH, ON, own.start, own.end - own.start, selector, 0]) };
        state.is_set.set(result == 0);
        if result != 0 {
            WORKS.store(false, Ordering::Relaxed);
        }
    });
}

const LIBRARIES: usize = 64;
/// Arguments of calls of the kernel that threads of libraries have under way, and one that stands for everything.
static UNDER_WAY: [[AtomicU64; 6]; LIBRARIES] = [const { [const { AtomicU64::new(0) }; 6] }; LIBRARIES];
static TAKEN: [AtomicBool; LIBRARIES] = [const { AtomicBool::new(false) }; LIBRARIES];
const EVERYTHING: u64 = u64::MAX;

/// This thread is one of a library: all its calls are handed over, so that nobody protects memory that the kernel is to access for
/// it. Its first call is this one: no signal is blocked that it needs.
pub(crate) fn begins_in_library() {
    signals::install_for_calls();
    begins();
    OWN.with(|own| {
        let free = TAKEN.iter().position(|taken| !taken.swap(true, Ordering::SeqCst));
        match free.filter(|_| own.is_set.get()) {
            Some(place) => {
                own.library.set(place + 1);
                own.selector.store(BLOCK, Ordering::Relaxed);
            }
            None => edges::end(),
        }
    });
}

/// It ends.
pub(crate) fn ends_in_library() {
    OWN.with(|own| {
        if let Some(place) = own.library.replace(0).checked_sub(1) {
            allow();
            publish(place, &[0; 6]);
            TAKEN.get(place).into_iter().for_each(|taken| taken.store(false, Ordering::SeqCst));
        }
    });
}

fn publish(place: usize, arguments: &[u64; 6]) {
    for (place, argument) in UNDER_WAY.get(place).into_iter().flatten().zip(arguments) {
        place.store(*argument, Ordering::SeqCst);
    }
}

/// Is a thread of a library in the kernel with an address on the page, or before it?
pub(crate) fn kernel_may_reach(page: u64) -> bool {
    let near = page.saturating_sub(reach::LONGEST)..page.saturating_add(pages::PAGE);
    UNDER_WAY
        .iter()
        .flatten()
        .map(|argument| argument.load(Ordering::SeqCst))
        .any(|a| a == EVERYTHING || near.contains(&a))
}

pub(crate) fn is_of_library() -> bool {
    OWN.with(|own| own.library.get() != 0)
}

/// Are the calls of this thread handed over while memory is protected?
pub(crate) fn is_set() -> bool {
    OWN.with(|own| own.is_set.get())
}

/// The thread enters MPI, whose calls concern edges alone.
pub(crate) fn enters() {
    if !table::has_edges() {
        allow();
    }
    forget_call();
}

/// The thread is inside of MPI, and memory is protected that may be the library's.
pub(crate) fn block_inside() {
    OWN.with(|own| {
        if own.is_set.get() && !own.is_calling.get() {
            restore(BLOCK);
        }
    });
}

/// Calls of this thread are handed over from now on, if it is the program that makes them, and memory is protected.
pub(crate) fn block() {
    OWN.with(|own| {
        let wants = || own.library.get() != 0 || table::has_edges() || table::is_any() && !thread::is_inside();
        if own.is_set.get() && !own.is_calling.get() && wants() {
            own.selector.store(BLOCK, Ordering::Relaxed);
        }
    });
}

/// They are made as usual. What they were before is for [`restore`].
pub(crate) fn allow() -> u8 {
    OWN.with(|own| own.selector.swap(ALLOW, Ordering::Relaxed))
}

pub(crate) fn restore(before: u8) {
    OWN.with(|own| own.selector.store(before, Ordering::Relaxed));
}

/// The thread enters or leaves MPI: a call that it was in has been jumped out of, or a handler has interrupted it.
pub(crate) fn forget_call() {
    OWN.with(|own| {
        if let Some(place) = own.library.get().checked_sub(1).filter(|_| own.is_calling.get()) {
            publish(place, &[0; 6]);
        }
        own.is_calling.set(false);
        if own.has_opened.replace(false) {
            table::end_opening();
        }
    });
}

/// A thread is about to make a copy of the process.
pub(crate) extern "C" fn before_fork() {
    allow();
}

pub(crate) extern "C" fn after_fork() {
    block();
}

/// In the copy, the kernel looks at no byte.
pub(crate) fn in_child() {
    OWN.with(|own| own.is_set.set(false));
    allow();
}

/// Calls of this thread are not handed over, as it has turned out.
pub(crate) fn do_without() {
    WORKS.store(false, Ordering::Relaxed);
    OWN.with(|own| own.is_set.set(false));
    edges::end();
}

/// Does the kernel hand calls over?
pub(crate) fn works() -> bool {
    WORKS.load(Ordering::Relaxed)
}

/// # Safety
/// The kernel calls it, for SIGSYS.
pub(crate) unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
    let (code, ucontext) = unsafe { ((*info).si_code, &mut *context.cast::<libc::ucontext_t>()) };
    if code != HANDED_OVER {
        // SAFETY: the arguments are the kernel's.
        return unsafe { signals::pass_on(signal, info, context) };
    }
    allow();
    // SAFETY: the address is that of this thread's own variable.
    let errno = unsafe { *libc::__errno_location() };
    let is_blocked_on = handed_over(ucontext);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    if is_blocked_on {
        restore(BLOCK);
    }
}

fn set(context: &mut libc::ucontext_t, number: c_int, value: i64) {
    if let Some(register) = context.uc_mcontext.gregs.get_mut(number as usize) {
        *register = value;
    }
}

/// Deals with a call. Are further ones to be handed over at once?
fn handed_over(context: &mut libc::ucontext_t) -> bool {
    let start = budget::now();
    let behind = register(context, libc::REG_RIP);
    let number = register(context, libc::REG_RAX);
    let registers = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9];
    let arguments = registers.map(|which| register(context, which) as u64);
    if number == libc::SYS_rt_sigreturn {
        // The frame of the handler that returns lies where the stack pointer is.
        set(context, libc::REG_RIP, kernel::return_from_handler() as i64);
        return true;
    }
    let of_library = OWN.with(|own| own.library.get().checked_sub(1));
    let is_of_interest = if thread::is_inside() { table::has_edges() } else { table::is_any() };
    if !is_of_interest && of_library.is_none() {
        set(context, libc::REG_RIP, behind - SYSCALL);
        return false;
    }
    if let Some(place) = of_library {
        if copies_or_ends(number) {
            edges::end();
            set(context, libc::REG_RIP, behind - SYSCALL);
            return false;
        }
        publish(place, if reach::is_understood(number) { &arguments } else { &[EVERYTHING; 6] });
    }
    if budget::is_over() || copies_or_ends(number) {
        thread::opens_until_mpi();
        table::within(0..u64::MAX).for_each(table::open);
        set(context, libc::REG_RIP, behind - SYSCALL);
        return false;
    }
    signals::unblock_in(context);
    let walks = has_room(context);
    let notes = !thread::is_inside();
    let mut has_opened = false;
    reach::each(number, &arguments, |entry, access| {
        if !std::mem::replace(&mut has_opened, true) {
            table::begin_opening();
        }
        if let Some((range, how)) = access.filter(|(range, _)| notes && !entry.part(range).is_empty()) {
            let part = entry.part(&range);
            let bytes = part.end.saturating_sub(part.start);
            let at = records::At { address: behind as u64, is_behind: true, is_beside: false, walks };
            records::by_instruction(entry.ticket(), (part.start, bytes), how, at);
        }
        table::open(entry);
    });
    let end = || {
        of_library.into_iter().for_each(|place| publish(place, &[0; 6]));
    };
    if number == libc::SYS_rt_sigprocmask {
        end();
        let result = signals::set_mask(context, arguments);
        set(context, libc::REG_RAX, result);
        if has_opened {
            table::end_opening();
        }
        return true;
    }
    if !has_opened && is_quick(number, &arguments) {
        // SAFETY: the program makes this call with these arguments; it neither waits nor needs the thread's own stack.
        let result = unsafe { kernel::call(number, arguments) };
        set(context, libc::REG_RAX, result);
        end();
        budget::spend_time(start, UNSEEN_QUICK_NS);
        return true;
    }
    // The call is made by its own instruction.
    set(context, libc::REG_RIP, behind - SYSCALL);
    OWN.with(|own| {
        if own.has_opened.replace(has_opened) {
            table::end_opening();
        }
        own.is_calling.set(true);
        own.behind.set(behind);
        own.stack_pointer.set(register(context, libc::REG_RSP));
        own.has_called.set(true);
    });
    set_flag(context, true);
    budget::spend_time(start, UNSEEN_NS);
    false
}

/// The thread has come to the trap behind an instruction. May it be one behind a call? A call in which a handler of the program is
/// running is not over: that one has a stack pointer of its own.
pub(crate) fn end_call(at: i64, stack_pointer: i64) -> bool {
    OWN.with(|own| {
        let is_near = |a: i64, b: &Cell<i64>, most: u64| a.abs_diff(b.get()) < most;
        if own.is_calling.get() && (is_near(at, &own.behind, 16) || is_near(stack_pointer, &own.stack_pointer, 128)) {
            forget_call();
        }
        own.has_called.get()
    })
}

/// May the handler make the call? It does not wait, since a handler of the program that interrupted it would find a strange stack.
fn is_quick(number: i64, arguments: &[u64; 6]) -> bool {
    const COMMAND: u64 = 0x7f;
    let [_, command, ..] = arguments;
    match number {
        libc::SYS_futex => matches!((command & COMMAND) as c_int, libc::FUTEX_WAKE | libc::FUTEX_WAKE_OP),
        libc::SYS_sched_yield | libc::SYS_getpid | libc::SYS_gettid | libc::SYS_getppid | libc::SYS_getcpu => true,
        libc::SYS_clock_gettime | libc::SYS_getrusage | libc::SYS_times | libc::SYS_lseek | libc::SYS_fstat => true,
        libc::SYS_mmap | libc::SYS_mprotect | libc::SYS_madvise | libc::SYS_brk => true,
        _ => false,
    }
}

/// Does a call make a copy of the thread or of the process, or end one of them? Then it cannot be stepped over.
fn copies_or_ends(number: i64) -> bool {
    matches!(
        number,
        libc::SYS_clone
            | libc::SYS_clone3
            | libc::SYS_fork
            | libc::SYS_vfork
            | libc::SYS_execve
            | libc::SYS_execveat
            | libc::SYS_exit
            | libc::SYS_exit_group
    )
}
