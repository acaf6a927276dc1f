//! The windows of this process: which epochs it has open on them (MPI 4.1, 12.5), and which of its accesses are pending.

mod accesses;
mod memory;
mod range;
mod synchronization;

use crate::call::info::OnWindow;
use crate::mpi::abi::Abi;
use crate::mpi::define;
use crate::mpi::spot::Spot;
use crate::mpi::words::{ask, handle_at};
use crate::precise;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{rma_epoch, rma_range};
use accesses::Accesses;
use dashmap::DashMap;
use memory::Memory;
pub(crate) use memory::given;
use range::{Beyond, Known};
use rma::{Epochs, Sync};
use rustc_hash::FxBuildHasher;
use std::sync::LazyLock;
use trace_format::definition::{FIRST_USER_ID, Id, UNKNOWN_ID};
use trace_format::mpi::{Dir, FnId, Kind};

/// A window of this process.
struct Window {
    /// The rank of the process in its group; -1 if the library does not say.
    own: i32,
    known: Known,
    epochs: Epochs<Spot>,
    accesses: Accesses,
    memory: Memory,
}

/// By the numbers of their definitions. Nobody calls the library or reports while one is locked.
static ALL: LazyLock<DashMap<Id, Window, FxBuildHasher>> = LazyLock::new(DashMap::default);

/// Runs `f` with a window, which is known from its first call on.
fn with<T>(abi: &Abi, (id, handle): (Id, u64), f: impl FnOnce(&mut Window) -> T) -> T {
    if let Some(mut window) = ALL.get_mut(&id) {
        return f(&mut window);
    }
    let own = own_rank(abi, handle);
    let new = || Window {
        own,
        known: Known::default(),
        epochs: Epochs::new(own),
        accesses: Accesses::default(),
        memory: Memory::default(),
    };
    f(&mut ALL.entry(id).or_insert_with(new))
}

/// The rank of this process in the group of a window; -1 if the library does not say.
fn own_rank(abi: &Abi, window: u64) -> i32 {
    let Some(group) = define::handle_out(abi, Kind::Group, FnId::MPI_Win_get_group, &[window]) else { return -1 };
    let rank = ask(FnId::MPI_Group_rank, group) as i32;
    define::free_group(abi, group);
    rank
}

/// The window of a call: its number and its handle. `None` if mpivet has not seen it made.
fn window(thread: &mut Thread, call: &Call) -> Option<(Id, u64)> {
    let &Call { info, abi, words, open } = call;
    if let Some(dying) = open.freed {
        let (_, handle, id) = dying.object();
        return is_known(id).then_some((id, handle));
    }
    let by_kind = || info.row.params.iter().position(|p| p.kind == Kind::Win);
    let param = info.access.as_ref().map(|places| places.window).or_else(by_kind)?;
    let (row, word) = (info.row.params.get(param)?, words.get(param).copied()?);
    let handle = if row.dir == Dir::In { abi.handle_arg(Kind::Win, word) } else { handle_at(abi, Kind::Win, word)? };
    let id = thread.handles.id(Kind::Win, handle);
    is_known(id).then_some((id, handle))
}

fn is_known(id: Id) -> bool {
    id >= FIRST_USER_ID && id != UNKNOWN_ID
}

/// A call on a window is about to be made.
#[inline(never)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    if call.info.on_window == OnWindow::Exposes && precise::is_watching() {
        memory::exposing(thread, call);
    }
    if call.info.on_window == OnWindow::Frees {
        return memory::freeing(thread, call);
    }
    let Some(window) = window(thread, call) else { return };
    // It is the cause of whatever else may be wrong.
    if memory::before(thread, call, window) {
        return;
    }
    let fault = match call.info.on_window {
        OnWindow::Accesses => accesses::target(call).and_then(|target| {
            let has_request = call.info.request.is_some();
            let look = |w: &mut Window| {
                let is_own = target >= 0 && w.own == target;
                (w.epochs.check_access(target, has_request), w.known.target(target, is_own))
            };
            let (fault, given) = with(call.abi, window, look);
            if fault.is_none()
                && let Some(beyond) = given.and_then(|given| range::beyond(thread, call, given))
            {
                rma_range::tell(thread, Spot::of(thread, call), &words(&beyond, target));
            }
            fault.map(|fault| (fault, Some(target)))
        }),
        OnWindow::Synchronizes => synchronization::of(call, window.1).and_then(|sync| {
            if sync == Sync::Free {
                precise::windows::freeing(window.0);
            }
            let check = |w: &mut Window| {
                w.accesses.synchronize(thread.number());
                w.epochs.check(&sync)
            };
            with(call.abi, window, check).map(|fault| (fault, synchronization::target(&sync)))
        }),
        OnWindow::No | OnWindow::Exposes | OnWindow::Frees => None,
    };
    if let Some((fault, target)) = fault {
        rma_epoch::tell(thread, Spot::of(thread, call), fault, target);
    }
}

/// Bytes beyond the memory of a target.
#[cold]
fn words(beyond: &Beyond, target: i32) -> String {
    match beyond {
        Beyond::Outside { bytes, size } => {
            let (first, last) = (bytes.start, bytes.end - 1);
            format!("bytes {first} to {last} of the window of rank {target}, which has {size} bytes")
        }
        Beyond::Before { displacement } => {
            format!("memory before the window of rank {target}: target_disp is {displacement}")
        }
    }
}

/// A call on a window has succeeded.
#[inline(never)]
pub(crate) fn after(thread: &mut Thread, call: &Call) {
    let Some(window) = window(thread, call) else { return };
    match call.info.on_window {
        OnWindow::Accesses => accesses::made(thread, call, window),
        OnWindow::Synchronizes => {
            if let Some(sync) = synchronization::of(call, window.1).filter(|_| !synchronization::is_vain(call)) {
                accesses::complete(thread, call, window, &sync);
                let spot = Spot::of(thread, call);
                match sync {
                    Sync::Free => {
                        ALL.remove(&window.0);
                        precise::own_memory::freed(window.0);
                    }
                    sync => {
                        let is_exposed = with(call.abi, window, |w| {
                            w.epochs.synchronize(sync, spot);
                            w.epochs.is_exposed()
                        });
                        precise::windows::synchronized(window.0, is_exposed);
                    }
                }
            }
        }
        OnWindow::Exposes => {
            memory::exposed(thread, call, window);
            if precise::is_watching() {
                memory::is_exposed(call, window.0);
            }
        }
        OnWindow::No | OnWindow::Frees => {}
    }
}

/// MPI_Finalize, the call `here`, is about to be made: epochs that are still open.
#[cold]
pub(crate) fn before_end(thread: &mut Thread, here: Spot) {
    let mut open: Vec<_> = ALL.iter().filter_map(|window| window.epochs.open()).collect();
    open.sort_by_key(|fault| fault.earlier.map(|spot| (spot.thread, spot.call)));
    open.into_iter().for_each(|fault| rma_epoch::tell(thread, here, fault, None));
}
