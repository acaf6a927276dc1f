//! `rma-epoch`: see `trace_format::catalogue::RMA_EPOCH`. The rules themselves are in the crate `rma`.

use super::{Finding, Spot};
use crate::state::thread::Thread;
use rma::{Fault, Rule};
use trace_format::catalogue::{CheckInfo, RMA_EPOCH};

static CHECK: &CheckInfo = &RMA_EPOCH;

/// The call `here` breaks a rule of epochs. `target`: the rank in the window's group that it names.
#[cold]
pub(crate) fn tell(thread: &mut Thread, here: Spot, fault: Fault<Spot>, target: Option<i32>) {
    let function = here.func.name();
    let message = format!("{function} {}", broken(fault, target));
    let mut finding = Finding::new(CHECK, message).at(here, role(fault.rule));
    if let Some((earlier, role)) = fault.earlier.zip(role_of_earlier(fault.rule)) {
        finding = finding.at(earlier, role);
    }
    finding.tell(thread);
}

/// The call `here` does what the memory of a window does not allow. `earlier`: the call that exposed the memory.
#[cold]
pub(crate) fn tell_memory(thread: &mut Thread, here: Spot, role: &'static str, broken: &str, earlier: Option<Spot>) {
    let mut finding = Finding::new(CHECK, format!("{} {broken}", here.func.name())).at(here, role);
    if let Some(earlier) = earlier {
        finding = finding.at(earlier, "exposes the memory");
    }
    finding.tell(thread);
}

/// The rule that is broken, in words that follow the name of the function.
fn broken(fault: Fault<Spot>, target: Option<i32>) -> String {
    let rank = target.map_or_else(|| "a rank".to_owned(), |target| format!("rank {target}"));
    let earlier = fault.earlier.map_or("another call", |spot| spot.func.name());
    match fault.rule {
        Rule::NoEpoch => format!("accesses {rank} of the window, and no epoch is open on it"),
        Rule::BehindTheLastFence => {
            format!("accesses {rank} of the window behind a fence with MPI_MODE_NOSUCCEED, and no other epoch is open")
        }
        Rule::NotLocked => format!("accesses {rank} of the window, which is not locked"),
        Rule::NotStarted => format!("accesses {rank} of the window, which is not in the group of MPI_Win_start"),
        Rule::RequestOutsideOfLock => "makes a request where no lock is held: MPI_Win_lock or MPI_Win_lock_all must \
                                       come before it"
            .to_owned(),
        Rule::WithinLock => match target {
            Some(_) => format!("is called for {rank} of the window, which this process has locked already"),
            None => "is called while this process holds a lock of MPI_Win_lock on the window".to_owned(),
        },
        Rule::WithinLockAll => "is called within an epoch of MPI_Win_lock_all on the window".to_owned(),
        Rule::WithinStart => "is called within an epoch of MPI_Win_start on the window".to_owned(),
        Rule::WithinFences => "is called within an epoch of MPI_Win_fence on the window".to_owned(),
        Rule::WithinPost => "is called while this process exposes its memory by MPI_Win_post".to_owned(),
        Rule::PostedAlready => "is called while this process exposes its memory already".to_owned(),
        Rule::AccessPrecedes => {
            "asserts with MPI_MODE_NOPRECEDE that it completes no access of this process, and there \
                                 is one"
                .to_owned()
        }
        Rule::CompleteWithoutStart => "is called without MPI_Win_start".to_owned(),
        Rule::WaitWithoutPost => "is called without MPI_Win_post".to_owned(),
        Rule::UnlockWithoutLock => format!("is called for {rank} of the window, which is not locked"),
        Rule::UnlockOfLockAll => {
            format!("is called for {rank} of the window, which MPI_Win_lock_all has locked with all others")
        }
        Rule::UnlockAllWithoutLockAll => "is called without MPI_Win_lock_all".to_owned(),
        Rule::FlushWithoutLock => match target {
            Some(_) => format!("is called for {rank} of the window, which is not locked"),
            None => "is called, and no rank of the window is locked".to_owned(),
        },
        Rule::OpenLock | Rule::OpenLockAll | Rule::OpenStart | Rule::OpenPost => {
            format!("is called before the epoch that {earlier} began has ended")
        }
        Rule::OpenFence => format!("is called before a fence has completed {earlier}"),
    }
}

fn role(rule: Rule) -> &'static str {
    match rule {
        Rule::NoEpoch | Rule::BehindTheLastFence | Rule::NotLocked | Rule::NotStarted | Rule::RequestOutsideOfLock => {
            "accesses the window"
        }
        Rule::OpenLock | Rule::OpenLockAll | Rule::OpenStart | Rule::OpenPost | Rule::OpenFence => "comes too early",
        Rule::AccessPrecedes => "asserts it",
        _ => "is not allowed here",
    }
}

fn role_of_earlier(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::BehindTheLastFence => "asserts that no access follows",
        Rule::NotLocked | Rule::UnlockWithoutLock | Rule::UnlockAllWithoutLockAll | Rule::FlushWithoutLock => {
            "locks another rank"
        }
        Rule::RequestOutsideOfLock | Rule::NotStarted => "begins the epoch",
        Rule::WithinFences | Rule::AccessPrecedes => "accesses the window since the last fence",
        Rule::OpenFence => "accesses the window",
        Rule::WithinLock
        | Rule::WithinLockAll
        | Rule::WithinStart
        | Rule::WithinPost
        | Rule::PostedAlready
        | Rule::UnlockOfLockAll
        | Rule::OpenLock
        | Rule::OpenLockAll
        | Rule::OpenStart
        | Rule::OpenPost => "begins the epoch",
        Rule::NoEpoch | Rule::CompleteWithoutStart | Rule::WaitWithoutPost => return None,
    })
}
