//! `invalid-rank`: see `trace_format::catalogue::INVALID_RANK`.

use super::arguments::{Exam, Of, up_to};
use crate::mpi::handles;
use crate::mpi::properties::Standing;
use trace_format::catalogue::INVALID_RANK;
use trace_format::mpi::special::{ANY_SOURCE, PROC_NULL};
use trace_format::mpi::{Class, Kind};

/// Is a rank one of its group, or a special one that may stand there?
pub(super) fn check(exam: &mut Exam, param: usize, of: Of, wildcard: bool, array: bool) -> bool {
    let Some(ranks) = size(exam, of) else { return false };
    if !array && (0..i64::from(ranks)).contains(&exam.int(param)) {
        return false;
    }
    let list = match array {
        true => exam.ints(param),
        false => vec![exam.int(param)],
    };
    let row = exam.call.info.row;
    let partner = !matches!(row.class, Class::Local | Class::Create | Class::IntercommCreate);
    let wildcard = wildcard && row.params.iter().rposition(|p| p.kind == Kind::Rank) == Some(param);
    let wrong = list.iter().position(|rank| {
        let neutral = exam.call.abi.rank(*rank as i32);
        let inside = (0..i64::from(ranks)).contains(rank);
        // Lists of ranks to be translated or of neighbours that do not exist may name MPI_PROC_NULL, and libraries take
        // it for more than the standard says.
        !inside && neutral != PROC_NULL && !(neutral == ANY_SOURCE && wildcard)
    });
    let Some(place) = wrong else { return false };
    let value = list.get(place).copied().unwrap_or_default();
    let value = match exam.call.abi.rank(value as i32) {
        ANY_SOURCE => "MPI_ANY_SOURCE".to_owned(),
        _ => value.to_string(),
    };
    let also = match (wildcard, partner) {
        (true, _) => ", MPI_ANY_SOURCE or MPI_PROC_NULL",
        (false, true) => " or MPI_PROC_NULL",
        (false, false) => "",
    };
    let argument = exam.argument(param, array.then_some(place));
    let range = match ranks {
        0 => format!("{} has no process", whose(exam, of)),
        _ => format!("it must be a rank of {}, {}{also}", whose(exam, of), up_to(i64::from(ranks))),
    };
    exam.tell(&INVALID_RANK, format!("{argument} is {value}; {range}"))
}

/// The number of processes that a rank may name.
fn size(exam: &mut Exam, of: Of) -> Option<i32> {
    match of {
        Of::Int(param) => Some(exam.int(param)).filter(|size| *size > 0).map(|size| size as i32),
        Of::Object(kind, param) => {
            let properties = exam.object(kind, param);
            properties.ranks.filter(|_| properties.standing == Standing::Sound)
        }
    }
}

/// The name of these processes.
fn whose(exam: &mut Exam, of: Of) -> String {
    match of {
        Of::Int(param) => format!("the {} processes of {}", exam.int(param), exam.name(param)),
        Of::Object(kind, param) => {
            let properties = exam.object(kind, param);
            let handle = exam.call.abi.handle_arg(kind, exam.word(param));
            match kind {
                _ if handles::is_predefined(kind, handle) => handles::describe(kind, properties.id),
                Kind::Comm if properties.inter => "the remote group of the intercommunicator".to_owned(),
                kind => format!("the {}", kind.noun()),
            }
        }
    }
}
