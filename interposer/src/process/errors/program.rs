//! The program's own error handlers: an error that one of them is called with is written down first, whatever it does
//! then (end the program, throw an exception, jump away). What the program passes to MPI_Comm_create_errhandler is
//! replaced by a small function of ours that records the error and jumps to the program's, with all registers and the
//! stack as the library has left them.

use super::handled_by_program;
use crate::call::mode;
use crate::mpi::words::Words;
use crate::state::{interrupted, thread};
use std::arch::naked_asm;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many different functions are watched; those that come later are called as without mpivet.
const MOST: usize = 32;

static FUNCTIONS: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static TAKING: Mutex<()> = Mutex::new(());

/// MPI_Comm_create_errhandler and its like: a function of ours in the place of the program's.
pub(crate) fn before_create(words: &mut Words) {
    let Some(word) = words.first_mut().filter(|word| **word != 0) else { return };
    let _one = TAKING.lock().unwrap_or_else(|e| e.into_inner());
    for (place, entry) in FUNCTIONS.iter().zip(ENTRIES) {
        let taken = place.load(Ordering::SeqCst);
        if taken == 0 {
            place.store(*word, Ordering::SeqCst);
        }
        if taken == 0 || taken == *word {
            *word = entry as *const () as u64;
            return;
        }
    }
}

/// Records the error; the address of the program's function. `stack_pointer`: the library's at the call.
extern "C" fn arrived(number: usize, stack_pointer: u64, code: *const i32) -> u64 {
    if mode::is_recording()
        && let Some(thread) = thread::existing()
        && !code.is_null()
        // Otherwise it is the error of a call of our own, or of one that is not recorded.
        && !thread.with(|thread| interrupted::is_at_work(thread))
    {
        thread.with(|thread| interrupted::enter(thread, stack_pointer));
        // SAFETY: the library passes a pointer to the error code.
        let code = unsafe { code.read_unaligned() };
        mode::guarded(|| thread.with(|thread| handled_by_program(thread, code)));
        thread.with(|thread| interrupted::leave(thread));
    }
    FUNCTIONS.get(number).map_or(0, |f| f.load(Ordering::SeqCst))
}

/// Goes on to the program's function number rax - everything as it was, but for the registers that no function keeps and
/// no argument is passed in.
#[unsafe(naked)]
unsafe extern "C" fn go_on() {
    naked_asm!(
        ".cfi_startproc",
        // The library calls these functions as variadic ones: al says how many arguments are in vector registers.
        "push rax",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        ".cfi_def_cfa_offset 64",
        "mov rdx, rsi",
        "lea rsi, [rsp + 64]",
        "mov rdi, r11",
        "call {arrived}",
        "mov r11, rax",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rax",
        ".cfi_def_cfa_offset 8",
        "jmp r11",
        ".cfi_endproc",
        arrived = sym arrived,
    )
}

/// The beginning of what calls in here.
pub(crate) fn entry() -> u64 {
    go_on as *const () as u64
}

macro_rules! entries {
    ($( $number:literal )*) => {
        [$( {
            #[unsafe(naked)]
            unsafe extern "C" fn entry() {
                naked_asm!("mov r11d, {number}", "jmp {go_on}", number = const $number, go_on = sym go_on)
            }
            entry
        } ),*]
    };
}

/// The functions that the library is given.
static ENTRIES: [unsafe extern "C" fn(); MOST] =
    entries!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
