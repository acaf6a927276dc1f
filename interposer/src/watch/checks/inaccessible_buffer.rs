//! `inaccessible-buffer`: see `trace_format::catalogue::INACCESSIBLE_BUFFER`.

use super::arguments::{Amount, Buffer, Exam, Part};
use crate::watch::operands;
use recorder::mappings::{self, Fault};
use trace_format::catalogue::{INACCESSIBLE_BUFFER, RECEIVES};
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, Coll};

/// Is a buffer memory that the process may read, or write where MPI writes?
pub(super) fn check(exam: &mut Exam, buffer: &Buffer) -> bool {
    let word = exam.word(buffer.param);
    if exam.call.abi.is_in_place(word) || matches!(buffer.amount, Amount::Bytes(_)) {
        return false;
    }
    let broadcast = matches!(exam.call.info.row.class, Class::Collective(Coll::Bcast, _));
    let writes = buffer.writes && !(broadcast && exam.has_part(Part::Root));
    for (start, end) in exam.ranges(buffer) {
        if exam.thread.mappings.holds(start, end, writes) {
            continue;
        }
        let Some(fault) = mappings::fault(&mut exam.thread.mappings, start, end, writes) else { continue };
        // Between the parts of a datatype there may be anything.
        let Some((start, end, fault)) = of_data(exam, buffer, (start, end, fault), writes) else { continue };
        let argument = exam.argument(buffer.param, None);
        let bytes = match end - start {
            1 => "1 byte".to_owned(),
            n => format!("{n} bytes"),
        };
        let message = match fault {
            Fault::Unmapped(at) if at == start => {
                format!("{argument} is to hold {bytes} from {start:#x} on, where the process has no memory")
            }
            Fault::Unmapped(at) => format!(
                "{argument} is to hold {bytes} from {start:#x} on, but the process has memory only for the first {}",
                at - start
            ),
            Fault::ReadOnly(at, path) => format!(
                "{argument} is to receive {bytes} from {start:#x} on, but the memory at {at:#x}, constants of {path}, may only be read"
            ),
        };
        let role =
            if is_upper_bound(exam, buffer) { RECEIVES.to_owned() } else { format!("calls {}", exam.function()) };
        exam.finding(&INACCESSIBLE_BUFFER, message, &role).tell(exam.thread);
        return true;
    }
    false
}

/// Does the call only receive there? Then less may come than there would have to be room for.
fn is_upper_bound(exam: &Exam, buffer: &Buffer) -> bool {
    match exam.call.info.row.class {
        Class::SendRecv(_) => buffer.writes,
        Class::SendRecvReplace(_) => {
            let dest = exam.call.info.operands.dest();
            dest.is_some_and(|dest| exam.call.abi.rank(exam.word(dest) as i32) == PROC_NULL)
        }
        _ => false,
    }
}

/// More parts of a datatype are not looked at.
const MAX_RUNS: usize = 4096;

/// The first part of the data with a fault, if there was one somewhere between the first and the last byte.
fn of_data(exam: &mut Exam, buffer: &Buffer, whole: (u64, u64, Fault), writes: bool) -> Option<(u64, u64, Fault)> {
    let uses = operands::uses(exam.thread, exam.call);
    let mut uses = uses.iter().filter(|u| usize::from(u.param) == buffer.param).peekable();
    if uses.peek().is_none() {
        // A call of another kind, or a datatype that is not known in detail: its first and its last byte are certain.
        if !exam.has_derived_type(buffer) {
            return Some(whole);
        }
        let (start, end, _) = whole;
        let ends = [(start, start.saturating_add(1)), (end.saturating_sub(1), end)];
        return ends.into_iter().find_map(|(start, end)| {
            Some((start, end, mappings::fault(&mut exam.thread.mappings, start, end, writes)?))
        });
    }
    for used in uses {
        let Some(map) = &used.map else { return Some(whole) };
        for (offset, length) in map.runs(used.count).take(MAX_RUNS) {
            let Some(start) = used.address.checked_add_signed(offset) else { continue };
            let end = start.saturating_add(length);
            if let Some(fault) = mappings::fault(&mut exam.thread.mappings, start, end, writes) {
                return Some((start, end, fault));
            }
        }
    }
    None
}
