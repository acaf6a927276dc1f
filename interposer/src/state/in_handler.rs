//! Is a thread in a signal handler? What the kernel has put on the stack tells.

use recorder::memory;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the C library lets signal handlers return to, which the kernel puts on the stack below what it has saved.
static RETURN: AtomicU64 = AtomicU64::new(0);
/// So much of the stack is searched for it: a handler that calls exit(3) is not far away.
const SEARCHED: u64 = 256 << 10;
/// At once, on the stack of the handler itself, which may be small.
const PIECE: usize = 256;
/// Offsets in what the kernel puts on the stack (`struct rt_sigframe`): `uc_link`, the pointer to the state of the
/// floating-point unit, the signals that were blocked before; and the bytes up to there.
const LINK: usize = 16;
const FLOATING_POINT: usize = 232;
const SIGNAL_MASK: usize = 304;
const SAVED: usize = 312;
const FARTHEST_STATE: u64 = 1024;

/// Handlers return to `address`.
pub(crate) fn learn(address: u64) {
    RETURN.store(address, Ordering::Relaxed);
}

/// Is this thread in a signal handler? Then what it has interrupted may hold any lock, of the heap or of ours. Neither
/// allocates nor locks.
pub(crate) fn in_handler() -> bool {
    let wanted = RETURN.load(Ordering::Relaxed);
    let mut piece = [0u8; PIECE];
    let mut at = (&raw const piece) as u64 & !7;
    let end = at + SEARCHED;
    while wanted != 0 && at < end {
        // Never beyond the end of a page: the next one may not be there.
        let length = PIECE - at as usize % PIECE;
        let Some(part) = piece.get_mut(..length) else { return false };
        if !memory::read(at, part) {
            return false;
        }
        for (place, word) in (at..).step_by(8).zip(part.chunks_exact(8)) {
            let word = word.first_chunk().map_or(0, |w| u64::from_le_bytes(*w));
            if word == wanted && is_being_handled(place) {
                return true;
            }
        }
        at += length as u64;
    }
    false
}

/// Is what the kernel has put on the stack at `frame` that of a handler which still runs, not the rest of an earlier one?
/// The signal's number is only there for handlers that asked for it (SA_SIGINFO).
fn is_being_handled(frame: u64) -> bool {
    let mut saved = [0u8; SAVED];
    if !memory::read(frame, &mut saved) {
        return false;
    }
    let word = |at: usize| saved.get(at..at + 8).and_then(|w| w.first_chunk()).map_or(0, |w| u64::from_le_bytes(*w));
    let mut mask = 0u64;
    let ask = std::ptr::null::<u64>();
    // SAFETY: the system writes the 8 bytes of its mask. The C library's function leaves signals of its own out.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_BLOCK, ask, &raw mut mask, size_of::<u64>()) };
    // A handler runs with the signals blocked that were blocked before, and mostly with more.
    let is_blocked_still = word(SIGNAL_MASK) & !mask == 0;
    // The state of the floating-point unit lies right behind.
    is_blocked_still && (frame..frame + FARTHEST_STATE).contains(&word(FLOATING_POINT)) && word(LINK) == 0
}
