//! Actions and masks of signals: SIGSEGV, SIGTRAP and SIGSYS stay this library's, and are never blocked, as far as the program does
//! not see a difference.

use crate::place;
use crate::real::Next;
use crate::signals::{self, OURS, SIGMASK, real_sigaction};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU8, Ordering};

const SIGNALS: usize = 65;
/// Bits of our signals in the masks of the program's actions.
static MASKS: [AtomicU8; SIGNALS] = [const { AtomicU8::new(0) }; SIGNALS];

thread_local! {
    /// Bits of our signals that the program has blocked, as it thinks.
    static BLOCKED: Cell<u8> = const { Cell::new(0) };
}

/// Takes our signals out of a set.
fn take(set: &mut libc::sigset_t) -> u8 {
    let mut bits = 0;
    for (bit, signal) in OURS.iter().enumerate() {
        // SAFETY: plain functions on a set.
        unsafe {
            bits |= u8::from(libc::sigismember(set, *signal) == 1) << bit;
            libc::sigdelset(set, *signal);
        }
    }
    bits
}

fn give(set: &mut libc::sigset_t, bits: u8) {
    for (bit, signal) in OURS.iter().enumerate() {
        // SAFETY: plain functions on a set.
        unsafe {
            if bits >> bit & 1 != 0 {
                libc::sigaddset(set, *signal)
            } else {
                libc::sigdelset(set, *signal)
            };
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    // SAFETY: the caller's pointers, or null.
    let asked = unsafe { new.as_ref() };
    if let Some(before) = signals::programs(signal, asked) {
        if !old.is_null() {
            // SAFETY: as above.
            unsafe { old.write(before) };
        }
        return 0;
    }
    let place = usize::try_from(signal).ok().and_then(|signal| MASKS.get(signal));
    let mut changed = asked.copied();
    let bits = changed.as_mut().map(|action| take(&mut action.sa_mask));
    let given = changed.as_ref().map_or(std::ptr::null(), |action| action as *const libc::sigaction);
    let result = real_sigaction(signal, given, old);
    if let (0, Some(place)) = (result, place) {
        let before = match bits {
            Some(bits) => place.swap(bits, Ordering::SeqCst),
            None => place.load(Ordering::SeqCst),
        };
        // SAFETY: as above.
        if let Some(old) = unsafe { old.as_mut() } {
            give(&mut old.sa_mask, before);
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn signal(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    static NEXT: Next = Next::new(c"signal");
    if !OURS.contains(&number) {
        // SAFETY: the function of this name has this type.
        return unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, libc::sighandler_t) -> libc::sighandler_t>(
                NEXT.get(),
            )(number, handler)
        };
    }
    // SAFETY: all zero is a valid action; both are this function's own.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        (action.sa_sigaction, action.sa_flags) = (handler, libc::SA_RESTART);
        let mut old: libc::sigaction = MaybeUninit::zeroed().assume_init();
        if sigaction(number, &action, &mut old) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_sigmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    type Mask = unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
    // SAFETY: the caller's pointers, or null; the function of this name has this type.
    unsafe {
        let mut changed = new.as_ref().copied();
        let bits = changed.as_mut().map(take);
        let given = changed.as_ref().map_or(std::ptr::null(), |set| set as *const libc::sigset_t);
        let result = std::mem::transmute::<*mut c_void, Mask>(SIGMASK.get())(how, given, old);
        if result != 0 {
            return result;
        }
        let before = BLOCKED.get();
        match (how, bits) {
            (libc::SIG_BLOCK, Some(bits)) => BLOCKED.set(before | bits),
            (libc::SIG_UNBLOCK, Some(bits)) => BLOCKED.set(before & !bits),
            (libc::SIG_SETMASK, Some(bits)) => BLOCKED.set(bits),
            _ => {}
        }
        if let Some(old) = old.as_mut() {
            give(old, before);
        }
        0
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigprocmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    // SAFETY: the caller's pointers.
    match unsafe { pthread_sigmask(how, new, old) } {
        0 => 0,
        error => {
            super::set_errno(error);
            -1
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int {
    static NEXT: Next = Next::new(c"sigaltstack");
    // SAFETY: the caller's pointers, or null; the function of this name has this type.
    unsafe {
        if let Some(stack) = new.as_ref().filter(|stack| stack.ss_flags & libc::SS_DISABLE == 0) {
            let start = stack.ss_sp as u64;
            place::add_stack_for_handlers(&(start..start.saturating_add(stack.ss_size as u64)));
        }
        type Function = unsafe extern "C" fn(*const libc::stack_t, *mut libc::stack_t) -> c_int;
        std::mem::transmute::<*mut c_void, Function>(NEXT.get())(new, old)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sigsuspend(mask: *const libc::sigset_t) -> c_int {
    static NEXT: Next = Next::new(c"sigsuspend");
    // SAFETY: the caller's pointer; the function of this name has this type.
    unsafe {
        let mut changed = mask.as_ref().copied();
        _ = changed.as_mut().map(take);
        let given = changed.as_ref().map_or(null_mut::<libc::sigset_t>().cast_const(), |set| set as *const _);
        std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(*const libc::sigset_t) -> c_int>(NEXT.get())(
            given,
        )
    }
}
