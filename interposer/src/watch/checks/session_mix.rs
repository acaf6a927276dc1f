//! `session-mix`: see `trace_format::catalogue::SESSION_MIX`.

use super::arguments::Exam;
use super::{Finding, Spot};
use crate::call::requests::CallRequest;
use crate::mpi::descent::{self, Descent};
use crate::mpi::handles;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operations::{self, Meant};
use std::collections::BTreeSet;
use std::sync::Mutex;
use trace_format::catalogue::SESSION_MIX;
use trace_format::definition::Id;
use trace_format::mpi::FnId;

/// An object among the arguments of a call.
#[derive(Clone)]
struct Given {
    /// `group of MPI_Comm_create`.
    argument: String,
    /// `group`.
    name: String,
    descent: Descent,
    made: Option<Spot>,
}

impl Given {
    /// Tells that it does not go with another object of the call `here`.
    #[cold]
    fn tell(&self, thread: &mut Thread, here: Spot, other: &Given) {
        let message = match (self.descent, other.descent) {
            (Descent::World, _) => {
                format!("{} is derived from the world model, but {} from a session", self.argument, other.name)
            }
            (_, Descent::World) => {
                format!("{} is derived from a session, but {} from the world model", self.argument, other.name)
            }
            _ => format!("{} is derived from another session than {}", self.argument, other.name),
        };
        let mut finding = Finding::new(&SESSION_MIX, message).at(here, format!("calls {}", here.func.name()));
        let session = "started the session of";
        // The last places are those that a short report leaves out.
        let places = [
            (self.made, "made", self),
            (descent::started(self.descent), session, self),
            (descent::started(other.descent), session, other),
            (other.made, "made", other),
        ];
        for (spot, role, object) in places {
            if let Some(spot) = spot {
                finding = finding.at(spot, format!("{role} {}", object.name));
            }
        }
        finding.tell(thread);
    }
}

/// Are the objects that a call is given from different sessions, or from a session and the world model?
#[cold]
pub(super) fn check(exam: &mut Exam) -> bool {
    let row = exam.call.info.row;
    let mut first: Option<Given> = None;
    for (param, p) in row.params.iter().enumerate().filter(|(_, p)| descent::is_derived(p)) {
        let handle = exam.call.abi.handle_arg(p.kind, exam.word(param));
        let descent = handles::descent(p.kind, handle);
        if descent == Descent::Open || first.is_some() && descent::is_leaders_alone(row) && !exam.leads() {
            continue;
        }
        let made = handles::maker(p.kind, handle);
        let given = Given { argument: exam.argument(param, None), name: p.name.to_owned(), descent, made };
        let Some(first) = &first else {
            first = Some(given);
            continue;
        };
        if first.descent != descent {
            let here = Spot::of(exam.thread, exam.call);
            given.tell(exam.thread, here, first);
            return true;
        }
    }
    false
}

/// Are the requests that a call is given from different sessions, or from a session and the world model?
#[cold]
pub(super) fn requests(thread: &mut Thread, call: &Call, given: &[CallRequest]) {
    let mut first: Option<(usize, Descent, Spot)> = None;
    for request in given {
        let found =
            operations::find(thread.part, (request.handle, request.slot), |state, Meant { ix, is_certain, .. }| {
                let operation = state.requests.get(ix).filter(|_| is_certain)?;
                Some((request.place, operation.descent(), operation.made))
            });
        let Some(found) = found.filter(|(_, descent, _)| *descent != Descent::Open) else { continue };
        let Some(first) = first else {
            first = Some(found);
            continue;
        };
        if first.1 != found.1 {
            return tell_requests(thread, call, found, first);
        }
    }
}

/// Calls whose requests were told of. In a loop over MPI_Waitany the array holds ever other requests: it is one mistake.
static TOLD: Mutex<BTreeSet<(FnId, Id)>> = Mutex::new(BTreeSet::new());

#[cold]
fn tell_requests(thread: &mut Thread, call: &Call, this: (usize, Descent, Spot), other: (usize, Descent, Spot)) {
    let array = call.info.request.and_then(|r| call.info.row.params.get(r.param)).map_or("requests", |p| p.name);
    let given = |(place, descent, made): (usize, Descent, Spot)| Given {
        argument: format!("{array}[{place}] of {}", call.info.row.name),
        name: format!("{array}[{place}]"),
        descent,
        made: Some(made),
    };
    let here = Spot::of(thread, call);
    let is_new = TOLD.lock().unwrap_or_else(|e| e.into_inner()).insert((here.func, here.site));
    if is_new {
        given(this).tell(thread, here, &given(other));
    }
}
