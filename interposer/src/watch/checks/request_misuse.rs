//! `request-misuse`: see `trace_format::catalogue::REQUEST_MISUSE`.

use super::requests::Known;
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operations::Ended;
use trace_format::catalogue::{CheckInfo, REQUEST_MISUSE};
use trace_format::mpi::Class;

static CHECK: &CheckInfo = &REQUEST_MISUSE;

/// The handle is that of a request that is over, and no other request has it.
#[cold]
pub(super) fn gone(thread: &mut Thread, call: &Call, ended: Ended) {
    let here = Spot::of(thread, call);
    let (name, made, by) = (here.func.name(), ended.made.func.name(), ended.by.func.name());
    let message =
        format!("{name} is given a request of {made} that {by} has ended; the program has kept a copy of its handle");
    Finding::new(CHECK, message)
        .at(here, "uses it again")
        .at(ended.by, "ended it")
        .at(ended.made, "made the request")
        .tell(thread);
}

/// MPI_Start of a request that cannot be started.
pub(super) fn start(thread: &mut Thread, call: &Call, known: &Known) {
    let here = Spot::of(thread, call);
    let (name, made) = (here.func.name(), known.made.func.name());
    if !known.persistent {
        let message = format!("{name} is called for a request of {made}, which is not persistent");
        Finding::new(CHECK, message).at(here, "starts it").at(known.made, "made the request").tell(thread);
    } else if known.active && !known.seen_complete {
        let message =
            format!("{name} is called for a request of {made} that is active: it was started and not completed");
        Finding::new(CHECK, message)
            .at(here, "starts it again")
            .at(known.started, "started it")
            .at(known.made, "made the request")
            .tell(thread);
    }
}

/// MPI_Request_free of an active nonblocking collective operation (MPI 4.1, 6.12). True if it was that.
pub(super) fn free(thread: &mut Thread, call: &Call, known: &Known) -> bool {
    let wrong = known.active && !known.persistent && matches!(known.class, Class::Collective(..));
    if wrong {
        let here = Spot::of(thread, call);
        let message = format!(
            "{} is called for the active request of {}, a nonblocking collective operation, which can only be completed",
            here.func.name(),
            known.made.func.name()
        );
        Finding::new(CHECK, message).at(here, "frees it").at(known.made, "made the request").tell(thread);
    }
    wrong
}

/// MPI_Cancel of what cannot be cancelled (MPI 4.1, 3.8.4 and 6.12). True if it was that.
pub(super) fn cancel(thread: &mut Thread, call: &Call, known: &Known) -> bool {
    let here = Spot::of(thread, call);
    let (name, made) = (here.func.name(), known.made.func.name());
    let what = match known.class {
        Class::Collective(..) => "a collective operation, which cannot be cancelled",
        Class::PartitionedSend | Class::PartitionedRecv => "a partitioned operation, which cannot be cancelled",
        _ if known.persistent && !known.active => "which is not active",
        _ => return false,
    };
    let message = format!("{name} is called for the request of {made}, {what}");
    Finding::new(CHECK, message).at(here, "cancels it").at(known.made, "made the request").tell(thread);
    true
}
