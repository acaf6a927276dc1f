//! Modules that the program unloads. What is loaded next often lies in the same place, so that its calls come from the same
//! addresses: what is known of addresses must be forgotten then.

use crate::call::sites;
use crate::mpi::changes;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// In front of the C library's function, which does the work.
///
/// # Safety
/// As dlclose(3).
#[unsafe(no_mangle)]
unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    let mut real = REAL.load(Ordering::Relaxed);
    if real == 0 {
        // SAFETY: looking up a name has no preconditions.
        real = unsafe { libc::dlsym(libc::RTLD_NEXT, c"dlclose".as_ptr()) } as usize;
        REAL.store(real, Ordering::Relaxed);
    }
    if real == 0 {
        return -1;
    }
    // Before it is done: another thread may load something else into the gap at once.
    forget();
    // SAFETY: this is the C library's function, and the caller keeps its conditions.
    let result = unsafe {
        let real: unsafe extern "C" fn(*mut c_void) -> c_int = std::mem::transmute(real);
        real(handle)
    };
    // Destructors in the library may have called MPI meanwhile.
    forget();
    result
}

/// Call sites are forgotten when the next call finds another count; remembered calls are void at once.
fn forget() {
    sites::are_forgotten();
    changes::happened_to_all();
}
