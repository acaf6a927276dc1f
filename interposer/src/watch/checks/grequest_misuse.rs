//! `grequest-misuse`: see `trace_format::catalogue::GREQUEST_MISUSE`. That a thread waits for its own request is found by the
//! analyzer, which knows what the other threads do.

use super::leaks::amount;
use super::{Finding, Spot};
use crate::call::info::Role;
use crate::job::config;
use crate::state::call_requests::CallRequest;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::grequests::{self, Completes, Life};
use crate::watch::operations::{self, Meant};
use trace_format::catalogue::{CheckInfo, GREQUEST_MISUSE};
use trace_format::mpi::{Class, FnId, Kind};

static CHECK: &CheckInfo = &GREQUEST_MISUSE;

pub(crate) fn is_on() -> bool {
    config::selection().is_on(CHECK)
}

const MADE: &str = "made the request";

/// MPI_Grequest_complete is about to be called.
#[cold]
pub(crate) fn completes(thread: &mut Thread, call: &Call) {
    let handle = call.abi.handle_arg(Kind::Request, call.words.first().copied().unwrap_or(0));
    let here = Spot::of(thread, call);
    // Handles are given out again: the call that made the request that has this one now.
    let now = operations::find(thread.part, (handle, 0), |state, Meant { ix, is_certain, .. }| {
        let operation = state.requests.get(ix).filter(|_| is_certain)?;
        Some((operation.class, operation.made))
    });
    match (grequests::completes(handle, here), now) {
        (_, Some((class, made))) if class != Class::GrequestStart => not_generalized(thread, here, made),
        (Completes::Again(life), now) if now.is_none_or(|(_, made)| Some(made) == life.made) => {
            again(thread, here, &life);
        }
        _ => {}
    }
}

fn not_generalized(thread: &mut Thread, here: Spot, made: Spot) {
    let (name, maker) = (here.func.name(), made.func.name());
    let message = format!("{name} is called for the request of {maker}, which is no generalized request");
    Finding::new(CHECK, message).at(here, "completes it").at(made, MADE).tell(thread);
}

fn again(thread: &mut Thread, here: Spot, life: &Life) {
    let (Some(made), Some(first)) = (life.made, life.completed) else { return };
    let message = format!("{} is called for a generalized request that is complete already", here.func.name());
    Finding::new(CHECK, message).at(here, "completes it again").at(first, "completed it").at(made, MADE).tell(thread);
}

/// A call has told the program that a generalized request is complete: `made` had made it.
#[cold]
pub(crate) fn delivered(thread: &mut Thread, call: &Call, given: &CallRequest, made: Spot, failed: bool) {
    let here = Spot::of(thread, call);
    let ends = call.info.role == Role::Completes;
    let change = |life: &mut Life| life.ended = life.ended.or(Some(here).filter(|_| ends));
    let Some(life) = grequests::over(given.handle, made, change) else { return };
    let Some(answer) = life.answer.filter(|_| is_on() && !failed && !grequests::may_be_ignored(thread, call)) else {
        return;
    };
    let name = here.func.name();
    let what = if !answer.elements {
        format!("the query_fn of a generalized request sets no elements in the status that {name} returns")
    } else if !answer.cancelled && life.cancelled {
        format!(
            "the query_fn of a request that MPI_Cancel was called for does not say in the status that {name} returns whether it was cancelled"
        )
    } else {
        return;
    };
    if grequests::tell_once(given.handle, answer) {
        let missing = if answer.elements { FnId::MPI_Status_set_cancelled } else { FnId::MPI_Status_set_elements };
        Finding::new(CHECK, what)
            .at(here, "gets the status")
            .at(made, MADE)
            .note(format!("query_fn is to call {}: what it leaves out is undefined", missing.name()))
            .tell(thread);
    }
}

/// The library has just asked `query_fn`.
pub(crate) fn cancelled_when_complete(thread: &mut Thread, here: Spot, life: &Life) {
    let (Some(made), Some(completed)) = (life.made, life.completed) else { return };
    let message = "the query_fn of a generalized request says that it was cancelled, though it was complete when \
                   MPI_Cancel was called";
    Finding::new(CHECK, message).at(here, "asks query_fn").at(completed, "completed it").at(made, MADE).tell(thread);
}

/// The library has just called `free_fn` again.
pub(crate) fn freed_twice(thread: &mut Thread, here: Spot, life: &Life) {
    let Some(made) = life.made else { return };
    let message = "the MPI library calls the free_fn of a generalized request a second time";
    Finding::new(CHECK, message).at(here, "calls it").at(made, MADE).note(OF_LIBRARY).tell(thread);
}

const OF_LIBRARY: &str = "this is a fault of the MPI library, not of the program";

/// MPI is over.
#[cold]
pub(super) fn at_end(thread: &mut Thread) {
    let left = grequests::take_left();
    let mut told: Vec<(&str, Spot)> = Vec::new();
    for life in &left {
        let Some((made, what)) = life.made.zip(fate(life)) else { continue };
        // One finding for those of one place.
        if told.iter().any(|(other, spot)| *other == what && (spot.func, spot.site) == (made.func, made.site)) {
            continue;
        }
        told.push((what, made));
        let is_like = |other: &&Life| {
            let same_place = other.made.is_some_and(|spot| (spot.func, spot.site) == (made.func, made.site));
            same_place && fate(other) == Some(what)
        };
        let count = left.iter().filter(is_like).count() as u64;
        let are = if count == 1 { "is" } else { "are" };
        let requests = amount(count, "generalized request");
        let message = format!("{requests} made by {} {are} {what}", made.func.name());
        let mut finding = Finding::new(CHECK, message).at(made, MADE);
        if let Some(completed) = life.completed {
            finding = finding.at(completed, "completed it");
        }
        if let Some(ended) = life.ended.or(life.freed) {
            finding = finding.at(ended, if life.ended.is_some() { "waited for it" } else { "freed it" });
        }
        if what == NEVER_FREED {
            finding = finding.note(OF_LIBRARY);
        }
        finding.tell(thread);
    }
}

const NEVER_FREED: &str = "over, and the MPI library has not called its free_fn";

/// The step that was left undone of a request whose `free_fn` was not called.
fn fate(life: &Life) -> Option<&'static str> {
    match (life.completed, life.ended.or(life.freed)) {
        (None, _) => Some("never completed: nobody has called MPI_Grequest_complete"),
        (Some(_), None) => Some("complete and neither waited for nor freed"),
        (Some(_), Some(_)) => Some(NEVER_FREED),
    }
}
