//! `invalid-tag`: see `trace_format::catalogue::INVALID_TAG`.

use super::arguments::{Exam, PORTABLE_TAG};
use super::tag_portability;
use trace_format::catalogue::INVALID_TAG;
use trace_format::mpi::special::ANY_TAG;

/// Is a tag between 0 and the greatest one that the library allows?
pub(super) fn check(exam: &mut Exam, param: usize, wildcard: bool) -> bool {
    let tag = exam.int(param) as i32;
    if wildcard && exam.call.abi.tag(tag) == ANY_TAG {
        return false;
    }
    if (0..=PORTABLE_TAG).contains(&tag) {
        return false;
    }
    let most = tag_portability::upper_bound(exam.call.abi);
    if tag >= 0 && most.is_none_or(|most| tag <= most) {
        tag_portability::check(exam, param, tag);
        return false;
    }
    let value = match exam.call.abi.tag(tag) {
        ANY_TAG => "MPI_ANY_TAG".to_owned(),
        tag => tag.to_string(),
    };
    let range = match most {
        Some(most) => format!("0 to {most} (MPI_TAG_UB)"),
        None => "0 or greater".to_owned(),
    };
    let also = if wildcard { " or MPI_ANY_TAG" } else { "" };
    let argument = exam.argument(param, None);
    exam.tell(&INVALID_TAG, format!("{argument} is {value}; a tag must be {range}{also}"))
}
