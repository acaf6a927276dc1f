//! `inaccessible-buffer`: see `trace_format::catalogue::INACCESSIBLE_BUFFER`.

use super::arguments::{Amount, Buffer, Exam, Part};
use crate::mappings::{self, Fault};
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
