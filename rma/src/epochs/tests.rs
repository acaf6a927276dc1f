//! The rules of epochs, call by call.

use super::{Assertions, Epochs, Rule, Sync};

const FENCE: Sync = Sync::Fence(Assertions { noprecede: false, nosucceed: false });
const FIRST: Sync = Sync::Fence(Assertions { noprecede: true, nosucceed: false });
const LAST: Sync = Sync::Fence(Assertions { noprecede: false, nosucceed: true });

/// A call of a process on its window.
enum Call {
    Do(Sync),
    Access(i32),
    WithRequest(i32),
}

use Call::{Access, Do, WithRequest};

/// The rules that calls of rank 0 break, each with the number of the call and of the earlier one that it names.
fn broken(calls: impl IntoIterator<Item = Call>) -> Vec<(usize, Rule, Option<usize>)> {
    let mut epochs = Epochs::new(0);
    let mut all = Vec::new();
    for (at, call) in calls.into_iter().enumerate() {
        let fault = match &call {
            Do(sync) => epochs.check(sync),
            Access(target) => epochs.check_access(*target, false),
            WithRequest(target) => epochs.check_access(*target, true),
        };
        all.extend(fault.map(|fault| (at, fault.rule, fault.earlier)));
        match call {
            Do(sync) => epochs.synchronize(sync, at),
            Access(target) | WithRequest(target) => epochs.access(target, at),
        }
    }
    all
}

fn start(ranks: &[i32]) -> Call {
    Do(Sync::Start(Some(ranks.to_vec())))
}

#[test]
fn correct_programs_break_no_rule() {
    let none: [(usize, Rule, Option<usize>); 0] = [];
    assert_eq!(broken([Do(FIRST), Access(1), Do(FENCE), Access(0), Access(2), Do(LAST), Do(Sync::Free)]), none);
    // A fence that nothing follows begins no epoch.
    assert_eq!(broken([Do(FENCE), Do(Sync::Lock(1)), Access(1), Do(Sync::Unlock(1)), Do(Sync::Free)]), none);
    assert_eq!(broken([Do(LAST), Do(Sync::Lock(1)), Access(1), Do(Sync::Unlock(1)), Do(FIRST), Do(FENCE)]), none);
    assert_eq!(broken([Do(FENCE), Do(Sync::Lock(1)), Do(Sync::Unlock(1)), Do(FENCE), Do(Sync::Free)]), none);
    let between = [Do(FENCE), Do(Sync::Lock(1)), Access(1), Do(Sync::Unlock(1)), Do(FENCE), Do(Sync::Free)];
    assert_eq!(broken(between), none);
    // Exposure and access epochs of one process overlap; locks have each their target.
    let both = [Do(Sync::Post), start(&[1, 2]), Access(1), Access(2), Do(Sync::Complete), Do(Sync::Wait)];
    assert_eq!(broken(both), none);
    let locks = [Do(Sync::Lock(1)), Do(Sync::Lock(2)), WithRequest(2), Do(Sync::Flush(1)), Do(Sync::FlushAll)];
    assert_eq!(broken(locks.into_iter().chain([Do(Sync::Unlock(2)), Do(Sync::Unlock(1))])), none);
    let all = [Do(Sync::LockAll), Access(0), WithRequest(3), Do(Sync::Flush(3)), Do(Sync::UnlockAll), Do(Sync::Free)];
    assert_eq!(broken(all), none);
    // Another rank may be locked while this one's memory is exposed.
    assert_eq!(broken([Do(Sync::Post), Do(Sync::Lock(1)), Do(Sync::Unlock(1)), Do(Sync::Wait)]), none);
    assert_eq!(broken([Do(Sync::Start(None)), Access(7), Do(Sync::Complete)]), none);
}

#[test]
fn accesses_need_an_epoch_for_their_target() {
    assert_eq!(broken([Access(1)]), [(0, Rule::NoEpoch, None)]);
    assert_eq!(broken([Do(LAST), Access(1)]), [(1, Rule::BehindTheLastFence, Some(0))]);
    assert_eq!(broken([Do(Sync::Lock(1)), Access(2)]), [(1, Rule::NotLocked, Some(0))]);
    assert_eq!(broken([start(&[1]), Access(2)]), [(1, Rule::NotStarted, Some(0))]);
    assert_eq!(broken([Do(FENCE), WithRequest(2)]), [(1, Rule::RequestOutsideOfLock, Some(0))]);
    assert_eq!(broken([start(&[2]), WithRequest(2)]), [(1, Rule::RequestOutsideOfLock, Some(0))]);
    assert_eq!(broken([start(&[1]), Do(Sync::Complete), Access(1)]), [(2, Rule::NoEpoch, None)]);
    assert_eq!(broken([Do(Sync::Lock(1)), Do(Sync::Unlock(1)), Access(1)]), [(2, Rule::NoEpoch, None)]);
}

