//! The operations of this process that have begun and not ended: their requests, and the memory that they use.

use crate::checks::{Spot, buffers, partitions, requests};
use crate::encode::handle_at;
use crate::handles;
use crate::info::Role;
use crate::operands::{self, Use, Uses};
use crate::recording::{Call, encoder};
use crate::snapshots::Snapshots;
use crate::sums;
use crate::thread::Thread;
use smallvec::SmallVec;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use trace_format::mpi::{Class, Kind, Many};
use trace_format::requests::{Ix, Requests};
use typemap::{Key, Pending};

/// An operation with a request.
pub(crate) struct Operation {
    pub(crate) class: Class,
    /// The call that made the request.
    pub(crate) made: Spot,
    /// The call that started it last.
    pub(crate) started: Spot,
    pub(crate) persistent: bool,
    /// Started and not complete, as far as the program was told.
    pub(crate) active: bool,
    pub(crate) cancelled: bool,
    /// The program was told that it is complete, without completing it (MPI_Request_get_status).
    pub(crate) seen_complete: bool,
    /// Another operation was told to use its memory: what becomes of the data has its cause.
    is_disturbed: bool,
    /// Its buffers; those of a persistent one are the same at every start.
    pub(crate) uses: Uses,
    keys: SmallVec<[Key; 2]>,
    snapshots: Snapshots,
    pub(crate) partitions: Option<Box<Partitions>>,
}

impl Operation {
    /// Has it received data that nobody had a reason to touch since, now that it turns out to be complete?
    fn has_received(&self) -> bool {
        let is_untouched = self.active && !self.seen_complete && !self.cancelled && !self.is_disturbed;
        is_untouched && self.partitions.is_none() && self.uses.iter().any(|u| u.access.writes())
    }
}

/// State of a partitioned operation (MPI 4.1, 4.2).
pub(crate) struct Partitions {
    /// Those of a send that were marked ready since it was started.
    pub(crate) ready: Vec<bool>,
    pub(crate) is_send: bool,
}

/// How a request ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) made: Spot,
    pub(crate) by: Spot,
}

#[derive(Default)]
pub(crate) struct State {
    /// Boxed: an operation is half a kilobyte, and tables move what they hold.
    pub(crate) requests: Requests<Box<Operation>, Ended>,
    pub(crate) pending: Pending<(Ix, u8)>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Buffers of pending operations.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Runs `f` with the operations of the process. It must not call the library or report.
pub(crate) fn with<T>(f: impl FnOnce(&mut State) -> T) -> T {
    let mut state = STATE.lock().unwrap_or_else(|e| e.into_inner());
    let state = state.get_or_insert_default();
    let result = f(state);
    PENDING.store(state.pending.len(), Ordering::Relaxed);
    result
}

/// Is any buffer in use by a pending operation?
#[inline(always)]
pub(crate) fn is_any_pending() -> bool {
    PENDING.load(Ordering::Relaxed) != 0
}

/// A request that a call was given: where its handle stands, and the handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given {
    pub(crate) slot: u64,
    pub(crate) handle: u64,
}

/// The requests that a call is given, without null handles; with their places in the array.
pub(crate) fn given(thread: &mut Thread, call: &Call) -> SmallVec<[(usize, Given); 4]> {
    let &Call { info, abi, words, .. } = call;
    let Some(request) = info.request else { return SmallVec::new() };
    let base = words.get(request.param).copied().unwrap_or(0);
    let real = |(_, g): &(usize, Given)| !handles::is_null_request(g.handle);
    if request.by_value {
        let given = Given { slot: 0, handle: abi.handle_arg(Kind::Request, base) };
        return std::iter::once((0, given)).filter(real).collect();
    }
    let n = match request.len {
        Some((len, at_root)) => {
            encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words).length(len, at_root)
        }
        None => 1,
    };
    let bytes = abi.handle_bytes(Kind::Request) as u64;
    let one = |i: usize| {
        let slot = base + i as u64 * bytes;
        Some((i, Given { slot, handle: handle_at(abi, Kind::Request, slot)? }))
    };
    (0..n).filter_map(one).filter(real).collect()
}

/// Keeps the handles that a completion call is given: the library overwrites them.
pub(crate) fn keep_given(thread: &mut Thread, call: &Call) {
    let given = given(thread, call);
    keep(thread, given);
}

