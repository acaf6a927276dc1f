//! `use-after-free`: see `trace_format::catalogue::USE_AFTER_FREE`.

use super::arguments::{Argument, Exam};
use super::handle;
use crate::mpi::handles::Freed;
use trace_format::catalogue::USE_AFTER_FREE;

/// The program uses a handle that it has freed.
pub(super) fn check(exam: &mut Exam, argument: Argument, freed: Freed) -> bool {
    // A callback is called with handles of the library's: of a datatype that was freed while an operation was pending.
    if exam.thread.depth > 0 {
        return false;
    }
    let what = exam.argument(argument.param, argument.element);
    let noun = argument.kind.noun();
    let message = format!("{what} is {} that was already freed by {}", handle::a(argument.kind), freed.by.func.name());
    let role = format!("uses the {noun}");
    let mut finding = exam.finding(&USE_AFTER_FREE, message, &role).at(freed.by, "freed it");
    if let Some(made) = freed.made {
        finding = finding.at(made, format!("made the {noun}"));
    }
    finding.tell(exam.thread);
    true
}
