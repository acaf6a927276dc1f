//! `inaccessible-buffer`: see `trace_format::catalogue::INACCESSIBLE_BUFFER`.

use super::arguments::{Amount, Buffer, Exam, Part};
use crate::mappings::{self, Fault};
use crate::operands;
use trace_format::catalogue::INACCESSIBLE_BUFFER;
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
        let bytes = end - start;
        let message = match fault {
            Fault::Unmapped(at) if at == start => {
                format!("{argument} is to hold {bytes} bytes from {start:#x} on, where the process has no memory")
            }
            Fault::Unmapped(at) => format!(
                "{argument} is to hold {bytes} bytes from {start:#x} on, but the process has memory only for the first {}",
                at - start
            ),
            Fault::ReadOnly(at, path) => format!(
                "{argument} is to receive {bytes} bytes from {start:#x} on, but the memory at {at:#x}, constants of {path}, may only be read"
            ),
        };
        return exam.tell(&INACCESSIBLE_BUFFER, message);
    }
    false
}

/// More parts of a datatype are not looked at.
const MAX_RUNS: usize = 4096;

/// The first part of the data with a fault, if there was one somewhere between the first and the last byte.
fn of_data(exam: &mut Exam, buffer: &Buffer, whole: (u64, u64, Fault), writes: bool) -> Option<(u64, u64, Fault)> {
    let uses = operands::uses(exam.thread, exam.call);
    let mut uses = uses.iter().filter(|u| usize::from(u.param) == buffer.param).peekable();
    if uses.peek().is_none() {
        // A call of another kind: only data without gaps are certain.
        return (!exam.has_derived_type(buffer)).then_some(whole);
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
