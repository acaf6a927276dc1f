//! The program's call that led to a signal which was raised outside of its code: in memcpy, in abort. Nothing in here
//! allocates or locks, and memory that may not be there is copied by the system. Unwinding is not for signal handlers, so
//! only what is certain without it is told.

use crate::mpi::origin::{self, Origin};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// The code of the program and its libraries: start and end of the modules, without those of the system and of MPI.
static CODE: [[AtomicU64; 2]; 64] = [const { [const { AtomicU64::new(0) }; 2] }; 64];
/// Functions that never return: whoever finds a call of one on the stack knows that it is under way. An exception that nobody
/// catches ends the process in the call that throws it.
const NEVER_RETURN: [&CStr; 5] = [c"abort", c"__assert_fail", c"__cxa_throw", c"__cxa_rethrow", c"_ZSt9terminatev"];
static ENDS: [AtomicU64; NEVER_RETURN.len()] = [const { AtomicU64::new(0) }; NEVER_RETURN.len()];

/// Looks at the modules. To be called when MPI has begun.
pub(crate) fn learn() {
    let of_system = |path: &str| path.is_empty() || path.starts_with("/lib") || path.starts_with("/usr/lib");
    let programs = origin::modules(Origin::Program).into_iter().filter(|m| !of_system(&m.path));
    for ([start, end], module) in CODE.iter().zip(programs) {
        start.store(module.start, Ordering::Relaxed);
        end.store(module.end, Ordering::Relaxed);
    }
    for (place, name) in ENDS.iter().zip(NEVER_RETURN) {
        // SAFETY: looking up a name has no preconditions.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        place.store(address as u64, Ordering::Relaxed);
    }
}

/// Where the program's call returns to; 0 if that cannot be told, or if the signal was raised in the program's own code.
pub(crate) fn find(signal: c_int, context: &libc::ucontext_t) -> u64 {
    let register = |r: c_int| context.uc_mcontext.gregs.get(r as usize).copied().unwrap_or(0) as u64;
    let (pc, sp) = (register(libc::REG_RIP), register(libc::REG_RSP));
    match signal {
        _ if is_programs(pc) => 0,
        libc::SIGABRT => of_abort(sp),
        libc::SIGTERM | libc::SIGINT => 0,
        _ => on_top(sp),
    }
}

fn is_programs(at: u64) -> bool {
    let inside =
        |[start, end]: &[AtomicU64; 2]| (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&at);
    CODE.iter().any(inside)
}

/// A function that has put nothing on the stack, like memcpy, has its return address on top. So it is where the program
/// jumped to an address that is none.
fn on_top(sp: u64) -> u64 {
    let Some(return_address) = copy::<8>(sp).map(u64::from_le_bytes).filter(|at| is_programs(*at)) else { return 0 };
    let Some(before) = copy::<7>(return_address.saturating_sub(7)) else { return 0 };
    let is_call = match before {
        // call to an address; call by a register or by memory, in its lengths.
        [_, _, 0xe8, ..] => true,
        [.., 0xff, m] | [.., 0xff, m, _] | [.., 0xff, m, _, _] if m >> 3 & 7 == 2 => true,
        [_, 0xff, m, ..] | [0xff, m, ..] => m >> 3 & 7 == 2,
        _ => false,
    };
    if is_call { return_address } else { 0 }
}

/// So much of the stack is searched for a call of abort.
const SEARCHED: usize = 4096;
const PIECE: usize = 256;

/// The call of a function that never returns, on the stack above `sp`.
fn of_abort(sp: u64) -> u64 {
    for piece in (0..SEARCHED).step_by(PIECE) {
        let Some(words) = copy::<PIECE>(sp + piece as u64) else { return 0 };
        for word in words.chunks_exact(8) {
            let at = word.first_chunk().map_or(0, |w| u64::from_le_bytes(*w));
            if is_programs(at) && called_before(at).is_some_and(is_end) {
                return at;
            }
        }
    }
    0
}

fn is_end(function: u64) -> bool {
    ENDS.iter().any(|end| function != 0 && end.load(Ordering::Relaxed) == function)
}

/// The function of another module that is called by the instruction in front of `return_address`.
fn called_before(return_address: u64) -> Option<u64> {
    let before: [u8; 6] = copy(return_address.checked_sub(6)?)?;
    match before {
        // call *offset(%rip)
        [0xff, 0x15, offset @ ..] => indirect(return_address, offset),
        [_, 0xe8, offset @ ..] => through_stub(relative(return_address, offset)),
        _ => None,
    }
}

/// The stub in the procedure linkage table: `[endbr64] [bnd] jmp *offset(%rip)`.
fn through_stub(stub: u64) -> Option<u64> {
    let code: [u8; 12] = copy(stub)?;
    let start = if code.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) { 4 } else { 0 };
    let start = start + usize::from(code.get(start) == Some(&0xf2));
    match code.get(start..start + 6)? {
        [0xff, 0x25, offset @ ..] => indirect(stub + start as u64 + 6, *offset.first_chunk()?),
        _ => None,
    }
}

fn relative(next: u64, offset: [u8; 4]) -> u64 {
    next.wrapping_add_signed(i64::from(i32::from_le_bytes(offset)))
}

fn indirect(next: u64, offset: [u8; 4]) -> Option<u64> {
    copy(relative(next, offset)).map(u64::from_le_bytes)
}

/// Copies memory that may not be there.
fn copy<const N: usize>(from: u64) -> Option<[u8; N]> {
    let mut to = [0u8; N];
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: N };
    let remote = libc::iovec { iov_base: from as *mut c_void, iov_len: N };
    // SAFETY: the local vector is a live array; of the other the kernel finds out whether it is there.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    (copied == N as isize).then_some(to)
}
