//! Errors that the MPI library reports. Handlers that end the program (MPI_ERRORS_ARE_FATAL, the default of communicators,
//! windows and sessions, and MPI_ERRORS_ABORT) do so inside the library; so that such an error is written down first, handlers of
//! ours stand in their place, which the program never sees: wherever it asks, it is told the library's, and when an error
//! does come, it is recorded and the library's own handler is called. They stay in place during MPI_Finalize: MPICH 4.3
//! and 5 crash when that fails while a handler, even MPI_ERRORS_ARE_FATAL, was set for MPI_COMM_WORLD.

mod ending;
pub(crate) mod handlers;
pub(crate) mod program;
mod unset;

use crate::mpi::abi::Abi;
use crate::mpi::library;
use crate::state::open_calls::Fatal;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::state::{levels, thread};
use crate::watch::{grequests, report};
use handlers::{Owner, Replaced};
use std::collections::BTreeSet;
use std::sync::Mutex;
use trace_format::mpi::FnId;
use trace_format::mpi::predefined::{PROGRAMS_ERROR_CLASS, UNKNOWN_ERROR_CLASS, error_class_name};
use trace_format::system::SystemEvent;
use unset::Answer;

/// Our handlers, for objects of each kind: `void (HANDLE *, int *, ...)`.
extern "C" fn on_error<const OWNER: usize, const REPLACED: usize>(handle: *mut u64, code: *mut i32) {
    let (Some(owner), Some(replaced)) = (Owner::ALL.get(OWNER), Replaced::ALL.get(REPLACED)) else { return };
    let Some(abi) = crate::mpi::abi::current() else { return };
    // SAFETY: the library passes pointers to the handle of the object and to the error code.
    let (handle, code) = unsafe {
        let handle = match abi.handle_bytes(owner.kind()) {
            4 => u64::from(handle.cast::<u32>().read_unaligned()),
            _ => handle.read_unaligned(),
        };
        (handle, code.read_unaligned())
    };
    let means = match replaced {
        Replaced::Set(means) => Some(*means),
        Replaced::Unset => match unset::answer(abi) {
            Answer::Ends(means) => Some(means),
            Answer::Returns => None,
            // As the library does: inside of the call, for the communicator that the handler is of.
            Answer::Calls(comm) => {
                library::call(Owner::Comm.call(), &[comm, code as u64]);
                return;
            }
        },
    };
    let fatal = Fatal { owner: *owner, means, handle, code };
    match thread::existing() {
        // The wrapper sees the call return and finishes the matter, outside of the library.
        Some(t) if t.with(|t| t.depth > 0) => t.with(|t| t.fatal = Some(fatal)),
        _ if fatal.means.is_none() => {}
        _ => ending::end_program(FnId::MPI_Comm_call_errhandler, &fatal),
    }
}

/// The result of a call during which a handler of ours was called: what the library would have returned without it. Some
/// libraries return MPI_SUCCESS behind a handler that comes back.
#[cold]
pub(crate) fn result(thread: &mut Thread, result: u64) -> u64 {
    match thread.fatal {
        Some(Fatal { means: None, code, .. }) => {
            thread.fatal = None;
            code as u64
        }
        _ => result,
    }
}

/// Where an error code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Library,
    /// The program has passed it to MPI_Comm_call_errhandler or its like.
    Program,
}

impl Source {
    /// The source of the code that a call of this function returns, or that an error handler is called with inside of it.
    fn of(function: FnId) -> Source {
        let is_passed_on = Owner::ALL.into_iter().any(|owner| owner.call() == function);
        if is_passed_on { Source::Program } else { Source::Library }
    }
}

/// May the library be asked for the meaning of a code?
fn may_be_asked(abi: &Abi, code: i32, source: Source) -> bool {
    abi.knows_code(code, source == Source::Library) || is_of_program(code)
}

/// The family's class of an error code that the library may be asked for.
fn class(code: i32) -> i32 {
    let mut class = code;
    library::call(FnId::MPI_Error_class, &[code as u64, &raw mut class as u64]);
    class
}

/// Class and text of an error code. A callback of the program may have returned a code that is none of MPI's: asking for
/// it must not end anything.
fn meaning(thread: &mut Thread, abi: &Abi, code: i32, source: Source) -> (u16, String) {
    if !may_be_asked(abi, code, source) {
        return (UNKNOWN_ERROR_CLASS, format!("error code {code}"));
    }
    thread.depth += 1;
    let fatal = thread.fatal.take();
    let text = library::text(FnId::MPI_Error_string, Some(code as u64));
    let class = class_of_known(abi, code);
    thread.depth -= 1;
    thread.fatal = fatal;
    (class, text)
}

/// Error classes and codes of the program's own, in the numbers of the library.
static OF_PROGRAM: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn is_of_program(code: i32) -> bool {
    OF_PROGRAM.lock().unwrap_or_else(|e| e.into_inner()).contains(&code)
}

/// MPI_Add_error_class or MPI_Add_error_code has returned.
pub(crate) fn added(call: &Call) {
    // The last parameter of both.
    let Some(at) = call.info.row.params.len().checked_sub(1).and_then(|p| call.words.get(p)).copied() else { return };
    if at >= call.abi.lowest_address {
        // SAFETY: the program passed the address of an integer, which the library has written.
        let number = unsafe { (at as *const i32).read_unaligned() };
        OF_PROGRAM.lock().unwrap_or_else(|e| e.into_inner()).insert(number);
    }
}