fn keep(thread: &mut Thread, given: SmallVec<[(usize, Given); 4]>) {
    let depth = thread.depth;
    if thread.given.len() <= depth {
        thread.given.resize_with(depth + 1, SmallVec::new);
    }
    if let Some(place) = thread.given.get_mut(depth) {
        *place = given;
    }
}

/// A call that makes a request has succeeded.
pub(crate) fn made(thread: &mut Thread, call: &Call) {
    let &Call { info, abi, words, .. } = call;
    let Some(slot) = info.request.and_then(|r| words.get(r.param)).copied() else { return };
    let Some(handle) = handle_at(abi, Kind::Request, slot).filter(|h| !handles::is_null_request(*h)) else { return };
    let spot = Spot::of(thread, call);
    let persistent = info.role == Role::Describes;
    let of_nobody = matches!(info.row.class, Class::Mrecv(_))
        && thread.given.get(thread.depth).is_some_and(|given| !given.is_empty());
    let uses = if of_nobody { Uses::new() } else { operands::uses(thread, call) };
    buffers::itself(thread, call, &uses);
    if sums::are_on() && !persistent {
        sums::started(thread, call, 0, info.row.class, &uses);
    }
    let partitions = match info.row.class {
        class @ (Class::PartitionedSend | Class::PartitionedRecv) => {
            let n = info.row.param("partitions").and_then(|p| words.get(p)).map_or(0, |w| *w as i32).max(0) as usize;
            let is_send = class == Class::PartitionedSend;
            (n <= MAX_PARTITIONS).then(|| Box::new(Partitions { ready: vec![false; n], is_send }))
        }
        _ => None,
    };
    let operation = Box::new(Operation {
        class: info.row.class,
        made: spot,
        started: spot,
        persistent,
        active: false,
        cancelled: false,
        seen_complete: false,
        is_disturbed: false,
        uses,
        keys: SmallVec::new(),
        snapshots: Snapshots::default(),
        partitions,
    });
    let conflicts = with(|state| {
        let ix = state.requests.add(handle, slot, operation);
        if persistent { SmallVec::new() } else { state.start(ix, spot) }
    });
    conflicts.into_iter().for_each(|c| buffers::tell(thread, call, c));
}

/// More partitions are not looked at.
pub(crate) const MAX_PARTITIONS: usize = 1 << 16;

/// MPI_Start or MPI_Startall has succeeded.
pub(crate) fn started(thread: &mut Thread, call: &Call) {
    let given = given(thread, call);
    let spot = Spot::of(thread, call);
    for (i, request) in given {
        let (conflicts, data) = with(|state| match state.requests.find(request.handle, request.slot) {
            Some(ix) => {
                let conflicts = state.start(ix, spot);
                let data = state.requests.get(ix).filter(|o| sums::are_on() && o.persistent && o.partitions.is_none());
                (conflicts, data.map(|o| (o.class, o.uses.clone())))
            }
            None => (SmallVec::new(), None),
        });
        conflicts.into_iter().for_each(|c| buffers::tell(thread, call, c));
        if let Some((class, uses)) = data {
            sums::started(thread, call, i, class, &uses);
        }
    }
}

/// A completion call has returned: the operations that it completed are over.
pub(crate) fn completed(thread: &mut Thread, call: &Call, failed: bool) {
    let spot = Spot::of(thread, call);
    let depth = thread.depth;
    let Some(given) = thread.given.get_mut(depth).map(std::mem::take) else { return };
    if failed {
        // Of persistent requests nothing tells which of them are over.
        with(|state| {
            for (_, given) in &given {
                let Some(ix) = state.requests.find(given.handle, given.slot) else { continue };
                if state.requests.get(ix).is_some_and(|o| o.persistent) {
                    state.release(ix);
                    let operation = state.requests.get_mut(ix);
                    operation.into_iter().for_each(|o| (o.seen_complete, o.is_disturbed) = (true, true));
                }
            }
        });
    }
    let done = done(call, &given, failed);
    if done.is_empty() {
        return;
    }
    let peeks = call.info.role == Role::Peeks;
    let some =
        matches!(call.info.row.class, Class::Wait(Many::Some) | Class::Test(Many::Some) | Class::GetStatus(Many::Some));
    let mut data: SmallVec<[_; 1]> = SmallVec::new();
    let changes = with(|state| {
        let mut changes: SmallVec<[_; 1]> = SmallVec::new();
        for (k, i) in done.into_iter().enumerate() {
            let place = given.binary_search_by_key(&i, |g| g.0).ok();
            let Some((_, given)) = place.and_then(|place| given.get(place)) else { continue };
            let Some((ix, certain)) = state.requests.meant(given.handle, given.slot) else { continue };
            if sums::are_on() && certain && !failed {
                let operation = state.requests.get(ix).filter(|o| o.has_received());
                data.extend(operation.map(|o| ((i, if some { k } else { i }), o.class, o.uses.clone())));
            }
            // Requests that share a handle are all complete, as the library has it: which is meant does not matter then.
            for other in state.requests.sharing(given.handle) {
                state.release(other);
                state.requests.get_mut(other).into_iter().for_each(|o| o.is_disturbed = true);
            }
            changes.extend(state.end(ix, certain && !failed));
            let Some(operation) = state.requests.get_mut(ix) else { continue };
            operation.seen_complete = true;
            if peeks {
                continue;
            }
            operation.active = false;
            if !operation.persistent {
                let ended = Ended { made: operation.made, by: spot };
                state.requests.remove(ix, ended);
            }
        }
        changes
    });
    changes.into_iter().for_each(|c| buffers::tell_changed(thread, call, c));
    data.into_iter().for_each(|(places, class, uses)| sums::completed(thread, call, places, class, &uses));
}

