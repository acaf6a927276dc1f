//! Calls of the kernel by an instruction of this library, which are never stopped ([`crate::backstop`]), and the return from
//! handlers of signals.

use std::arch::{asm, global_asm};
use std::ffi::{c_int, c_void};

// The bytes are those by which unwinders and debuggers know the frame of a signal; the first one belongs to no function.
global_asm!(
    ".p2align 4",
    "nop",
    ".hidden mpivet_precise_return",
    ".globl mpivet_precise_return",
    "mpivet_precise_return:",
    "mov rax, 15",
    "syscall",
    "ud2"
);

unsafe extern "C" {
    fn mpivet_precise_return();
}

/// Where a handler returns to. The stack pointer is that of the kernel's frame.
pub(crate) fn return_from_handler() -> u64 {
    mpivet_precise_return as *const () as u64
}

/// # Safety
/// The kernel does with these arguments what the caller may do.
#[inline(always)]
pub(crate) unsafe fn call(number: i64, arguments: [u64; 6]) -> i64 {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: by the contract; the kernel changes nothing but the three registers that are named.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e,
            in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// Sets the rights of pages; did it work?
///
/// # Safety
/// Whoever uses these pages can live with it.
pub(crate) unsafe fn protect(start: u64, bytes: u64, rights: c_int) -> bool {
    // SAFETY: by the contract.
    unsafe { call(libc::SYS_mprotect, [start, bytes, rights as u64, 0, 0, 0]) == 0 }
}

pub(crate) type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Bit of `sa_flags`: the kernel is told where handlers return to.
const RETURNS_THERE: u64 = 0x0400_0000;

/// Sets a handler of a signal, which returns by an instruction of this library and blocks no other signal.
pub(crate) fn set_handler(signal: c_int, handler: Handler) -> bool {
    #[repr(C)]
    struct Action {
        handler: u64,
        flags: u64,
        restorer: u64,
        mask: u64,
    }
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER) as u64 | RETURNS_THERE;
    let action = Action { handler: handler as *const () as u64, flags, restorer: return_from_handler(), mask: 0 };
    let arguments = [signal as u64, (&raw const action) as u64, 0, 8, 0, 0];
    // SAFETY: the action lives until the call is over; the handler fits the flags.
    unsafe { call(libc::SYS_rt_sigaction, arguments) == 0 }
}
