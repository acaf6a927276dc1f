//! The process that records: one that has forked does, its children do not.

use std::sync::atomic::{AtomicU32, Ordering};

/// A mark that a child of the process does not inherit, not even one that the C library is not told of (a system call of the
/// program's own).
#[repr(C, align(4096))]
struct Wiped {
    /// The number of the process; 0: it does not record.
    pid: AtomicU32,
    rest: [u8; 4096 - size_of::<AtomicU32>()],
}

static WIPED: Wiped = Wiped { pid: AtomicU32::new(0), rest: [0; 4096 - size_of::<AtomicU32>()] };

/// This process records from now on.
pub fn claim() {
    let page = (&raw const WIPED).cast_mut().cast();
    // SAFETY: the page holds this variable alone. Where the system cannot wipe it in children, nothing changes.
    unsafe { libc::madvise(page, size_of::<Wiped>(), libc::MADV_WIPEONFORK) };
    WIPED.pid.store(std::process::id(), Ordering::SeqCst);
}

/// A fork has made this process: it is not the one that records.
pub fn release() {
    WIPED.pid.store(0, Ordering::SeqCst);
}

/// Does this process record, and is no forked child of one that does?
pub fn is_this() -> bool {
    WIPED.pid.load(Ordering::SeqCst) == std::process::id()
}

/// The number of this process, which is known without asking the kernel where it records.
pub fn pid() -> libc::pid_t {
    match WIPED.pid.load(Ordering::Relaxed) {
        // SAFETY: a plain system call that cannot fail.
        0 => unsafe { libc::getpid() },
        pid => pid as libc::pid_t,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_was_forked_records_nothing() {
        assert!(!is_this());
        assert_eq!(pid() as u32, std::process::id());
        claim();
        assert!(is_this());
        assert_eq!(pid() as u32, std::process::id());
        release();
        assert!(!is_this());
        assert_eq!(pid() as u32, std::process::id());
    }
}
