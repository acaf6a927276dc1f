//! Calls that are given requests, before they are made: which check looks at them.

use super::Spot;
use super::{
    nonpersistent_request_free, partitioned_misuse, request_cancel, request_misuse, session_mix, wrong_request_free,
};
use crate::call::info::Role;
use crate::mpi::sessions;
use crate::state::call_requests::{self, CallRequest};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operations::{self, Ended, Meant, Part};
use smallvec::SmallVec;
use trace_format::mpi::Class;

/// Facts of a request that a call is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) class: Class,
    pub(super) made: Spot,
    pub(super) started: Spot,
    pub(super) persistent: bool,
    /// Started, and the program does not know yet that it is complete.
    pub(super) active: bool,
    pub(super) seen_complete: bool,
}

impl Known {
    /// Is it a send, in so far as freeing it while it is active is not forbidden?
    pub(super) fn is_send(&self) -> bool {
        matches!(self.class, Class::Send(..))
    }

    pub(super) fn is_point_to_point(&self) -> bool {
        self.class.exchanges()
    }
}

/// The request that is meant without doubt, or how the last one of this handle ended.
fn known(own: Part, given: CallRequest) -> (Option<Known>, Option<Ended>) {
    let known = operations::find(own, (given.handle, given.slot), |state, Meant { ix, is_certain, .. }| {
        state.requests.get(ix).filter(|_| is_certain).map(|o| Known {
            class: o.class,
            made: o.made,
            started: o.started,
            persistent: o.persistent,
            active: o.active,
            seen_complete: o.seen_complete,
        })
    });
    let ended = if known.is_none() { operations::ended_anywhere(own, given.handle) } else { None };
    (known, ended)
}

/// A call that is given requests is about to be made.
#[inline(never)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    let own = thread.part;
    let mut given = call_requests::keep_all(thread, call);
    if given.len() > 1 && sessions::were_any() {
        let all = call_requests::kept(thread);
        session_mix::requests(thread, call, &all);
        given = call_requests::keep_again(thread, all);
    }
    if matches!(call.info.role, Role::Completes | Role::Peeks) {
        if operations::are_partitions_sent() {
            let given = SmallVec::<[CallRequest; 4]>::from_slice(given);
            return completes_partitions(thread, call, &given);
        }
        if let Some(ended) = operations::ended(own, given) {
            request_misuse::gone(thread, call, ended);
        }
        return;
    }
    for given in SmallVec::<[CallRequest; 4]>::from_slice(given) {
        match known(own, given) {
            (None, Some(ended)) => request_misuse::gone(thread, call, ended),
            (Some(known), _) => one(thread, call, given, &known),
            (None, None) => {}
        }
    }
}

/// A call that completes requests, some of which may be of sends with partitions.
#[cold]
fn completes_partitions(thread: &mut Thread, call: &Call, given: &[CallRequest]) {
    if let Some(ended) = operations::ended(thread.part, given) {
        request_misuse::gone(thread, call, ended);
    }
    partitioned_misuse::wait(thread, call, given);
}

#[cold]
fn one(thread: &mut Thread, call: &Call, given: CallRequest, known: &Known) {
    match call.info.role {
        Role::Restarts => request_misuse::start(thread, call, known),
        Role::Frees if request_misuse::free(thread, call, known) => {}
        Role::Frees if known.persistent => wrong_request_free::check(thread, call, known),
        Role::Frees => nonpersistent_request_free::check(thread, call, known),
        Role::Cancels if request_misuse::cancel(thread, call, known) => {}
        Role::Cancels => request_cancel::check(thread, call, known),
        Role::Marks => partitioned_misuse::check(thread, call, given, known),
        _ => {}
    }
}
