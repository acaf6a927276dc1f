//! `aliased-buffers`: see `trace_format::catalogue::ALIASED_BUFFERS`.

use super::arguments::{Buffer, Exam};
use trace_format::catalogue::ALIASED_BUFFERS;
use trace_format::mpi::{Class, Kind};

/// Is the first byte of a buffer that is written also the first byte of another one of the call?
pub(super) fn check(exam: &mut Exam, buffers: &[Buffer]) -> bool {
    let [first, second, ..] = buffers else { return false };
    // Combined sends and receives have a check of their own.
    if matches!(exam.call.info.row.class, Class::SendRecv(_)) {
        return false;
    }
    let pairs =
        [(first, buffers.last().unwrap_or(second)), (first, second), (second, buffers.last().unwrap_or(second))];
    pairs.into_iter().any(|(a, b)| a.param != b.param && (a.writes || b.writes) && alias(exam, a, b))
}

fn alias(exam: &mut Exam, a: &Buffer, b: &Buffer) -> bool {
    let near = exam.word(a.param).abs_diff(exam.word(b.param));
    let special = [a, b].iter().any(|x| exam.call.abi.is_in_place(exam.word(x.param)));
    if near > 1 << 32 || special || !exam.matters(&a.when) || !exam.matters(&b.when) {
        return false;
    }
    // Addresses that differ may be the same memory by the bounds of datatypes, which nobody writes by mistake.
    if near != 0 {
        return false;
    }
    let start = |exam: &mut Exam, x: &Buffer| exam.ranges(x).iter().map(|(start, _)| *start).min();
    let (Some(from), Some(to)) = (start(exam, a), start(exam, b)) else { return false };
    if from != to {
        return false;
    }
    let (name_a, name_b, function) = (exam.name(a.param), exam.name(b.param), exam.function());
    let may = b.in_place.or(a.in_place).is_some() && exam.call.info.row.params.iter().any(|p| p.kind == Kind::Comm);
    let instead = if may { "; MPI_IN_PLACE says that they are to be the same" } else { "" };
    exam.tell(
        &ALIASED_BUFFERS,
        format!("{name_a} and {name_b} of {function} are the same memory, at {from:#x}, which is not allowed{instead}"),
    )
}
