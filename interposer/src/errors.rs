//! Errors that the MPI library reports. The default error handler ends the program inside the library; so that such
//! an error is written down first, MPI_COMM_WORLD and MPI_COMM_SELF (and what inherits from them) get a handler of
//! ours in its place, which the program never sees: wherever it asks, it is told MPI_ERRORS_ARE_FATAL, and when an
//! error does come, it is recorded and the library's own fatal handler is called. It stays in place during MPI_Finalize:
//! MPICH 4.3 and 5 crash when that fails while a handler, even MPI_ERRORS_ARE_FATAL, was set for MPI_COMM_WORLD.

use crate::abi::Abi;
use crate::encode::Words;
use crate::real::{self, Real};
use crate::thread::Thread;
use crate::{define, dispatch, handles, report, thread};
use std::ffi::CString;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use trace_format::call::SystemEvent;
use trace_format::mpi::{FnId, Function, Kind};

/// Our handler and the library's MPI_ERRORS_ARE_FATAL; 0 before they are known.
static OURS: AtomicU64 = AtomicU64::new(0);
static FATAL: AtomicU64 = AtomicU64::new(0);
static WORLD: AtomicU64 = AtomicU64::new(0);
static OWN: AtomicU64 = AtomicU64::new(0);
/// How many times the program was told MPI_ERRORS_ARE_FATAL for a reference to ours.
static LENT: AtomicI64 = AtomicI64::new(0);

/// Puts our handler in the place of MPI_ERRORS_ARE_FATAL.
pub(crate) fn install(real: &Real, abi: &Abi) {
    let constant = |kind, name| handles::predefined_handle(real, kind, name);
    let (Some(fatal), Some(world), Some(own)) = (
        constant(Kind::Errhandler, "MPI_ERRORS_ARE_FATAL"),
        constant(Kind::Comm, "MPI_COMM_WORLD"),
        constant(Kind::Comm, "MPI_COMM_SELF"),
    ) else {
        return;
    };
    WORLD.store(world, Ordering::SeqCst);
    OWN.store(own, Ordering::SeqCst);
    FATAL.store(fatal, Ordering::SeqCst);
    let function = on_error as *const () as u64;
    let create = FnId::MPI_Comm_create_errhandler;
    let Some(ours) = define::handle_out(abi, Kind::Errhandler, create, &[function]) else { return };
    OURS.store(ours, Ordering::SeqCst);
    for comm in [world, own] {
        let current = define::handle_out(abi, Kind::Errhandler, FnId::MPI_Comm_get_errhandler, &[comm]);
        if current == Some(fatal) {
            real::call(FnId::MPI_Comm_set_errhandler, &[comm, ours]);
        }
    }
}

/// The handler: `void (MPI_Comm *, int *, ...)`.
extern "C" fn on_error(comm: *mut u64, code: *mut i32) {
    let Some(abi) = dispatch::abi() else { return };
    // SAFETY: the library passes pointers to a communicator handle and to the error code.
    let (comm, code) = unsafe {
        let comm = match abi.handle_bytes(Kind::Comm) {
            4 => u64::from(comm.cast::<u32>().read_unaligned()),
            _ => comm.read_unaligned(),
        };
        (comm, code.read_unaligned())
    };
    match thread::existing() {
        // The wrapper sees the call return and finishes the matter, outside of the library.
        // SAFETY: the pointer is this thread's own state, and no reference to it is live during a library call.
        Some(t) if unsafe { (*t).depth } > 0 => unsafe { (*t).fatal = Some((comm, code)) },
        _ => end_program("MPI_Comm_call_errhandler", comm, code),
    }
}

/// Does what MPI_ERRORS_ARE_FATAL does: by the library's own fatal handler where it is exported, so that its message
/// names the function that failed, else by way of MPI_Comm_call_errhandler.
fn end_program(function: &str, mut comm: u64, mut code: i32) {
    let fatal = FATAL.load(Ordering::SeqCst);
    let world = WORLD.load(Ordering::SeqCst);
    // Inside of MPI_Finalize the library may no longer have its communicators.
    if function != "MPI_Finalize" {
        for c in [world, OWN.load(Ordering::SeqCst), comm] {
            real::call(FnId::MPI_Comm_set_errhandler, &[c, fatal]);
        }
    }
    let own_handler = |name| real::library().and_then(|r| r.symbol(name));
    let short = function.strip_prefix("MPI_").unwrap_or(function);
    if let Some(handler) = own_handler("ompi_mpi_errors_are_fatal_comm_handler") {
        let name = CString::new(function).unwrap_or_default();
        // SAFETY: Open MPI's `void (MPI_Comm *, int *, ...)`, which takes the function's name and ends with NULL.
        unsafe {
            let handler: unsafe extern "C" fn(*mut u64, *mut i32, ...) = std::mem::transmute(handler);
            handler(&mut comm, &mut code, name.as_ptr(), std::ptr::null::<std::ffi::c_char>());
        }
    } else if let Some(handler) = own_handler("MPIR_Err_return_comm") {
        let name = CString::new(format!("internal_{short}")).unwrap_or_default();
        // SAFETY: MPICH's `int (MPIR_Comm *, const char *, int)`; without a communicator it uses MPI_COMM_SELF,
        // whose handler is the fatal one by now.
        unsafe {
            let handler: extern "C" fn(u64, *const std::ffi::c_char, i32) -> i32 = std::mem::transmute(handler);
            handler(0, name.as_ptr(), code);
        }
    }
    real::call(FnId::MPI_Comm_call_errhandler, &[comm, code as u64]);
    real::call(FnId::MPI_Abort, &[world, code as u64]);
}