/// Which of the given requests a call has completed, by their places.
fn done(call: &Call, given: &[(usize, Given)], failed: bool) -> SmallVec<[usize; 8]> {
    let &Call { info, abi, words, .. } = call;
    let all = || given.iter().map(|g| g.0).collect();
    let int = |name: &str| {
        let address = info.row.param(name).and_then(|p| words.get(p)).copied().unwrap_or(0);
        // SAFETY: the library has written an integer to this address of the program's.
        (address >= abi.lowest_address).then(|| unsafe { (address as *const i32).read_unaligned() })
    };
    if failed {
        // Those whose handle the library has taken away.
        let bytes = |g: &&(usize, Given)| handle_at(abi, Kind::Request, g.1.slot).is_some_and(handles::is_null_request);
        return given.iter().filter(bytes).map(|g| g.0).collect();
    }
    let flag = || int("flag").is_none_or(|flag| flag != 0);
    match info.row.class {
        Class::Wait(Many::One | Many::All) => all(),
        Class::Test(Many::One | Many::All) | Class::GetStatus(Many::One | Many::All) if flag() => all(),
        Class::Wait(Many::Any) | Class::Test(Many::Any) | Class::GetStatus(Many::Any) if flag() => {
            int("index").and_then(|i| usize::try_from(i).ok()).into_iter().collect()
        }
        Class::Wait(Many::Some) | Class::Test(Many::Some) | Class::GetStatus(Many::Some) => {
            let count = int("outcount").unwrap_or(0).max(0) as usize;
            let base = info.row.param("array_of_indices").and_then(|p| words.get(p)).copied().unwrap_or(0);
            let count = if base < abi.lowest_address { 0 } else { count.min(given.len()) };
            // SAFETY: the library has written this many indices to the program's array.
            let at = |i: usize| unsafe { ((base + 4 * i as u64) as *const i32).read_unaligned() };
            (0..count).filter_map(|i| usize::try_from(at(i)).ok()).collect()
        }
        _ => SmallVec::new(),
    }
}

/// MPI_Request_free has succeeded, or MPI_Cancel, or one of the calls for partitions.
pub(crate) fn changed(thread: &mut Thread, call: &Call, given: Given) {
    let spot = Spot::of(thread, call);
    with(|state| {
        let Some(ix) = state.requests.find(given.handle, given.slot) else { return };
        match call.info.role {
            Role::Frees => {
                // When it ends nobody will say.
                state.release(ix);
                if let Some(operation) = state.requests.get(ix) {
                    let ended = Ended { made: operation.made, by: spot };
                    state.requests.remove(ix, ended);
                }
            }
            Role::Marks => {
                let (operation, marked) = (state.requests.get_mut(ix), partitions::of(call));
                if let Some(Partitions { ready, is_send: true }) = operation.and_then(|o| o.partitions.as_deref_mut()) {
                    for partition in marked {
                        if let Some(place) = usize::try_from(partition).ok().and_then(|p| ready.get_mut(p)) {
                            *place = true;
                        }
                    }
                }
            }
            Role::Cancels => state.requests.get_mut(ix).into_iter().for_each(|o| o.cancelled = true),
            _ => {}
        }
    });
}