#[test]
fn access_epochs_are_disjoint() {
    assert_eq!(broken([Do(Sync::Lock(1)), Do(Sync::Lock(1))]), [(1, Rule::WithinLock, Some(0))]);
    assert_eq!(broken([Do(Sync::Lock(1)), Do(Sync::LockAll)]), [(1, Rule::WithinLock, Some(0))]);
    assert_eq!(broken([Do(Sync::LockAll), Do(Sync::Lock(1))]), [(1, Rule::WithinLockAll, Some(0))]);
    assert_eq!(broken([Do(Sync::LockAll), Do(Sync::LockAll)]), [(1, Rule::WithinLockAll, Some(0))]);
    assert_eq!(broken([start(&[1]), start(&[2])]), [(1, Rule::WithinStart, Some(0))]);
    assert_eq!(broken([start(&[1]), Do(Sync::Lock(2))]), [(1, Rule::WithinStart, Some(0))]);
    assert_eq!(broken([Do(Sync::Lock(2)), start(&[1])]), [(1, Rule::WithinLock, Some(0))]);
    assert_eq!(broken([Do(FENCE), Access(1), Do(Sync::Lock(1))]), [(2, Rule::WithinFences, Some(1))]);
    assert_eq!(broken([Do(Sync::LockAll), Do(FENCE)]), [(1, Rule::WithinLockAll, Some(0))]);
    assert_eq!(broken([Do(Sync::Post), Do(FENCE)]), [(1, Rule::WithinPost, Some(0))]);
}

#[test]
fn exposed_memory_is_not_locked() {
    assert_eq!(broken([Do(Sync::Post), Do(Sync::Lock(0))]), [(1, Rule::WithinPost, Some(0))]);
    assert_eq!(broken([Do(Sync::Post), Do(Sync::LockAll)]), [(1, Rule::WithinPost, Some(0))]);
    assert_eq!(broken([Do(Sync::Lock(0)), Do(Sync::Post)]), [(1, Rule::WithinLock, Some(0))]);
    assert_eq!(broken([Do(Sync::Post), Do(Sync::Post)]), [(1, Rule::PostedAlready, Some(0))]);
}

#[test]
fn ends_need_beginnings() {
    assert_eq!(broken([Do(Sync::Complete)]), [(0, Rule::CompleteWithoutStart, None)]);
    assert_eq!(broken([Do(Sync::Wait)]), [(0, Rule::WaitWithoutPost, None)]);
    assert_eq!(broken([Do(Sync::Unlock(1))]), [(0, Rule::UnlockWithoutLock, None)]);
    assert_eq!(broken([Do(Sync::Lock(2)), Do(Sync::Unlock(1))]), [(1, Rule::UnlockWithoutLock, Some(0))]);
    assert_eq!(broken([Do(Sync::LockAll), Do(Sync::Unlock(1))]), [(1, Rule::UnlockOfLockAll, Some(0))]);
    assert_eq!(broken([Do(Sync::Lock(1)), Do(Sync::UnlockAll)]), [(1, Rule::UnlockAllWithoutLockAll, Some(0))]);
    assert_eq!(broken([Do(Sync::Flush(1))]), [(0, Rule::FlushWithoutLock, None)]);
    assert_eq!(broken([Do(Sync::Lock(2)), Do(Sync::Flush(1))]), [(1, Rule::FlushWithoutLock, Some(0))]);
    assert_eq!(broken([Do(Sync::FlushAll)]), [(0, Rule::FlushWithoutLock, None)]);
}

#[test]
fn nothing_is_open_when_the_window_is_freed() {
    assert_eq!(broken([Do(Sync::Lock(1)), Do(Sync::Free)]), [(1, Rule::OpenLock, Some(0))]);
    assert_eq!(broken([Do(Sync::LockAll), Do(Sync::Free)]), [(1, Rule::OpenLockAll, Some(0))]);
    assert_eq!(broken([start(&[1]), Do(Sync::Free)]), [(1, Rule::OpenStart, Some(0))]);
    assert_eq!(broken([Do(Sync::Post), Do(Sync::Free)]), [(1, Rule::OpenPost, Some(0))]);
    assert_eq!(broken([Do(FENCE), Access(1), Do(Sync::Free)]), [(2, Rule::OpenFence, Some(1))]);
}

#[test]
fn assertions_of_fences_hold() {
    assert_eq!(broken([Do(FENCE), Access(1), Do(FIRST)]), [(2, Rule::AccessPrecedes, Some(1))]);
}
