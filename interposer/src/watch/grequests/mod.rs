//! Generalized requests (MPI 4.1, 13.2): the program's callbacks are called through functions of ours, which record what
//! they were called with and what they answered. The library is given an `extra_state` of ours, by which the request is
//! found; the program's own is passed on. Requests that another tool makes for itself, that the library makes inside of its
//! calls, and those of MPIX_Grequest_start are left as they are.

mod callbacks;

use crate::mpi::abi::Abi;
use crate::mpi::words::{Words, handle_at};
use crate::state::recording::Call;
use crate::state::statuses;
use crate::state::thread::Thread;
use crate::watch::checks::Spot;
pub(crate) use callbacks::{failures, sets_status};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use trace_format::mpi::{FnId, Kind};

/// One generalized request.
pub(crate) struct Grequest {
    /// The program's `query_fn`, `free_fn` and `cancel_fn`.
    functions: [u64; 3],
    extra_state: u64,
    /// The library calls the functions as Fortran does: arguments by reference, the error code as the last of them.
    by_reference: bool,
    life: Mutex<Life>,
}

/// The life of a generalized request so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Life {
    pub(crate) handle: u64,
    /// The call of MPI_Grequest_start; `None` until it has returned.
    pub(crate) made: Option<Spot>,
    /// The call of MPI_Grequest_complete.
    pub(crate) completed: Option<Spot>,
    /// The program has freed it with MPI_Request_free.
    pub(crate) freed: Option<Spot>,
    /// The call that has told the program that it is complete, and made an end of it.
    pub(crate) ended: Option<Spot>,
    /// How often the library has called `free_fn`.
    pub(crate) frees: u32,
    /// MPI_Cancel was called before it was complete.
    pub(crate) cancelled: bool,
    /// MPI_Cancel was called when it was complete.
    pub(crate) cancelled_late: bool,
    /// The last answer of `query_fn`.
    pub(crate) answer: Option<Answer>,
    /// That it was cancelled too late was told.
    pub(crate) is_told: bool,
}

/// The deeds of `query_fn` with the status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    /// It has set the number of elements.
    pub(crate) elements: bool,
    /// It has said whether the request was cancelled.
    pub(crate) cancelled: bool,
}

/// So many requests that are over are kept, so that a library that calls a callback once more reaches the program's.
const KEPT: usize = 1024;

struct All {
    /// By what the library was given as `extra_state`: the address of the [`Grequest`].
    by_state: FxHashMap<u64, Arc<Grequest>>,
    /// The last one with this handle.
    by_handle: FxHashMap<u64, u64>,
    /// Requests that are complete and whose `free_fn` was called, the oldest first.
    over: VecDeque<u64>,
    /// Functions whose answers were told of, and whether they set the elements.
    told: FxHashSet<(u64, bool)>,
}

static ALL: Mutex<All> = Mutex::new(All {
    by_state: FxHashMap::with_hasher(FxBuildHasher),
    by_handle: FxHashMap::with_hasher(FxBuildHasher),
    over: VecDeque::new(),
    told: FxHashSet::with_hasher(FxBuildHasher),
});

/// Not to be held while the program or the library is called.
fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(|e| e.into_inner())
}

impl All {
    /// The request is complete, and its `free_fn` was called.
    fn bury(&mut self, state: u64) {
        self.over.push_back(state);
        if self.over.len() > KEPT
            && let Some(oldest) = self.over.pop_front()
            && let Some(request) = self.by_state.remove(&oldest)
        {
            let handle = request.life().handle;
            if self.by_handle.get(&handle) == Some(&oldest) {
                self.by_handle.remove(&handle);
            }
        }
    }

    fn with_handle(&self, handle: u64) -> Option<&Arc<Grequest>> {
        self.by_state.get(self.by_handle.get(&handle)?)
    }
}

