//! `uncommitted-datatype`: see `trace_format::catalogue::UNCOMMITTED_DATATYPE`.

use super::arguments::{Argument, Exam};
use crate::mpi::handles;
use trace_format::catalogue::UNCOMMITTED_DATATYPE;
use trace_format::mpi::Kind;

/// Is a datatype that is to be used in communication committed?
pub(super) fn check(exam: &mut Exam, argument: Argument) -> bool {
    if !exam.properties(Kind::Datatype, argument.handle).uncommitted {
        return false;
    }
    let what = exam.argument(argument.param, argument.element);
    let message = format!("{what} is a datatype that was not committed");
    let mut finding = exam.finding(&UNCOMMITTED_DATATYPE, message, "uses the datatype");
    if let Some(made) = handles::maker(Kind::Datatype, argument.handle) {
        finding = finding.at(made, "made the datatype");
    }
    finding.tell(exam.thread);
    true
}