/// The family's class of an error code.
pub(crate) fn class(code: i32) -> i32 {
    let mut class = code;
    real::call(FnId::MPI_Error_class, &[code as u64, &raw mut class as u64]);
    class
}

/// A call has returned an error: record it, and end the program if its error handler says so.
#[cold]
pub(crate) fn returned(thread: &mut Thread, row: &Function, abi: &Abi, call: u64, code: i32) {
    let fatal = thread.fatal.take();
    // A callback of the program may have returned a code that is none of MPI's: asking for it must not end anything.
    thread.depth += 1;
    let text = real::text(FnId::MPI_Error_string, Some(code as u64), abi.max_error_string);
    let class = abi.error_class(class(code));
    thread.depth -= 1;
    thread.fatal = None;
    thread.system(&SystemEvent::MpiError { call, class, fatal: fatal.is_some(), text: text.clone() });
    if let Some((comm, code)) = fatal {
        report::mpi_error(row.name, class, &text);
        end_program(row.name, comm, code);
    }
}

/// MPI_Comm_set_errhandler: our handler stands for MPI_ERRORS_ARE_FATAL.
pub(crate) fn before_set(words: &mut Words) {
    let ours = OURS.load(Ordering::SeqCst);
    if let Some(word) = words.get_mut(1)
        && ours != 0
        && same_handle(*word, FATAL.load(Ordering::SeqCst))
    {
        *word = ours;
    }
}

/// Is it our handler, which the program never sees?
pub(crate) fn is_ours(handle: u64) -> bool {
    handle != 0 && OURS.load(Ordering::SeqCst) == handle
}

fn same_handle(word: u64, handle: u64) -> bool {
    dispatch::abi().is_some_and(|abi| abi.handle_arg(Kind::Errhandler, word) == handle)
}

/// The handle variable that parameter `param` points to.
fn variable(words: &Words, param: usize) -> Option<u64> {
    words.get(param).copied().filter(|a| *a != 0)
}

fn read(abi: &Abi, at: u64) -> u64 {
    // SAFETY: the program passed the address of its error handler variable.
    unsafe {
        match abi.handle_bytes(Kind::Errhandler) {
            4 => u64::from((at as *const u32).read_unaligned()),
            _ => (at as *const u64).read_unaligned(),
        }
    }
}

fn write(abi: &Abi, at: u64, handle: u64) {
    // SAFETY: as in `read`.
    unsafe {
        match abi.handle_bytes(Kind::Errhandler) {
            4 => (at as *mut u32).write_unaligned(handle as u32),
            _ => (at as *mut u64).write_unaligned(handle),
        }
    }
}

/// MPI_Comm_get_errhandler: the program is told MPI_ERRORS_ARE_FATAL for ours.
pub(crate) fn after_get(abi: &Abi, words: &Words) {
    let ours = OURS.load(Ordering::SeqCst);
    if let Some(at) = variable(words, 1)
        && ours != 0
        && read(abi, at) == ours
    {
        write(abi, at, FATAL.load(Ordering::SeqCst));
        LENT.fetch_add(1, Ordering::SeqCst);
    }
}

/// MPI_Errhandler_free of what was told to be MPI_ERRORS_ARE_FATAL gives the reference to ours back.
pub(crate) fn before_free(abi: &Abi, words: &Words) {
    let ours = OURS.load(Ordering::SeqCst);
    if let Some(at) = variable(words, 0)
        && ours != 0
        && read(abi, at) == FATAL.load(Ordering::SeqCst)
        && LENT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| (n > 0).then(|| n - 1)).is_ok()
    {
        write(abi, at, ours);
    }
}
