//! Common parts of the checks of handles.

use super::arguments::{Argument, Exam};
use super::use_after_free;
use crate::mpi::handles;
use crate::mpi::properties::{self, Proof, Standing};
use trace_format::catalogue::CheckInfo;
use trace_format::definition::{NULL_ID, UNKNOWN_ID};
use trace_format::mpi::Kind;

/// Tells if a handle is certainly not that of an object of its kind. `null`: the null handle may stand there.
pub(super) fn check(exam: &mut Exam, check: &'static CheckInfo, argument: Argument, null: bool) -> bool {
    match exam.standing(argument.kind, argument.handle) {
        Standing::Sound | Standing::Unknown => false,
        Standing::Null if null => false,
        Standing::Null => {
            let what = exam.argument(argument.param, argument.element);
            let name = handles::describe(argument.kind, NULL_ID);
            let message = format!("{what} is {name}; it must be {}", a(argument.kind));
            exam.tell(check, message)
        }
        Standing::Wrong => wrong(exam, check, argument),
    }
}

/// "a communicator", "an info object".
pub(super) fn a(kind: Kind) -> String {
    let article = if matches!(kind, Kind::Info | Kind::Errhandler) { "an" } else { "a" };
    format!("{article} {}", kind.noun())
}

fn wrong(exam: &mut Exam, check: &'static CheckInfo, argument: Argument) -> bool {
    let Argument { param, element, kind, handle } = argument;
    match properties::proof(kind, handle) {
        // `double-free` tells of what is freed again.
        Some(Proof::Freed(_)) if exam.call.info.frees.is_some_and(|(p, _)| p == param) => false,
        Some(Proof::Freed(freed)) => use_after_free::check(exam, argument, freed),
        Some(Proof::Other(other, id)) => {
            let name = match id {
                _ if handles::is_predefined(other, handle) && id != UNKNOWN_ID => handles::describe(other, id),
                _ => "one of the program's".to_owned(),
            };
            let what = exam.argument(param, element);
            exam.tell(check, format!("{what} is the handle of {} ({name}); it must be {}", a(other), a(kind)))
        }
        Some(Proof::Garbage) => {
            let (what, noun) = (exam.argument(param, element), kind.noun());
            exam.tell(check, format!("{what} is {handle:#x}, which is the handle of no {noun}"))
        }
        None => false,
    }
}