/// A blocking call is about to use these buffers: those that pending operations have.
pub(crate) fn conflicts(uses: &[Use]) -> SmallVec<[buffers::Conflict; 1]> {
    with(|state| uses.iter().filter_map(|used| state.conflict(used)).take(1).collect())
}

impl State {
    /// A pending operation whose use of memory does not go with this one.
    fn conflict(&mut self, used: &Use) -> Option<buffers::Conflict> {
        let (&(ix, place), address) = self.pending.conflict(&used.buffer, used.access.writes())?;
        let other = self.requests.get_mut(ix)?;
        other.is_disturbed = true;
        Some(buffers::Conflict {
            mine: used.clone(),
            theirs: other.uses.get(usize::from(place))?.clone(),
            class: other.class,
            started: other.started,
            address,
        })
    }

    /// The operation begins: its buffers are in use.
    fn start(&mut self, ix: Ix, spot: Spot) -> SmallVec<[buffers::Conflict; 1]> {
        self.release(ix);
        let Some(operation) = self.requests.get_mut(ix) else { return SmallVec::new() };
        let uses = std::mem::take(&mut operation.uses);
        let conflicts: SmallVec<[_; 1]> = uses.iter().filter_map(|u| self.conflict(u)).take(1).collect();
        let Some(operation) = self.requests.get_mut(ix) else { return conflicts };
        operation.uses = uses;
        operation.started = spot;
        operation.active = true;
        operation.cancelled = false;
        operation.seen_complete = false;
        operation.is_disturbed = !conflicts.is_empty();
        if let Some(partitions) = &mut operation.partitions {
            partitions.ready.fill(false);
        }
        // Of partitioned operations the parts belong to the program and to MPI in turn.
        let is_partitioned = matches!(operation.class, Class::PartitionedSend | Class::PartitionedRecv);
        let held = if is_partitioned { 0 } else { usize::from(u8::MAX) };
        for (place, used) in operation.uses.iter().enumerate().take(held) {
            let key = self.pending.insert(used.buffer.clone(), used.access.writes(), (ix, place as u8));
            operation.keys.push(key);
        }
        if !is_partitioned {
            operation.snapshots.take(&operation.uses);
        }
        conflicts
    }

    /// The memory of an operation is the program's again.
    fn release(&mut self, ix: Ix) {
        let Some(operation) = self.requests.get_mut(ix) else { return };
        for key in std::mem::take(&mut operation.keys) {
            self.pending.remove(key);
        }
    }

    /// An operation is complete. What has become of the buffers that it reads.
    fn end(&mut self, ix: Ix, compare: bool) -> Option<buffers::Changed> {
        self.release(ix);
        let operation = self.requests.get_mut(ix)?;
        let compare = compare && operation.active && !operation.cancelled && !operation.is_disturbed;
        let snapshots = std::mem::take(&mut operation.snapshots);
        let (place, change) = if compare { snapshots.changed(&operation.uses)? } else { return None };
        let used = operation.uses.get(place)?.clone();
        Some(buffers::Changed { used, change, started: operation.started })
    }
}

/// A call is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    match call.info.role {
        // The library takes the message's handle away.
        Role::Starts if matches!(call.info.row.class, Class::Mrecv(_)) => {
            let nothing = operands::takes_nothing(call).then_some((0, Given { slot: 0, handle: 0 }));
            keep(thread, nothing.into_iter().collect());
        }
        Role::None | Role::Starts | Role::Describes => {}
        Role::Blocking => buffers::blocking(thread, call),
        _ => requests::before(thread, call),
    }
}

/// A call has returned.
#[inline(always)]
pub(crate) fn after(thread: &mut Thread, call: &Call, failed: bool) {
    match call.info.role {
        Role::None | Role::Blocking => {}
        Role::Completes | Role::Peeks => completed(thread, call, failed),
        _ if failed => {}
        Role::Starts | Role::Describes => made(thread, call),
        Role::Restarts => started(thread, call),
        Role::Frees | Role::Cancels | Role::Marks => {
            let depth = thread.depth;
            let given = thread.given.get_mut(depth).map(std::mem::take).unwrap_or_default();
            given.into_iter().for_each(|(_, given)| changed(thread, call, given));
        }
    }
}

/// Where a call has its requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestParam {
    pub(crate) param: usize,
    /// Passed as it is, not by the address of its variable.
    pub(crate) by_value: bool,
    pub(crate) len: Option<(trace_format::plan::Len, bool)>,
}
