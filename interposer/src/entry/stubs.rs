//! The entry points: two naked functions for every function of the table, `MPI_X` for the program and `PMPI_X` for Fortran
//! bindings and tools that call it, and those of some Fortran routines. Each loads its number and jumps to a common entry
//! that lays the arguments out in memory and calls [`crate::entry::dispatch`]. The memory holds the six argument
//! registers, the caller's frame pointer, the return address and, behind it, the arguments on the stack.
//!
//! Why assembly: the return address and the stack pointer at the call are what identifies a call site, and handles
//! travel as whole machine words whatever their size in the MPI library at hand.

use crate::call::sites::Arrival;
use crate::entry::dispatch::{dispatch, dispatch_double};
use crate::entry::exports::{RESOLVER_OFFSET, resolve, resolve_fortran};
use crate::entry::fortran::{self, dispatch_fortran};
use crate::mpi::library::MAX_ARGS;
use crate::mpi::words::Words;
use std::arch::naked_asm;
use trace_format::mpi::{Class, FUNCTIONS, FnId, Function};

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the entry points are written for x86-64; add those of this processor in stubs.rs");

/// Arguments that travel in registers.
const REGISTERS: usize = 6;

/// In the number of an entry point: the place of the function in the table.
pub(crate) const INDEX: u32 = 0xffff;
/// In the number of an entry point: it is the profiling one, `PMPI_X`.
pub(crate) const PROFILING: u32 = 1 << 16;

/// The arguments of a call as the entry point found them.
#[repr(C)]
pub(crate) struct Frame {
    /// The six argument registers, of which those without an argument are zero; nothing yet behind them.
    words: [u64; MAX_ARGS],
    frame_pointer: u64,
    pub(crate) return_address: u64,
    /// First argument on the stack; its address is the stack pointer before the call.
    stack: [u64; MAX_ARGS - REGISTERS],
}

impl Frame {
    /// The value of the caller's stack pointer at the call.
    pub(crate) fn stack_pointer(&self) -> u64 {
        &raw const self.stack as u64
    }

    #[inline(always)]
    pub(crate) fn arrival(&self) -> Arrival {
        Arrival { return_address: self.return_address, stack_pointer: self.stack_pointer() }
    }

    /// A copy of the first `n` arguments, with zeros behind them. Words are read one by one: the entry point has just stored
    /// them so, and a wider load would wait for its stores.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "there are more words than registers")]
    pub(crate) fn args(&self, n: usize) -> Words {
        let mut words = [0; MAX_ARGS];
        let mut place = 0;
        while place < n.min(REGISTERS) {
            // SAFETY: a reference is valid to read.
            words[place] = unsafe { (&raw const self.words[place]).read_volatile() };
            place += 1;
        }
        if n > REGISTERS {
            words.iter_mut().take(n).skip(REGISTERS).zip(&self.stack).for_each(|(word, argument)| *word = *argument);
        }
        words
    }

    /// The first `n` arguments where the entry point has laid them out, to be changed there. Behind them are zeros up to six
    /// words, with more arguments up to eight, and with still more to the end. Those on the stack are copied one by one:
    /// mostly it is one, and whoever reads them does so soon, when a wider store would have to be waited for.
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "a place of a word is behind the registers, and the stack has all such"
    )]
    pub(crate) fn words(&mut self, n: usize) -> &mut Words {
        const FEW: usize = REGISTERS + 2;
        // SAFETY: a reference is valid to read.
        let argument = |place: usize| unsafe { (&raw const self.stack[place - REGISTERS]).read_volatile() };
        if n > REGISTERS {
            self.words[REGISTERS] = argument(REGISTERS);
            self.words[REGISTERS + 1] = if n == FEW { argument(REGISTERS + 1) } else { 0 };
        }
        if n > FEW {
            for (place, word) in self.words.iter_mut().enumerate().skip(REGISTERS + 1) {
                *word = if place < n { argument(place) } else { 0 };
            }
        }
        &mut self.words
    }
}

