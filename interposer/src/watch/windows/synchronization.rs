//! Calls of one-sided synchronization, as the rules of epochs know them.

use crate::mpi::define;
use crate::mpi::library;
use crate::mpi::words::is_true;
use crate::state::recording::Call;
use rma::{Assertions, Sync};
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, Coll, FnId, Kind, RmaSync};

/// The synchronization that a call is; `None` if it is none, or one with nobody.
pub(super) fn of(call: &Call, window: u64) -> Option<Sync> {
    let sync = match call.info.row.class {
        Class::Collective(Coll::WinFence, _) => return Some(Sync::Fence(assertions(call)?)),
        Class::Collective(Coll::WinFree, _) => return Some(Sync::Free),
        Class::RmaSync(sync) => sync,
        _ => return None,
    };
    Some(match sync {
        RmaSync::RmaStart => Sync::Start(targets(call, window)),
        RmaSync::RmaComplete => Sync::Complete,
        RmaSync::RmaPost => Sync::Post,
        RmaSync::RmaWait | RmaSync::RmaTest => Sync::Wait,
        RmaSync::Lock => Sync::Lock(rank(call)?),
        RmaSync::Unlock => Sync::Unlock(rank(call)?),
        RmaSync::LockAll => Sync::LockAll,
        RmaSync::UnlockAll => Sync::UnlockAll,
        RmaSync::Flush | RmaSync::FlushLocal => Sync::Flush(rank(call)?),
        RmaSync::FlushAll | RmaSync::FlushLocalAll => Sync::FlushAll,
        RmaSync::Sync => return None,
    })
}

/// The rank that a call of synchronization names.
pub(super) fn target(sync: &Sync) -> Option<i32> {
    match sync {
        Sync::Lock(target) | Sync::Unlock(target) | Sync::Flush(target) => Some(*target),
        _ => None,
    }
}

/// Has MPI_Win_test found that the epoch is not over?
pub(super) fn is_vain(call: &Call) -> bool {
    let flag = call.info.row.param("flag").and_then(|p| call.words.get(p)).copied();
    flag.is_some() && !is_true(call.abi, flag)
}

fn word(call: &Call, name: &str) -> Option<u64> {
    call.info.row.param(name).and_then(|p| call.words.get(p)).copied()
}

fn rank(call: &Call) -> Option<i32> {
    Some(call.abi.rank(word(call, "rank")? as i32)).filter(|rank| *rank != PROC_NULL)
}

fn assertions(call: &Call) -> Option<Assertions> {
    let (given, named) = (word(call, "assert")? as i32, &call.abi.named);
    Some(Assertions { noprecede: given & named.mode_noprecede != 0, nosucceed: given & named.mode_nosucceed != 0 })
}

/// More targets of one epoch are not looked at.
const MAX_TARGETS: usize = 1 << 16;

/// The ranks in the window's group that the group of MPI_Win_start has.
fn targets(call: &Call, window: u64) -> Option<Vec<i32>> {
    let abi = call.abi;
    let group = abi.handle_arg(Kind::Group, word(call, "group")?);
    let mut size = 0i32;
    let is_known = library::call(FnId::MPI_Group_size, &[group, &raw mut size as u64]) == Some(0);
    let ranks: Vec<i32> = (0..size).collect();
    if !is_known || ranks.len() > MAX_TARGETS {
        return None;
    }
    let all = define::handle_out(abi, Kind::Group, FnId::MPI_Win_get_group, &[window])?;
    let mut found = vec![0i32; ranks.len()];
    let args = [group, ranks.len() as u64, ranks.as_ptr() as u64, all, found.as_mut_ptr() as u64];
    let is_translated = library::call(FnId::MPI_Group_translate_ranks, &args) == Some(0);
    define::free_group(abi, all);
    is_translated.then_some(found)
}
