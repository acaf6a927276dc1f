//! Processes of other worlds: this process numbers them as it meets them, above the ranks of its own MPI_COMM_WORLD.
//! They come over intercommunicators that MPI_Comm_spawn and the like make; every later group is told by translating
//! its ranks to the groups that are known, a local call.

use crate::mpi::abi::Abi;
use crate::mpi::define::{free_group, handle_out};
use crate::mpi::words::{Words, ask};
use recorder::{clock, trace};
use smallvec::{SmallVec, smallvec};
use std::sync::{Arc, Mutex, MutexGuard};
use trace_format::definition::{Bridge, BridgeKind, Definition, Id, NULL_ID};
use trace_format::mpi::{Class, Coll, FnId, Function, Kind};
use trace_format::ranks::Ranks;

/// A group of the library, freed when nobody uses it any more.
struct Group(u64);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(abi) = crate::mpi::abi::current() {
            free_group(abi, self.0);
        }
    }
}

/// A group whose processes have numbers: `first` is that of its rank 0.
#[derive(Clone)]
struct Known {
    group: Arc<Group>,
    first: i32,
    /// The intercommunicator that brought it.
    comm: Id,
    /// That was freed or disconnected.
    is_gone: bool,
}

struct Numbering {
    /// The own world first.
    known: Vec<Known>,
    next: i32,
}

static NUMBERING: Mutex<Numbering> = Mutex::new(Numbering { known: Vec::new(), next: 0 });

/// So many groups stay known whose intercommunicator is gone: of their processes others may have been made, as by
/// MPI_Intercomm_merge. Servers that accept clients for ever would collect them without end.
const MAX_GONE: usize = 64;

/// Not to be held while the library is called, nor while a group is dropped: that may call an error handler of the program,
/// and this MPI again.
fn numbering() -> MutexGuard<'static, Numbering> {
    NUMBERING.lock().unwrap_or_else(|e| e.into_inner())
}

/// Makes `group`, which is freed later, the one that the ranks of the own world are told by.
pub(crate) fn own_world(group: u64, size: i32) {
    let own = Known { group: Arc::new(Group(group)), first: 0, comm: NULL_ID, is_gone: false };
    let _former = {
        let mut numbering = numbering();
        numbering.next = numbering.next.max(size);
        match numbering.known.iter_mut().find(|k| k.first == 0) {
            Some(known) => Some(std::mem::replace(known, own)),
            None => {
                numbering.known.insert(0, own);
                None
            }
        }
    };
}

/// Frees all groups.
pub(crate) fn release() {
    let known = std::mem::take(&mut numbering().known);
    drop(known);
}

/// A communicator was freed or disconnected.
pub(crate) fn comm_is_gone(comm: Id) {
    let _forgotten = numbering().leave(comm);
}

impl Numbering {
    /// The group that is forgotten for it, if there are too many.
    fn leave(&mut self, comm: Id) -> Option<Known> {
        let known = self.known.iter_mut().find(|k| k.comm == comm && k.first != 0)?;
        known.is_gone = true;
        if self.known.iter().filter(|k| k.is_gone).count() <= MAX_GONE {
            return None;
        }
        let oldest = self.known.iter().position(|k| k.is_gone)?;
        Some(self.known.remove(oldest))
    }
}

/// Ranks of a group, without a memory of their own where it is small.
type Few = SmallVec<[i32; 16]>;