/// The neutral class of the error code that a call has returned.
pub(crate) fn neutral_class(abi: &Abi, function: FnId, code: i32) -> u16 {
    let known = may_be_asked(abi, code, Source::of(function));
    if known { class_of_known(abi, code) } else { UNKNOWN_ERROR_CLASS }
}

fn class_of_known(abi: &Abi, code: i32) -> u16 {
    let class = class(code);
    let known = abi.error_class(class);
    if known == UNKNOWN_ERROR_CLASS && is_of_program(class) { PROGRAMS_ERROR_CLASS } else { known }
}

/// A call has returned an error: record it, and end the program if its error handler says so.
#[cold]
pub(crate) fn returned(thread: &mut Thread, call: &Call, index: u64, code: i32) {
    let &Call { info, abi, .. } = call;
    let fatal = thread.fatal.take();
    // The program's own error handler was called with it, and then it was recorded.
    if thread.told.take() == Some(index) && fatal.is_none() {
        return;
    }
    let (class, mut text) = meaning(thread, abi, code, Source::of(info.row.id));
    text.push_str(&in_statuses(thread, call, class));
    text.push_str(&grequests::failures(index));
    thread.system(&SystemEvent::MpiError { call: index, class, fatal: fatal.is_some(), text: text.clone() });
    if let Some(fatal) = fatal {
        report::mpi_error(info.row.name, class, &text, None);
        ending::end_program(info.row.id, &fatal);
    }
}

/// The class of the error that the program's own handler was called with during this call. The call has failed then,
/// whatever it returns: MPICH 4.3 and 5 return MPI_SUCCESS behind a handler that comes back.
#[cold]
pub(crate) fn told(thread: &Thread, call: &Call) -> Option<u16> {
    thread.told.filter(|index| *index == call.open.index)?;
    let (of, class, _) = thread.untold.as_ref()?;
    (of.index == call.open.index && Source::of(call.info.row.id) == Source::Library).then_some(*class)
}

/// So many requests that failed are named.
const MAX_NAMED: usize = 4;

/// For MPI_ERR_IN_STATUS (MPI 4.1, 3.7.5): which requests of the array failed, and of what.
fn in_statuses(thread: &mut Thread, call: &Call, class: u16) -> String {
    let &Call { info, abi, words, .. } = call;
    let in_status = error_class_name(class) == "MPI_ERR_IN_STATUS";
    let Some((param, true)) = info.status.filter(|_| in_status) else { return String::new() };
    let Some(base) = words.get(param).copied().filter(|at| !abi.is_status_ignore(*at)) else { return String::new() };
    let some = matches!(info.row.id, FnId::MPI_Waitsome | FnId::MPI_Testsome);
    let argument = |name: &str| info.row.param(name).and_then(|p| words.get(p)).copied();
    let int = |at: u64| {
        // SAFETY: the program passed the address of integers, which the library has written.
        (at >= abi.lowest_address).then(|| unsafe { (at as *const i32).read_unaligned() })
    };
    let count = if some { argument("outcount").and_then(int) } else { argument("count").map(|n| n as i32) };
    let mut said = String::new();
    let mut named = 0;
    for i in 0..u64::try_from(count.unwrap_or(0)).unwrap_or(0) {
        // SAFETY: the program, or this library in its place, passed an array of that many statuses.
        let status = unsafe {
            std::slice::from_raw_parts((base + i * abi.status_size() as u64) as *const u8, abi.status_size())
        };
        let error = abi.status_error(status);
        if error == 0 {
            continue;
        }
        let (class, text) = meaning(thread, abi, error, Source::Library);
        let name = error_class_name(class);
        // Requests that neither failed nor completed.
        if name == "MPI_ERR_PENDING" {
            continue;
        }
        named += 1;
        if named > MAX_NAMED {
            said.push_str("\nand others");
            break;
        }
        let place = argument("array_of_indices").filter(|_| some).and_then(|at| int(at + 4 * i));
        let place = place.map_or(i as i64, i64::from);
        said.push_str(&format!("\nrequest {place} of the array failed with {name}: {}", report::essence(&text)));
    }
    said
}

/// The program's own error handler is about to be called with `code`.
fn handled_by_program(thread: &mut Thread, code: i32) {
    let (Some(abi), Some(call)) = (crate::mpi::abi::current(), thread.open_calls.innermost().copied()) else { return };
    let (class, text) = meaning(thread, abi, code, Source::of(call.func));
    thread.told = Some(call.index);
    // It may jump away, and nobody would say that the thread has left MPI.
    levels::leave(thread);
    thread.system(&SystemEvent::MpiError { call: call.index, class, fatal: false, text: text.clone() });
    thread.untold = Some((call, class, text));
}

/// The program is about to end: from the error handler that it was called with, perhaps. Then that error is printed.
#[cold]
pub(crate) fn before_end(thread: &mut Thread) {
    if let Some((call, class, text)) = thread.untold.take()
        && thread.open_calls.innermost().is_some_and(|u| u.index == call.index)
    {
        report::mpi_error(call.func.name(), class, &text, Some(call.site));
    }
}
