//! `null-buffer`: see `trace_format::catalogue::NULL_BUFFER`.

use super::arguments::{Amount, Buffer, Exam};
use trace_format::catalogue::NULL_BUFFER;

/// Nothing is ever mapped in the first page of memory.
const FIRST_PAGE: u64 = 4096;
/// Nobody has a window or an attached buffer of this many bytes: one that begins at MPI_BOTTOM means all memory.
const ALL_MEMORY: u64 = 1 << 40;

/// Does a buffer that is needed begin at NULL, or a little behind it?
pub(super) fn check(exam: &mut Exam, buffer: &Buffer) -> bool {
    let word = exam.word(buffer.param);
    if exam.call.abi.is_in_place(word) || word >= 2 * FIRST_PAGE && !matches!(buffer.amount, Amount::Blocks { .. }) {
        return false;
    }
    let ranges = exam.ranges(buffer);
    let Some((start, end)) = ranges.into_iter().find(|(start, _)| *start < FIRST_PAGE) else { return false };
    // MPI_BUFFER_AUTOMATIC is a small number in the standard's interface.
    let bytes = matches!(buffer.amount, Amount::Bytes(_));
    if bytes && (end - start >= ALL_MEMORY || word != 0) || word >= FIRST_PAGE {
        return false;
    }
    let argument = exam.argument(buffer.param, None);
    let value = if word == 0 { "NULL".to_owned() } else { format!("{word:#x}, next to NULL") };
    let bytes = end - start;
    let plural = if bytes == 1 { "" } else { "s" };
    let how = if buffer.writes { "filled" } else { "read" };
    exam.tell(&NULL_BUFFER, format!("{argument} is {value}, but {bytes} byte{plural} are to be {how} there"))
}
