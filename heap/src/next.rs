//! The functions that calls go on to: those of the allocator behind this library, whichever that is.

use crate::interface;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// A function of the allocator.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Function {
    Malloc,
    Calloc,
    Realloc,
    Reallocarray,
    Free,
    Memalign,
    PosixMemalign,
    AlignedAlloc,
    Valloc,
    Pvalloc,
    UsableSize,
}

const COUNT: usize = Function::UsableSize as usize + 1;

const NAMES: [&CStr; COUNT] = [
    c"malloc",
    c"calloc",
    c"realloc",
    c"reallocarray",
    c"free",
    c"memalign",
    c"posix_memalign",
    c"aligned_alloc",
    c"valloc",
    c"pvalloc",
    c"malloc_usable_size",
];

static NEXT: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

const UNKNOWN: u8 = 0;
const LOOKING: u8 = 1;
const KNOWN: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// All calls of the process that allocate and free come here.
static IS_FIRST: AtomicBool = AtomicBool::new(false);

/// The next function of a name; 0 while it is being looked for.
#[inline(always)]
pub(crate) fn next(function: Function) -> usize {
    let known = NEXT.get(function as usize).map_or(0, |next| next.load(Ordering::Relaxed));
    if known != 0 { known } else { look(function) }
}

#[cold]
#[inline(never)]
fn look(function: Function) -> usize {
    match STATE.compare_exchange(UNKNOWN, LOOKING, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            interface::begin();
            for (name, next) in NAMES.iter().zip(&NEXT) {
                next.store(symbol(libc::RTLD_NEXT, name), Ordering::Relaxed);
            }
            STATE.store(KNOWN, Ordering::Release);
            NEXT.get(function as usize).map_or(0, |next| next.load(Ordering::Relaxed))
        }
        Err(KNOWN) => NEXT.get(function as usize).map_or(0, |next| next.load(Ordering::Relaxed)),
        Err(_) => 0,
    }
}

/// Is the allocator still being looked for, by this thread or another one?
pub(crate) fn is_looking() -> bool {
    STATE.load(Ordering::Acquire) != KNOWN
}

fn symbol(scope: *mut c_void, name: &CStr) -> usize {
    // SAFETY: looking up a name has no preconditions.
    unsafe { libc::dlsym(scope, name.as_ptr()) as usize }
}

/// Learns whether the process calls these functions of this library, rather than others that come before it. `own`: what it
/// must call.
pub(crate) fn learn_whether_first(own: &[(Function, usize)]) {
    let is_ours = |(function, own): &(Function, usize)| {
        NAMES.get(*function as usize).is_some_and(|name| symbol(libc::RTLD_DEFAULT, name) == *own)
    };
    IS_FIRST.store(own.iter().all(is_ours), Ordering::Relaxed);
}

/// Do all come here?
#[inline(always)]
pub(crate) fn is_first() -> bool {
    IS_FIRST.load(Ordering::Relaxed)
}

/// Is the allocator that of the C library, whose memory comes back to nobody but itself?
pub(crate) fn is_of_c_library() -> bool {
    // Others may define each name of its allocator, but not this one.
    let own = module(symbol(libc::RTLD_DEFAULT, c"gnu_get_libc_version"));
    let next = NEXT.first().map_or(0, |next| next.load(Ordering::Relaxed));
    own != 0 && module(next) == own
}

/// Where the module of an address begins; 0: it is in none.
fn module(address: usize) -> usize {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; all of the answer may be zero.
    unsafe {
        libc::dladdr(address as *const c_void, info.as_mut_ptr());
        info.assume_init().dli_fbase as usize
    }
}

/// Does something that may change errno.
pub(crate) fn errno_is_kept<T>(doing: impl FnOnce() -> T) -> T {
    // SAFETY: each thread has an errno.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *place };
    let done = doing();
    // SAFETY: as above.
    unsafe { *place = before };
    done
}
