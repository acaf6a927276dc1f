//! `in-place-misuse`: see `trace_format::catalogue::IN_PLACE_MISUSE`. That some ranks name MPI_IN_PLACE where all must is
//! seen by the analyzer.

use super::arguments::{Amount, Buffer, Exam, Part};
use trace_format::catalogue::IN_PLACE_MISUSE;

/// Does MPI_IN_PLACE stand where it means nothing?
pub(super) fn check(exam: &mut Exam, buffer: &Buffer) -> bool {
    if !exam.call.abi.is_in_place(exam.word(buffer.param)) || is_nothing(exam, buffer) {
        return false;
    }
    let argument = exam.argument(buffer.param, None);
    let why = match buffer.in_place {
        None => "which this argument does not allow".to_owned(),
        Some(_) if exam.comm().inter => "which intercommunicators do not allow".to_owned(),
        Some(Part::Root) if !exam.has_part(Part::Root) => {
            let rank = exam.comm().rank;
            let root = exam.call.info.plan.root.map_or(0, |root| exam.int(root));
            format!("which is allowed at the root alone: the root is rank {root}, and this is rank {rank}")
        }
        Some(_) => return false,
    };
    exam.tell(&IN_PLACE_MISUSE, format!("{argument} is MPI_IN_PLACE, {why}"))
}

/// The address of nothing may be any: some languages have such an address, and it may be the value of MPI_IN_PLACE.
fn is_nothing(exam: &mut Exam, buffer: &Buffer) -> bool {
    match buffer.amount {
        Amount::Bytes(_) | Amount::Unknown => true,
        // Where it may stand on some ranks it is meant as what it says, and the counts beside it mean nothing.
        _ if buffer.in_place.is_some() => false,
        _ => exam.ranges_at(buffer, 1 << 32).is_empty(),
    }
}
