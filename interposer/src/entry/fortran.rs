//! Routines whose Fortran form reaches no C entry point in some MPI library, and MPI_Grequest_start, whose callbacks the
//! library calls as the language does that it was called from. Every other Fortran routine is recorded
//! where its library calls `MPI_X` or `PMPI_X`, with C handles and constants. These are wrapped by their Fortran names; if the
//! library does call the C function, that call is the record, otherwise the arguments are read as Fortran passes them:
//! by reference, handles as integers.

use crate::call::mode;
use crate::entry::dispatch;
use crate::entry::stubs::Frame;
use crate::mpi::const_text::is_same;
use crate::mpi::library::{self, MAX_ARGS};
use crate::mpi::words::fortran_handle;
use crate::precise;
use crate::process::altered;
use crate::state::open_calls::InRoutine;
use crate::state::thread::{self, Thread, ThreadPtr};
use crate::state::{interrupted, levels, user_threads};
use recorder::{clock, elf};
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use trace_format::mpi::{Dir, FUNCTIONS, FnId, Function, Kind};

/// Calls `$callback` with the routines: C name, Fortran name in lower and in upper case.
macro_rules! for_each_fortran_routine {
    ($callback:ident) => {
        $callback! {
            MPI_Attr_get "mpi_attr_get" "MPI_ATTR_GET";
            MPI_Attr_put "mpi_attr_put" "MPI_ATTR_PUT";
            MPI_Comm_get_attr "mpi_comm_get_attr" "MPI_COMM_GET_ATTR";
            MPI_Comm_set_attr "mpi_comm_set_attr" "MPI_COMM_SET_ATTR";
            MPI_Type_get_attr "mpi_type_get_attr" "MPI_TYPE_GET_ATTR";
            MPI_Type_set_attr "mpi_type_set_attr" "MPI_TYPE_SET_ATTR";
            MPI_Win_get_attr "mpi_win_get_attr" "MPI_WIN_GET_ATTR";
            MPI_Win_set_attr "mpi_win_set_attr" "MPI_WIN_SET_ATTR";
            MPI_Keyval_create "mpi_keyval_create" "MPI_KEYVAL_CREATE";
            MPI_Comm_create_keyval "mpi_comm_create_keyval" "MPI_COMM_CREATE_KEYVAL";
            MPI_Type_create_keyval "mpi_type_create_keyval" "MPI_TYPE_CREATE_KEYVAL";
            MPI_Win_create_keyval "mpi_win_create_keyval" "MPI_WIN_CREATE_KEYVAL";
            MPI_Errhandler_create "mpi_errhandler_create" "MPI_ERRHANDLER_CREATE";
            MPI_Comm_create_errhandler "mpi_comm_create_errhandler" "MPI_COMM_CREATE_ERRHANDLER";
            MPI_File_create_errhandler "mpi_file_create_errhandler" "MPI_FILE_CREATE_ERRHANDLER";
            MPI_Win_create_errhandler "mpi_win_create_errhandler" "MPI_WIN_CREATE_ERRHANDLER";
            MPI_Type_match_size "mpi_type_match_size" "MPI_TYPE_MATCH_SIZE";
            MPI_Aint_add "mpi_aint_add" "MPI_AINT_ADD";
            MPI_Aint_diff "mpi_aint_diff" "MPI_AINT_DIFF";
            MPI_Grequest_start "mpi_grequest_start" "MPI_GREQUEST_START";
        }
    };
}
pub(crate) use for_each_fortran_routine;

/// A symbol that Fortran compilers refer to, and the function that it is.
struct Symbol {
    name: &'static str,
    function: FnId,
}

macro_rules! symbols {
    ($( $function:ident $lower:literal $upper:literal ; )*) => {
        &[$(
            Symbol { name: $lower, function: FnId::$function },
            Symbol { name: concat!($lower, "_"), function: FnId::$function },
            Symbol { name: concat!($lower, "__"), function: FnId::$function },
            Symbol { name: $upper, function: FnId::$function },
            Symbol { name: concat!($lower, "_f08_"), function: FnId::$function },
        )*]
    };
}
const SYMBOLS: &[Symbol] = for_each_fortran_routine!(symbols);
static ROUTINES: [AtomicPtr<c_void>; SYMBOLS.len()] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SYMBOLS.len()];

/// The library's own routine behind a symbol; null if no module has it, `None` if there is no such symbol.
pub(crate) fn routine(index: u32) -> Option<*mut c_void> {
    let (symbol, place) = SYMBOLS.get(index as usize).zip(ROUTINES.get(index as usize))?;
    let mut address = place.load(Ordering::Relaxed);
    if address.is_null() {
        let elsewhere = || elf::find_elsewhere(b"", symbol.name.as_bytes()).map(|a| a as *mut c_void);
        address = library::next_definition(symbol.name).or_else(elsewhere).unwrap_or(std::ptr::null_mut());
        place.store(address, Ordering::Relaxed);
    }
    Some(address)
}

/// Does another module have the routine behind a symbol? Callable while the loader binds a symbol.
pub(crate) fn exists(index: u32) -> bool {
    SYMBOLS.get(index as usize).is_some_and(|s| elf::find_elsewhere(b"", s.name.as_bytes()).is_some())
}

/// The name of a symbol.
pub(crate) fn symbol(index: u32) -> &'static str {
    SYMBOLS.get(index as usize).map_or("", |s| s.name)
}