impl Grequest {
    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// The place of `extra_state` among the arguments of MPI_Grequest_start.
const EXTRA_STATE: usize = 3;

/// MPI_Grequest_start is about to be called: our functions in the place of the program's.
#[cold]
pub(crate) fn before_start(thread: &Thread, for_tool: bool, words: &mut Words) {
    let [query, free, cancel, extra_state, ..] = *words;
    let by_reference = match thread.in_routine {
        // Whether these are the program's functions, or those of a library that translates between the languages.
        Some(routine) if routine.function == FnId::MPI_Grequest_start => routine.first == query,
        _ => false,
    };
    if for_tool || query == 0 || free == 0 {
        return;
    }
    let functions = [query, free, cancel];
    let request = Arc::new(Grequest { functions, extra_state, by_reference, life: Mutex::default() });
    let state = Arc::as_ptr(&request) as u64;
    all().by_state.insert(state, request);
    for ((word, ours), theirs) in words.iter_mut().zip(callbacks::OURS).zip(functions) {
        if theirs != 0 {
            *word = ours();
        }
    }
    words[EXTRA_STATE] = state;
}

/// MPI_Grequest_start has returned; `handle` is `None` if it failed.
#[cold]
pub(crate) fn after_start(abi: &Abi, words: &Words, made: Option<Spot>) {
    let [_, _, _, state, at, ..] = *words;
    let mut all = all();
    let Some((made, handle)) = made.zip(handle_at(abi, Kind::Request, at)) else {
        all.by_state.remove(&state);
        return;
    };
    let Some(request) = all.by_state.get(&state) else { return };
    let mut life = request.life();
    (life.made, life.handle) = (Some(made), handle);
    drop(life);
    all.by_handle.insert(handle, state);
}

/// The request that the library means by an `extra_state`.
fn of_state(state: u64) -> Option<Arc<Grequest>> {
    all().by_state.get(&state).cloned()
}

/// The reason why MPI_Grequest_complete is called.
pub(crate) enum Completes {
    /// A request that was pending.
    Pending,
    /// One that was complete.
    Again(Life),
    /// None that is known.
    Unknown,
}

/// MPI_Grequest_complete is about to be called by `by`.
pub(crate) fn completes(handle: u64, by: Spot) -> Completes {
    let mut all = all();
    let Some(request) = all.with_handle(handle).cloned() else { return Completes::Unknown };
    let mut life = request.life();
    match life.completed {
        Some(_) => Completes::Again(*life),
        None => {
            life.completed = Some(by);
            let is_over = life.frees > 0;
            drop(life);
            // MPICH 4.0 has called its `free_fn` in MPI_Request_free.
            if is_over && let Some(state) = all.by_handle.get(&handle).copied() {
                all.bury(state);
            }
            Completes::Pending
        }
    }
}

/// The call `by` is over that completed, looked at or freed the request with this handle, which `made` had made: what has
/// become of it.
pub(crate) fn over(handle: u64, made: Spot, change: impl FnOnce(&mut Life)) -> Option<Life> {
    let all = all();
    let mut life = all.with_handle(handle)?.life();
    // The handle may mean another request by now.
    (life.made == Some(made)).then(|| {
        change(&mut life);
        *life
    })
}

/// The status of a request with this handle was found wanting: true the first time that its `query_fn` was, in this way.
pub(crate) fn tell_once(handle: u64, answer: Answer) -> bool {
    let mut all = all();
    let Some(query) = all.with_handle(handle).map(|request| request.functions[0]) else { return false };
    all.told.insert((query, answer.elements))
}

/// The lives of all requests that are not complete or that the library has not freed, in the order of their making; they
/// are forgotten.
pub(crate) fn take_left() -> Vec<Life> {
    let mut all = all();
    let mut left: Vec<Life> = all
        .by_state
        .values()
        .map(|r| *r.life())
        .filter(|life| life.made.is_some() && (life.frees == 0 || life.completed.is_none()))
        .collect();
    left.sort_by_key(|life| life.made.map(|made| (made.thread, made.call)));
    all.by_handle.clear();
    left
}

/// Does the program ignore the statuses of a call, or is that not known? The Fortran bindings of some libraries give
/// statuses of their own to the C functions.
pub(crate) fn may_be_ignored(thread: &Thread, call: &Call) -> bool {
    let given = call.info.status.and_then(|(param, _)| call.words.get(param)).copied();
    call.open.site.is_by_binding() && call.abi.has_statuses_of_bindings
        || given.is_none_or(|at| call.abi.is_status_ignore(at) || statuses::is_own(thread, at))
}
