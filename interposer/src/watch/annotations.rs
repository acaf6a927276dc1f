//! Annotations: the program speaks to mpivet by `include/mpivet.h` or the Fortran module `mpivet` (see
//! `trace_format::annotations`).

use crate::call::mode;
use crate::mpi::words::fortran_handle;
use crate::mpi::{handles, library};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{Spot, watched_data_changed};
use crate::watch::operations;
use recorder::{log, memory, trace};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::annotations::{Action, Annotation, Dump, LEVEL, MAGIC, MAX_DUMP_BYTES};
use trace_format::definition::{Definition, Id, UNKNOWN_ID};
use trace_format::mpi::{FnId, Kind};
use trace_format::system::SystemEvent;

/// A region with this name is an error of ours, if MPIVET_PROVOKE is set.
const PROVOKED: &str = "mpivet's internal error";
/// And one with this name a signal while a lock of ours is held.
const INTERRUPTED: &str = "mpivet is interrupted";
/// Longest name that is kept.
const MAX_NAME: usize = 256;

/// A request as C and Fortran lay it out: eight-byte words.
struct Request {
    action: Action,
    name: String,
    address: u64,
    count: u64,
    datatype: u64,
}

impl Request {
    /// Reads what MPI_Pcontrol was called with. Another tool that wraps the function may have passed on the level alone, so
    /// that nothing is taken for granted.
    fn read(call: &Call) -> Option<Request> {
        let [level, address, ..] = *call.words;
        let mut words = [0u64; 6];
        // SAFETY: the bytes are those of a live array of plain integers.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), size_of_val(&words)) };
        if level as i32 != LEVEL || !memory::read(address, bytes) {
            return None;
        }
        let [magic, action, name, address, count, datatype] = words;
        let action = Action::from_number(action as i64).filter(|_| magic == MAGIC)?;
        Some(Request { action, name: memory::read_text(name, MAX_NAME)?, address, count, datatype })
    }
}

/// The tests look at what becomes of the program then.
#[expect(clippy::panic, reason = "on purpose")]
fn provoked() -> ! {
    panic!("{PROVOKED}")
}

fn is_provoked() -> bool {
    std::env::var_os("MPIVET_PROVOKE").is_some()
}

/// A call of MPI_Pcontrol, already recorded. True if it was for mpivet, and is not to reach the library.
#[cold]
pub(crate) fn pcontrol(thread: &mut Thread, call: &Call) -> bool {
    let Some(Request { action, name, address, count, datatype }) = Request::read(call) else { return false };
    let spot = Spot::of(thread, call);
    let annotation = match action {
        Action::RegionBegin if name == PROVOKED && is_provoked() => provoked(),
        Action::RegionBegin if name == INTERRUPTED && is_provoked() => {
            // SAFETY: a plain call; what becomes of this thread is for the program's handler to say.
            operations::inside(thread.number(), || _ = unsafe { libc::raise(libc::SIGUSR1) });
            return true;
        }
        Action::RegionBegin => {
            let mut open = regions();
            if open.len() >= MAX_REGIONS {
                open.remove(0);
            }
            open.push((thread.number(), name.clone()));
            Annotation::RegionBegin { name }
        }
        Action::RegionEnd => {
            let mut open = regions();
            if let Some(at) = open.iter().rposition(|(number, open)| *number == thread.number() && *open == name) {
                open.remove(at);
            }
            Annotation::RegionEnd { name }
        }
        Action::Watch => {
            watched_data_changed::watch(&name, address, count, spot);
            Annotation::Watch { name, address, bytes: count }
        }
        Action::Unwatch => {
            watched_data_changed::unwatch(&name);
            Annotation::Unwatch { name }
        }
        Action::Dump | Action::DumpFortran => {
            let datatype = match action {
                Action::DumpFortran => fortran_handle(call.abi, Kind::Datatype, datatype as i32),
                _ => call.abi.handle_arg(Kind::Datatype, datatype),
            };
            let Some(dump) = dump(name, address, count, datatype) else { return true };
            Annotation::Dump(dump)
        }
    };
    thread.system(&SystemEvent::Annotation { call: spot.call, annotation });
    true
}

/// Open regions, with the number of the thread that began them.
static REGIONS: Mutex<Vec<(u16, String)>> = Mutex::new(Vec::new());

/// More open regions are not remembered.
const MAX_REGIONS: usize = 1024;

/// A thread has ended, and its number may be given to another.
pub(crate) fn thread_ended(number: u16) {
    regions().retain(|(of, _)| *of != number);
}

fn regions() -> MutexGuard<'static, Vec<(u16, String)>> {
    REGIONS.lock().unwrap_or_else(|e| e.into_inner())
}

/// The innermost region that a thread is in.
pub(crate) fn region(thread: u16) -> Option<String> {
    regions().iter().rev().find(|(number, _)| *number == thread).map(|(_, name)| name.clone())
}

/// Writes the contents of an array to the trace.
fn dump(name: String, address: u64, count: u64, datatype: u64) -> Option<Dump> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let id = handles::lookup(Kind::Datatype, datatype);
    let extent = if id == UNKNOWN_ID { None } else { extent(datatype) };
    let Some(extent) = extent else {
        log::line(&format!("mpivet_dump(\"{name}\"): the datatype is not valid; nothing is written"));
        return None;
    };
    let bytes = count.saturating_mul(extent);
    let mut contents = vec![0u8; bytes.min(MAX_DUMP_BYTES) as usize];
    if !memory::read(address, &mut contents) {
        log::line(&format!("mpivet_dump(\"{name}\"): the memory cannot be read; nothing is written"));
        return None;
    }
    if bytes > MAX_DUMP_BYTES {
        log::line(&format!("mpivet_dump(\"{name}\"): only the first {MAX_DUMP_BYTES} of {bytes} bytes are written"));
    }
    let number: Id = NEXT.fetch_add(1, Ordering::Relaxed);
    trace::get()?.define(&[Definition::Dump { id: number, bytes: contents }]);
    Some(Dump { name, address, count, datatype: id, bytes, contents: number })
}

/// Bytes from one element of a datatype to the next.
fn extent(datatype: u64) -> Option<u64> {
    let (mut lb, mut extent) = (0i64, 0i64);
    let done = library::call(FnId::MPI_Type_get_extent, &[datatype, &raw mut lb as u64, &raw mut extent as u64]);
    (done == Some(0)).then(|| u64::try_from(extent).ok()).flatten()
}

/// Is it a call of the program to mpivet, which nothing is to be said of?
pub(crate) fn is_for_us(call: &Call) -> bool {
    call.info.row.id == FnId::MPI_Pcontrol && call.words[0] as i32 == LEVEL && mode::is_recording()
}