/// Called by every Fortran entry point.
pub(crate) extern "C-unwind" fn dispatch_fortran(index: u32, frame: &Frame) -> u64 {
    let (Some(symbol), Some(routine)) = (SYMBOLS.get(index as usize), routine(index)) else { return 0 };
    let Some(row) = FUNCTIONS.get(symbol.function.index()) else { return 0 };
    if routine.is_null() {
        return dispatch::missing(row);
    }
    let args = frame.args(MAX_ARGS);
    let forward = || {
        // SAFETY: the routine is the one that the program calls, and these are its arguments; superfluous words are
        // ignored by the calling convention.
        unsafe { library::call_words(routine, MAX_ARGS, &args) }
    };
    let Some(thread) = mode::is_recording().then(thread::current).flatten() else { return forward() };
    let is_at_work = thread.with(|state| {
        let is_at_work = interrupted::is_at_work(state);
        if is_at_work {
            interrupted::look(state, frame.stack_pointer(), symbol.function);
        }
        is_at_work
    });
    if is_at_work {
        return forward();
    }
    let entered = clock::now();
    let mine = InRoutine {
        function: symbol.function,
        return_address: frame.return_address,
        stack_pointer: frame.stack_pointer(),
        first: args[0],
        recorded: false,
    };
    let open_calls = OpenCall::begin(thread, mine);
    let result = forward();
    if precise::is_there() && symbol.function == FnId::MPI_Win_get_attr {
        mode::guarded(|| altered::tell_own_view(args.get(2).copied()));
    }
    if !user_threads::is_here(thread) {
        std::mem::forget(open_calls);
        return result;
    }
    let inner = thread.with(|thread| thread.in_routine);
    drop(open_calls);
    if inner.is_some_and(|r| !r.recorded) {
        mode::guarded(|| record(row, frame, &args, entered, result));
        thread.with(|thread| leave(thread));
    }
    result
}

/// A wrapped routine that has not returned, or that a callback of the program leaves by an exception.
struct OpenCall {
    thread: ThreadPtr,
    outer: Option<InRoutine>,
    stack_pointer: u64,
}

impl OpenCall {
    fn begin(thread: ThreadPtr, routine: InRoutine) -> OpenCall {
        let stack_pointer = routine.stack_pointer;
        let outer = thread.with(|state| {
            interrupted::enter(state, stack_pointer);
            state.depth += 1;
            let outer = state.in_routine.replace(routine);
            interrupted::leave(state);
            outer
        });
        OpenCall { thread, outer, stack_pointer }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.thread.with(|thread| {
            interrupted::enter(thread, self.stack_pointer);
            thread.depth -= 1;
            thread.in_routine = self.outer;
            interrupted::leave(thread);
            leave(thread);
        });
    }
}

/// No call of the thread is under way any more.
fn leave(thread: &Thread) {
    if thread.depth == 0 {
        levels::leave(thread);
    }
}

/// Records a routine after it has returned, with its arguments as C has them.
fn record(row: &'static Function, frame: &Frame, args: &[u64; MAX_ARGS], entered: u64, result: u64) {
    let Some(abi) = crate::mpi::abi::current() else { return };
    let params = row.params.iter().zip(args);
    // Attributes and extra states of the removed functions are plain integers (MPI 4.1, 16.3.7).
    let short = matches!(row.id, FnId::MPI_Attr_get | FnId::MPI_Attr_put | FnId::MPI_Keyval_create);
    let pointer = |at: u64| if short { i64::from(int(at)) as u64 } else { long(at) };
    let mut slots = [0u64; MAX_ARGS];
    for (slot, (param, at)) in slots.iter_mut().zip(params.clone()) {
        *slot = match (param.dir, param.kind) {
            (_, kind) if kind.is_handle() => fortran_handle(abi, kind, int(*at)),
            (_, Kind::Pointer) => pointer(*at),
            _ => 0,
        };
    }
    let mut words = [0u64; MAX_ARGS];
    for ((word, slot), (param, at)) in words.iter_mut().zip(&slots).zip(params) {
        *word = match (param.dir, param.kind) {
            (Dir::In, Kind::Callback) => *at,
            (Dir::In, kind) if kind.is_handle() || kind == Kind::Pointer => *slot,
            (Dir::In, kind) if kind.width() == 8 => long(*at),
            (Dir::In, _) => int(*at) as u64,
            (_, kind) if kind.is_handle() || kind == Kind::Pointer => std::ptr::from_ref(slot) as u64,
            _ => *at,
        };
    }
    let code = match row.ret {
        // The last argument, which the module mpi_f08 lets programs leave out.
        Kind::Code => args.get(row.params.len()).map_or(0, |at| int(*at)),
        _ => result as i32,
    };
    dispatch::record_after(row.id.index(), frame, &words, entered, code);
}

fn int(at: u64) -> i32 {
    // SAFETY: Fortran passes the address of an INTEGER or LOGICAL; null stands for an optional one left out.
    if at == 0 { 0 } else { unsafe { (at as *const i32).read_unaligned() } }
}

fn long(at: u64) -> u64 {
    // SAFETY: Fortran passes the address of an INTEGER(KIND=MPI_ADDRESS_KIND).
    if at == 0 { 0 } else { unsafe { (at as *const u64).read_unaligned() } }
}

/// The place of a symbol in the list, worked out by the compiler.
#[expect(clippy::panic, reason = "the compiler's")]
pub(crate) const fn index_of(name: &str) -> u32 {
    let (mut index, mut rest) = (0, SYMBOLS);
    while let [symbol, behind @ ..] = rest {
        if is_same(symbol.name, name) {
            return index;
        }
        (index, rest) = (index + 1, behind);
    }
    panic!("not a Fortran symbol of this list")
}
