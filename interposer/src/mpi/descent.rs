//! Where objects come from: the world model or a session, whose objects must not meet in one call (MPI 4.1, 11.3).
//!
//! Objects that were made before the first session are of the world model, so that programs without sessions pay for nothing.

use crate::mpi::abi::Abi;
use crate::mpi::spot::Spot;
use crate::mpi::words::Words;
use crate::mpi::{handles, sessions};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use trace_format::definition::{Id, NULL_ID, UNKNOWN_ID};
use trace_format::mpi::{Class, Dir, Function, Kind, Param};

/// The model that an object is derived from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Descent {
    #[default]
    World,
    /// The session of this number.
    Session(Id),
    /// It goes with all of them, or nobody can tell.
    Open,
}

/// Is a parameter an object that belongs to a session or to the world model? Datatypes, operations, info objects, error handlers
/// and keys go with all.
pub(crate) fn is_derived(p: &Param) -> bool {
    matches!(p.kind, Kind::Comm | Kind::Group | Kind::Win | Kind::File) && p.dir != Dir::Out && p.len.is_empty()
}

/// Does a second object of a function mean something at one process alone, the leader of its side (MPI 4.1, 7.6.2)?
pub(crate) fn is_leaders_alone(row: &Function) -> bool {
    matches!(row.class, Class::IntercommCreate | Class::IntercommFromGroups)
}

/// The session of an object of the program, by the handle of the session.
fn of_session(session: u64) -> Descent {
    match handles::lookup(Kind::Session, session) {
        NULL_ID | UNKNOWN_ID => Descent::Open,
        id => Descent::Session(id),
    }
}

/// Descent of what a call makes: that of the objects it is given.
pub(crate) fn of_call(abi: &Abi, row: &Function, words: &Words) -> Descent {
    let given = row.params.iter().zip(words).filter(|(p, _)| p.dir == Dir::In);
    let mut found = given.filter_map(|(p, word)| match p.kind {
        Kind::Session => Some(of_session(abi.handle_arg(p.kind, *word))),
        kind if is_derived(p) => Some(handles::descent(kind, abi.handle_arg(kind, *word))),
        _ => None,
    });
    // MPI_Comm_join must not meet sessions either.
    let first = found.next().unwrap_or(Descent::World);
    match found.find(|other| ![first, Descent::Open].contains(other)) {
        _ if is_leaders_alone(row) => first,
        None => first,
        Some(other) if first == Descent::Open => other,
        Some(_) => Descent::Open,
    }
}

/// The call that started a session, if it is still open.
pub(crate) fn started(descent: Descent) -> Option<Spot> {
    let Descent::Session(id) = descent else { return None };
    handles::held().into_iter().find(|held| held.kind == Kind::Session && held.id == id)?.made
}

/// Sessions that are over, and the calls that ended them: the last [`MAX_ENDED`].
static ENDED: Mutex<VecDeque<(Id, Spot)>> = Mutex::new(VecDeque::new());
const MAX_ENDED: usize = 1024;

fn all_ended() -> MutexGuard<'static, VecDeque<(Id, Spot)>> {
    ENDED.lock().unwrap_or_else(|e| e.into_inner())
}

/// The session of this number was finalized by the call `by`.
pub(crate) fn session_ended(id: Id, by: Spot) {
    let mut ended = all_ended();
    if ended.len() == MAX_ENDED {
        ended.pop_front();
    }
    ended.push_back((id, by));
}

/// The call that finalized the session of an object.
pub(crate) fn ended(descent: Descent) -> Option<Spot> {
    let Descent::Session(id) = descent else { return None };
    all_ended().iter().find(|(ended, _)| *ended == id).map(|(_, by)| *by)
}

/// Notes where an object comes from that a call has made; without sessions all come from the world model. `fresh`: the library
/// has not handed it out before.
pub(crate) fn made(abi: &Abi, (kind, handle): (Kind, u64), fresh: bool, row: &Function, words: &Words) {
    if sessions::were_any() && matches!(kind, Kind::Comm | Kind::Group | Kind::Win | Kind::File) {
        let descent = of_call(abi, row, words);
        // One group of the library may be handed out for both models.
        let is_other = !fresh && handles::descent(kind, handle) != descent;
        handles::set_descent(kind, handle, if is_other { Descent::Open } else { descent });
    }
}