/// Numbers of the processes of a group; -1 for a process that is not known.
pub(crate) fn numbers(abi: &Abi, group: u64) -> Ranks {
    let size = ask(FnId::MPI_Group_size, group);
    let known: SmallVec<[Known; 1]> = numbering().known.iter().cloned().collect();
    let mut numbers: Few = smallvec![-1; size];
    // The own world, then the latest: a library may use the names of processes that are gone again.
    for known in known.iter().take(1).chain(known.iter().skip(1).rev()) {
        let places: Few = (0..size as i32).filter(|i| numbers.get(*i as usize) == Some(&-1)).collect();
        if places.is_empty() {
            break;
        }
        let mut found: Few = smallvec![-1; places.len()];
        let (from, to) = (places.as_ptr() as u64, found.as_mut_ptr() as u64);
        let args = [group, places.len() as u64, from, known.group.0, to];
        if crate::mpi::library::call(FnId::MPI_Group_translate_ranks, &args) != Some(0) {
            continue;
        }
        for (place, rank) in places.iter().zip(found) {
            let rank = abi.rank(rank);
            if rank >= 0
                && let Some(number) = numbers.get_mut(*place as usize)
            {
                *number = known.first + rank;
            }
        }
    }
    numbers.into_iter().collect()
}

/// How a function brings processes of another world, if it does.
pub(crate) fn kind(function: &Function) -> Option<BridgeKind> {
    match function.class {
        Class::Collective(Coll::CommSpawn | Coll::CommSpawnMultiple, _) => Some(BridgeKind::Spawn),
        Class::Collective(Coll::CommAccept, _) => Some(BridgeKind::Accept),
        Class::Collective(Coll::CommConnect, _) => Some(BridgeKind::Connect),
        _ if function.id == FnId::MPI_Comm_join => Some(BridgeKind::Unknown),
        _ => None,
    }
}

/// Numbers the remote group of the intercommunicator that a call has made, and writes that down. `entered`: when
/// the call began, in ticks.
pub(crate) fn met(abi: &Abi, kind: BridgeKind, id: Id, handle: u64, call: Option<(&Function, &Words)>, entered: u64) {
    let group = |query| handle_out(abi, Kind::Group, query, &[handle]);
    let (Some(local), Some(remote)) = (group(FnId::MPI_Comm_group), group(FnId::MPI_Comm_remote_group)) else { return };
    let own = numbers(abi, local);
    let mine = ask(FnId::MPI_Group_rank, local) as i32;
    free_group(abi, local);
    let count = ask(FnId::MPI_Group_size, remote) as i32;
    let first = {
        let mut numbering = numbering();
        let first = numbering.next;
        numbering.next += count;
        numbering.known.push(Known { group: Arc::new(Group(remote)), first, comm: id, is_gone: false });
        first
    };
    let word = |name| call.and_then(|(f, words)| words.get(f.param(name)?).copied());
    let root = word("root").map_or(0, |w| w as i32);
    let port = match word("port_name") {
        // SAFETY: at the root the program passed a C string, which the library has accepted.
        Some(at) if at >= abi.lowest_address && root == mine => unsafe {
            std::ffi::CStr::from_ptr(at as *const std::ffi::c_char).to_string_lossy().into_owned()
        },
        _ => String::new(),
    };
    let returned = clock::unix_ns();
    let entered = returned.saturating_sub(clock::ticks_to_ns(clock::now().saturating_sub(entered)));
    if let Some(trace) = trace::get() {
        let bridge = Bridge { kind, comm: id, first, count, local: own, root, port, entered, returned };
        trace.define(&[Definition::Bridge(bridge)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_does_not_collect_its_clients() {
        // Group handles of nobody: without a library nothing frees them.
        let known = |comm: Id| Known { group: Arc::new(Group(0)), first: comm as i32, comm, is_gone: false };
        let mut numbering = Numbering { known: vec![known(0), known(5)], next: 0 };
        for comm in 100..10_100 {
            numbering.known.push(known(comm));
            let forgotten = numbering.leave(comm);
            assert_eq!(forgotten.map(|k| k.comm), comm.checked_sub(MAX_GONE as Id).filter(|oldest| *oldest >= 100));
        }
        assert_eq!(numbering.known.len(), 2 + MAX_GONE);
        assert!(numbering.leave(0).is_none(), "the own world stays");
        assert!(numbering.known.iter().take(2).all(|k| !k.is_gone), "what is in use stays");
    }
}
