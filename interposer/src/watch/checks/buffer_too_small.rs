//! `buffer-too-small` for blocks of the heap, before the library reads or writes there: see
//! `trace_format::catalogue::BUFFER_TOO_SMALL`. Variables are looked up by the analyzer.

use super::arguments::Exam;
use crate::mpi::types;
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::heap::{self, Block};
use crate::watch::{operands, report};
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use trace_format::catalogue::{BUFFER_TOO_SMALL, NAMES_FREED, RECEIVES, room};
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, FnId};

/// More parts of a datatype are not looked at.
const MAX_RUNS: usize = 4096;
/// The lines of so many callers are looked up: reading debug information takes time.
const MOST_LINES: usize = 32;

/// Bytes of a buffer that are not all in the block of the first one.
struct Fault {
    block: Block,
    start: u64,
    end: u64,
}

/// A call is about to be made: do its buffers lie in their blocks? True if something was found.
pub(crate) fn check(thread: &mut Thread, call: &Call) -> bool {
    if call.info.operands.is_empty() {
        return memory(call).is_some_and(|(param, fault)| tell(thread, call, param, false, &fault));
    }
    let uses = operands::uses(thread, call);
    uses.iter().any(|used| {
        let is_upper_bound = used.access.writes() && is_upper_bound(call);
        fault_of(used).is_some_and(|fault| tell(thread, call, used.param.into(), is_upper_bound, &fault))
    })
}

/// Memory that a window or the library's buffer is to be.
fn memory(call: &Call) -> Option<(usize, Fault)> {
    use FnId::*;
    let (param, size) = match call.info.func {
        MPI_Win_create | MPI_Win_create_c | MPI_Buffer_attach_c => (0, call.words[1] as i64),
        MPI_Buffer_attach => (0, i64::from(call.words[1] as i32)),
        MPI_Comm_attach_buffer | MPI_Session_attach_buffer => (1, i64::from(call.words[2] as i32)),
        MPI_Comm_attach_buffer_c | MPI_Session_attach_buffer_c => (1, call.words[2] as i64),
        _ => return None,
    };
    let start = *call.words.get(param)?;
    let end = start.checked_add(u64::try_from(size).ok().filter(|size| *size > 0)?)?;
    Some((param, fault((start, end), false)?))
}

fn fault_of(used: &Use) -> Option<Fault> {
    let Some(map) = &used.map else { return fault(ends(used), false) };
    if map.is_opaque() {
        return None;
    }
    if !types::may_lead_elsewhere(used.datatype) {
        return fault(ends(used), false);
    }
    // Each part may be in another block.
    map.runs(used.count).take(MAX_RUNS).find_map(|(offset, length)| {
        let start = used.address.checked_add_signed(offset)?;
        fault((start, start.checked_add(length)?), true)
    })
}

fn ends(used: &Use) -> (u64, u64) {
    let span = used.buffer.span();
    (span.start, span.end)
}

/// `may_lead_on`: two parts that touch may be in two blocks that do.
fn fault((start, end): (u64, u64), may_lead_on: bool) -> Option<Fault> {
    let block = heap::find(start)?;
    let behind = block.start.saturating_add(block.size);
    if !block.is_freed && end <= behind {
        return None;
    }
    let leads_on = may_lead_on && heap::find(behind).is_some_and(|next| next.start == behind);
    (block.is_freed || !leads_on).then_some(Fault { block, start, end })
}

/// Is the count the most that may come? Then less may, and there would be room for that.
fn is_upper_bound(call: &Call) -> bool {
    match call.info.row.class {
        Class::Recv(_) | Class::Mrecv(_) | Class::PartitionedRecv | Class::SendRecv(_) | Class::FileIo(_) => true,
        Class::SendRecvReplace(_) => {
            let dest = call.info.operands.dest.and_then(|dest| call.words.get(dest));
            dest.is_some_and(|dest| call.abi.rank(*dest as i32) == PROC_NULL)
        }
        _ => false,
    }
}

#[cold]
#[inline(never)]
fn tell(thread: &mut Thread, call: &Call, param: usize, is_upper_bound: bool, fault: &Fault) -> bool {
    let Fault { block, start, end } = fault;
    let exam = Exam::new(thread, call);
    let (argument, function) = (exam.argument(param, None), exam.function());
    let (bytes, size) = (counted(end - start), counted(block.size));
    let (what, role) = if block.is_freed {
        // Which block it was is another matter: others may have had the memory meanwhile.
        ("in heap memory that was freed".to_owned(), NAMES_FREED.to_owned())
    } else {
        let place = match start - block.start {
            0 => "the beginning".to_owned(),
            byte => format!("byte {byte}"),
        };
        let role = if is_upper_bound { RECEIVES.to_owned() } else { format!("calls {function}") };
        (format!("from {place} of a heap block of {size} on"), role)
    };
    let mut finding = exam.finding(&BUFFER_TOO_SMALL, format!("{argument} is to hold {bytes} {what}"), &role);
    if is_upper_bound && !block.is_freed {
        finding = finding.note(room(block.start + block.size - start));
    }
    if let Some(line) = line(block.caller).filter(|_| !block.is_freed) {
        finding = finding.note(format!("the block was allocated in {line}"));
    }
    finding.tell(thread);
    true
}

fn counted(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// The function and the line that will be returned to.
fn line(address: u64) -> Option<String> {
    static KNOWN: Mutex<Option<FxHashMap<u64, Option<String>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let known = known.get_or_insert_default();
    if let Some(line) = known.get(&address) {
        return line.clone();
    }
    if address == 0 || known.len() >= MOST_LINES {
        return None;
    }
    let line = report::line(address);
    known.insert(address, line.clone());
    line
}
