//! The entry points: one naked function for every function of the table. Each loads its number and jumps to a common
//! entry that lays the arguments out in memory and calls [`crate::dispatch`]. The memory holds the six argument
//! registers, the caller's frame pointer, the return address and, behind it, the arguments on the stack.
//!
//! Why assembly: the return address and the stack pointer at the call are what identifies a call site, and handles
//! travel as whole machine words whatever their size in the MPI library at hand.

use crate::dispatch::{dispatch, dispatch_double};
use std::arch::naked_asm;

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the entry points are written for x86-64; add those of this processor in stubs.rs");

/// The arguments of a call as the entry point found them.
#[repr(C)]
pub(crate) struct Frame {
    registers: [u64; 6],
    frame_pointer: u64,
    pub(crate) return_address: u64,
    /// First argument on the stack; its address is the stack pointer before the call.
    stack: [u64; 10],
}

impl Frame {
    /// The value of the caller's stack pointer at the call.
    pub(crate) fn stack_pointer(&self) -> u64 {
        &raw const self.stack as u64
    }

    /// Copies the first `n` arguments into words, one by one: the entry point has just stored them one by one, and a
    /// wider load would have to wait for the stores.
    #[inline(always)]
    pub(crate) fn args(&self, n: usize) -> [u64; crate::real::MAX_ARGS] {
        let mut words = [0; crate::real::MAX_ARGS];
        for (w, r) in words.iter_mut().zip(&self.registers).take(n) {
            // SAFETY: a reference is valid to read.
            *w = unsafe { std::ptr::from_ref(r).read_volatile() };
        }
        for (w, s) in words.iter_mut().skip(6).zip(&self.stack).take(n.saturating_sub(6)) {
            *w = *s;
        }
        words
    }
}

/// Common part of all entry points: number of the function in eax.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, 48",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov edi, eax",
        "mov rsi, rsp",
        "call {dispatch}",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        dispatch = sym dispatch,
    )
}

/// The same for functions that return a double (in xmm0).
#[unsafe(naked)]
unsafe extern "C" fn enter_double() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, 48",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov edi, eax",
        "mov rsi, rsp",
        "call {dispatch}",
        "movq xmm0, rax",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        dispatch = sym dispatch_double,
    )
}

macro_rules! entry {
    // Programs look these two up to find out whether MPI is linked in; while libmpi is not loaded yet they must not
    // appear to exist.
    (MPI_Get_version, $ret:ident) => {};
    (MPI_Abi_get_version, $ret:ident) => {};
    ($name:ident, Double) => { entry!(@ $name, enter_double); };
    ($name:ident, $ret:ident) => { entry!(@ $name, enter); };
    (@ $name:ident, $enter:ident) => {
        #[allow(non_snake_case)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "mov eax, {id}",
                "jmp {enter}",
                id = const trace_format::mpi::FnId::$name as u16,
                enter = sym $enter,
            )
        }
    };
}

macro_rules! entries {
    ($( fn $name:ident / $fortran:ident ( $($params:tt)* ) -> $ret:ident : $class:expr ; )*) => {
        $( entry!($name, $ret); )*
    };
}
trace_format::for_each_mpi_function!(entries);