/// Common part of entry points: number of the function in eax. The result comes back in rax.
macro_rules! enter {
    ($name:ident, $dispatch:ident) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "sub rsp, {words}",
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
                words = const size_of::<Words>(),
                dispatch = sym $dispatch,
            )
        }
    };
}
enter!(enter, dispatch);
enter!(enter_fortran, dispatch_fortran);

/// The common entry of functions that return a double (in xmm0).
#[unsafe(naked)]
unsafe extern "C" fn enter_double() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {words}",
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
        words = const size_of::<Words>(),
        dispatch = sym dispatch_double,
    )
}

/// The beginnings of the common parts.
pub(crate) fn entries() -> [u64; 3] {
    [enter as *const () as u64, enter_fortran as *const () as u64, enter_double as *const () as u64]
}

/// An entry point and, [`RESOLVER_OFFSET`] bytes behind it, its resolver (see [`crate::entry::exports`]).
macro_rules! entry {
    ($symbol:expr, $id:expr, $args:expr, $enter:ident, $resolve:ident) => {
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn entry() {
                naked_asm!(
                    "2:",
                    // Registers that hold no argument.
                    ".if {args} < 1",
                    "xor edi, edi",
                    ".endif",
                    ".if {args} < 2",
                    "xor esi, esi",
                    ".endif",
                    ".if {args} < 3",
                    "xor edx, edx",
                    ".endif",
                    ".if {args} < 4",
                    "xor ecx, ecx",
                    ".endif",
                    ".if {args} < 5",
                    "xor r8d, r8d",
                    ".endif",
                    ".if {args} < 6",
                    "xor r9d, r9d",
                    ".endif",
                    "mov eax, {id}",
                    "jmp {enter}",
                    ".skip {offset} - (. - 2b)",
                    "mov edi, {id}",
                    "lea rsi, [rip + 2b]",
                    "mov rdx, [rsp]",
                    "jmp {resolve}",
                    id = const $id,
                    args = const $args,
                    offset = const RESOLVER_OFFSET,
                    enter = sym $enter,
                    resolve = sym $resolve,
                )
            }
        };
    };
}

/// Registers with arguments, which may be more than there are parameters: MPI_Pcontrol takes what a tool wants.
#[expect(clippy::indexing_slicing, reason = "worked out by the compiler; each function has a row")]
const fn arguments(function: FnId) -> usize {
    match &FUNCTIONS[function as usize] {
        Function { class: Class::Pcontrol, .. } => REGISTERS,
        row => row.params.len(),
    }
}

macro_rules! c_entry {
    ($name:ident, Double) => { c_entry!(@ $name, enter_double); };
    ($name:ident, $ret:ident) => { c_entry!(@ $name, enter); };
    (@ $name:ident, $enter:ident) => {
        entry!(stringify!($name), FnId::$name as u32, arguments(FnId::$name), $enter, resolve);
        entry!(
            concat!("P", stringify!($name)),
            FnId::$name as u32 | PROFILING,
            arguments(FnId::$name),
            $enter,
            resolve
        );
    };
}

macro_rules! c_entries {
    ($( fn $name:ident / $fortran:ident ( $($params:tt)* ) -> $ret:ident : $class:expr ; )*) => {
        $( c_entry!($name, $ret); )*
    };
}
trace_format::for_each_mpi_function!(c_entries);

macro_rules! fortran_entries {
    ($( $function:ident $lower:literal $upper:literal ; )*) => {$(
        fortran_entries!(@ $lower);
        fortran_entries!(@ concat!($lower, "_"));
        fortran_entries!(@ concat!($lower, "__"));
        fortran_entries!(@ $upper);
        fortran_entries!(@ concat!($lower, "_f08_"));
    )*};
    (@ $symbol:expr) => { entry!($symbol, fortran::index_of($symbol), REGISTERS, enter_fortran, resolve_fortran); };
}
fortran::for_each_fortran_routine!(fortran_entries);
