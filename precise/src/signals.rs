//! The program's handlers of SIGSEGV, SIGTRAP and SIGSYS, which this library has in its own hands: what is not ours goes to them.

use crate::real::Next;
use crate::{backstop, handler, kernel, reach};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub(crate) static SIGACTION: Next = Next::new(c"sigaction");
pub(crate) static SIGMASK: Next = Next::new(c"pthread_sigmask");

/// The signals that are ours.
pub(crate) const OURS: [c_int; 3] = [libc::SIGSEGV, libc::SIGTRAP, libc::SIGSYS];

/// An action of the program, and a number that is odd while it changes.
struct Kept {
    changes: AtomicU32,
    action: UnsafeCell<MaybeUninit<libc::sigaction>>,
}

// SAFETY: read only while the number is even and stays what it is; one thread at a time writes.
unsafe impl Sync for Kept {}

static KEPT: [Kept; OURS.len()] =
    [const { Kept { changes: AtomicU32::new(0), action: UnsafeCell::new(MaybeUninit::zeroed()) } }; OURS.len()];
static INSTALLED: AtomicBool = AtomicBool::new(false);

pub(crate) type Sigaction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

pub(crate) fn real_sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    let found = SIGACTION.get();
    if found.is_null() {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type; the pointers are the caller's.
    unsafe { std::mem::transmute::<*mut c_void, Sigaction>(found)(signal, new, old) }
}

impl Kept {
    fn of(signal: c_int) -> Option<&'static Kept> {
        KEPT.get(OURS.iter().position(|ours| *ours == signal)?)
    }

    fn get(&self) -> libc::sigaction {
        loop {
            let before = self.changes.load(Ordering::Acquire);
            // SAFETY: all zero is a valid action; one that is being changed is read again.
            let action = unsafe { self.action.get().read_volatile().assume_init() };
            if before.is_multiple_of(2) && self.changes.load(Ordering::Acquire) == before {
                return action;
            }
        }
    }

    fn set(&self, action: &libc::sigaction) {
        let mut even = self.changes.load(Ordering::Relaxed) & !1;
        while let Err(now) = self.changes.compare_exchange(even, even + 1, Ordering::AcqRel, Ordering::Relaxed) {
            even = now & !1;
        }
        // SAFETY: nobody else has made the number odd.
        unsafe { self.action.get().write_volatile(MaybeUninit::new(*action)) };
        self.changes.store(even.wrapping_add(2), Ordering::Release);
    }
}

/// Takes the signals. The actions that are in force, of the program or of a library, are kept.
pub(crate) fn install() {
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    install_for_calls();
    take(libc::SIGSEGV);
}

/// Takes the signals of system calls that are handed over, and of the traps behind them. Whoever comes first does it.
pub(crate) fn install_for_calls() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        take(libc::SIGSYS);
        take(libc::SIGTRAP);
        CALLS_INSTALLED.store(true, Ordering::SeqCst);
    });
    unblock();
}

static CALLS_INSTALLED: AtomicBool = AtomicBool::new(false);

fn take(signal: c_int) {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    real_sigaction(signal, std::ptr::null(), before.as_mut_ptr());
    // SAFETY: all zero is a valid action, and the function has written it.
    let before = unsafe { before.assume_init() };
    if let Some(kept) = Kept::of(signal) {
        kept.set(&before);
    }
    let handler: kernel::Handler = if signal == libc::SIGSYS { backstop::on_signal } else { handler::on_signal };
    kernel::set_handler(signal, handler);
}

/// This thread takes our signals.
fn unblock() {
    // SAFETY: all zero is a valid set; the functions write into it alone.
    unsafe {
        let mut set: libc::sigset_t = MaybeUninit::zeroed().assume_init();
        OURS.iter().for_each(|signal| _ = libc::sigaddset(&mut set, *signal));
        let found = SIGMASK.get();
        if !found.is_null() {
            type Mask = unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
            std::mem::transmute::<*mut c_void, Mask>(found)(libc::SIG_UNBLOCK, &set, null_mut());
        }
    }
}

/// A thread that is in one of our handlers takes our signals when it goes on.
pub(crate) fn unblock_in(context: &mut libc::ucontext_t) {
    let ours = OURS.iter().fold(0, |bits, signal| bits | 1u64 << (signal - 1));
    // SAFETY: the kernel has written one word there.
    unsafe { *(&raw mut context.uc_sigmask).cast::<u64>() &= !ours };
}

/// Does what the system call `rt_sigprocmask` of a thread does that is in one of our handlers and goes on with the mask of
/// `context`: but our signals are never blocked. Its result.
pub(crate) fn set_mask(context: &mut libc::ucontext_t, arguments: [u64; 6]) -> i64 {
    let ([how, new, old, size, ..], mask) = (arguments, (&raw mut context.uc_sigmask).cast::<u64>());
    // SAFETY: the kernel has written one word there.
    let before = unsafe { *mask };
    let mut wanted = [0];
    if size != size_of::<u64>() as u64 {
        return -i64::from(libc::EINVAL);
    }
    if new != 0 && !reach::copy(new, &mut wanted) {
        return -i64::from(libc::EFAULT);
    }
    let [wanted] = wanted;
    let after = match how as c_int {
        _ if new == 0 => before,
        libc::SIG_BLOCK => before | wanted,
        libc::SIG_UNBLOCK => before & !wanted,
        libc::SIG_SETMASK => wanted,
        _ => return -i64::from(libc::EINVAL),
    };
    // SAFETY: as above.
    unsafe { *mask = after };
    unblock_in(context);
    if old != 0 && !reach::copy_to(old, [before]) { -i64::from(libc::EFAULT) } else { 0 }
}

/// The program sets or asks for an action of one of our signals. `None`: it is not ours (yet).
pub(crate) fn programs(signal: c_int, new: Option<&libc::sigaction>) -> Option<libc::sigaction> {
    let is_taken = if signal == libc::SIGSEGV { &INSTALLED } else { &CALLS_INSTALLED };
    let kept = Kept::of(signal).filter(|_| is_taken.load(Ordering::SeqCst))?;
    let old = kept.get();
    new.into_iter().for_each(|new| kept.set(new));
    Some(old)
}

/// Does what is done without this library.
///
/// # Safety
/// The arguments are those that the kernel has passed to a handler.
pub(crate) unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(kept) = Kept::of(signal) else { return };
    let action = kept.get();
    // SAFETY: by the contract.
    let is_sent = unsafe { (*info).si_code } <= 0;
    let is_ignored = action.sa_sigaction == libc::SIG_IGN && (is_sent || signal == libc::SIGTRAP);
    // Behind an instruction of breakpoints and behind a step the program would go on; a fault comes again by itself.
    let comes_again = signal == libc::SIGSEGV && !is_sent;
    match action.sa_sigaction {
        _ if is_ignored => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: all zero is the default action.
            let default: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
            real_sigaction(signal, &default, null_mut());
            if !comes_again {
                // SAFETY: the default action of both signals ends the process.
                unsafe { libc::raise(signal) };
            }
        }
        handler => {
            if action.sa_flags & libc::SA_RESETHAND != 0 {
                // SAFETY: as above.
                kept.set(&unsafe { MaybeUninit::zeroed().assume_init() });
            }
            // SAFETY: the program (or a library) has set this function as a handler of one of these two types.
            unsafe {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    type Long = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
                    std::mem::transmute::<usize, Long>(handler)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal);
                }
            }
        }
    }
}
