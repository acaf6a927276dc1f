//! Our handlers in the place of the library's that end the program, and their disguise.

use super::{on_error, unset};
use crate::mpi::abi::Abi;
use crate::mpi::define;
pub(super) use crate::mpi::error_handlers::{Means, Owner};
use crate::mpi::handles;
use crate::mpi::library::{self, MpiLibrary};
use crate::mpi::sessions;
use crate::mpi::words::Words;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use trace_format::mpi::{FnId, Kind};

impl Means {
    /// The library's handle; 0 if it has none, or before it is known.
    pub(super) fn library(self) -> u64 {
        LIBRARY.get(self as usize).map_or(0, |place| place.load(Ordering::SeqCst))
    }

    /// Is it this handler of the library, or one of ours in its place?
    pub(super) fn is(self, handle: u64) -> bool {
        handle != 0 && (handle == self.library() || ours(Replaced::Set(self)).any(|ours| ours == handle))
    }
}

/// The handler in whose place a handler of ours stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// A handler that the program has set, or that the library gave the object when it was made.
    Set(Means),
    /// No handler at all: the library looks elsewhere when an error comes ([`unset`]), and says MPI_ERRORS_ARE_FATAL when
    /// it is asked.
    Unset,
}

impl Replaced {
    pub(super) const ALL: [Replaced; 3] = [Replaced::Set(Means::Fatal), Replaced::Set(Means::Abort), Replaced::Unset];

    /// Its place in [`Replaced::ALL`].
    fn place(self) -> usize {
        match self {
            Replaced::Set(means) => means as usize,
            Replaced::Unset => 2,
        }
    }

    /// The handle of the library that the program is told when it asks.
    fn library(self) -> u64 {
        match self {
            Replaced::Set(means) => means.library(),
            Replaced::Unset => Means::Fatal.library(),
        }
    }
}

/// Our handles in the place of such a handler.
fn ours(replaced: Replaced) -> impl Iterator<Item = u64> {
    STAND_INS
        .iter()
        .filter_map(move |list| list.get(replaced.place()))
        .map(|s| s.handle.load(Ordering::SeqCst))
        .filter(|h| *h != 0)
}

/// Is it our handler in the place of none?
pub(super) fn is_unset(handle: u64) -> bool {
    ours(Replaced::Unset).any(|ours| ours == handle)
}

/// MPI_ERRORS_RETURN.
pub(super) static RETURN: AtomicU64 = AtomicU64::new(0);
/// The library's own handlers: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT.
static LIBRARY: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
pub(super) static WORLD: AtomicU64 = AtomicU64::new(0);
pub(super) static OWN: AtomicU64 = AtomicU64::new(0);

/// A handler of ours.
struct StandIn {
    /// 0 before it is needed.
    handle: AtomicU64,
    /// How many times the program was told the library's for a reference to it.
    lent: AtomicI64,
}

static STAND_INS: [[StandIn; 3]; 4] =
    [const { [const { StandIn { handle: AtomicU64::new(0), lent: AtomicI64::new(0) } }; 3] }; 4];
static MAKING: Mutex<()> = Mutex::new(());

/// The function behind a stand-in.
fn function(owner: Owner, replaced: Replaced) -> u64 {
    type Handler = extern "C" fn(*mut u64, *mut i32);
    const FUNCTIONS: [[Handler; 3]; 4] = [
        [on_error::<0, 0>, on_error::<0, 1>, on_error::<0, 2>],
        [on_error::<1, 0>, on_error::<1, 1>, on_error::<1, 2>],
        [on_error::<2, 0>, on_error::<2, 1>, on_error::<2, 2>],
        [on_error::<3, 0>, on_error::<3, 1>, on_error::<3, 2>],
    ];
    FUNCTIONS.get(owner as usize).and_then(|f| f.get(replaced.place())).map_or(0, |f| *f as *const () as u64)
}

fn stand_in(owner: Owner, replaced: Replaced) -> Option<&'static StandIn> {
    STAND_INS.get(owner as usize)?.get(replaced.place())
}

/// Is it a handler of ours, which the program never sees?
pub(crate) fn is_ours(handle: u64) -> bool {
    handle != 0 && STAND_INS.iter().flatten().any(|s| s.handle.load(Ordering::SeqCst) == handle)
}

/// The handle of our handler, made at the first need.
fn made(abi: &Abi, owner: Owner, replaced: Replaced) -> Option<u64> {
    let place = &stand_in(owner, replaced)?.handle;
    let _one = MAKING.lock().unwrap_or_else(|e| e.into_inner());
    let known = place.load(Ordering::SeqCst);
    if known != 0 {
        return Some(known);
    }
    let handle = define::handle_out(abi, Kind::Errhandler, owner.create(), &[function(owner, replaced)])?;
    handles::is_mpivets(Kind::Errhandler, handle);
    place.store(handle, Ordering::SeqCst);
    Some(handle)
}

/// MPI has ended and may begin again by another session: handlers that were made are gone.
fn forget() {
    for place in STAND_INS.iter().flatten() {
        place.handle.store(0, Ordering::SeqCst);
        place.lent.store(0, Ordering::SeqCst);
    }
}

/// Learns the library's handlers. To be called when MPI or a session has begun.
pub(crate) fn learn(library: &MpiLibrary) {
    let constant = |kind, name| library.predefined_handle(kind, name).unwrap_or(0);
    let names = ["MPI_ERRORS_ARE_FATAL", "MPI_ERRORS_ABORT"];
    for (place, name) in LIBRARY.iter().zip(names) {
        place.store(constant(Kind::Errhandler, name), Ordering::SeqCst);
    }
    RETURN.store(constant(Kind::Errhandler, "MPI_ERRORS_RETURN"), Ordering::SeqCst);
}

/// The world model has begun: watches MPI_COMM_WORLD and MPI_COMM_SELF, from which other communicators inherit their
/// handler.
pub(crate) fn install(library: &MpiLibrary, abi: &Abi) {
    for (place, name) in [(&WORLD, "MPI_COMM_WORLD"), (&OWN, "MPI_COMM_SELF")] {
        let Some(comm) = library.predefined_handle(Kind::Comm, name) else { continue };
        place.store(comm, Ordering::SeqCst);
        watch(abi, Owner::Comm, comm);
    }
}

/// Puts our handler in the place of a fatal one of the library.
fn watch(abi: &Abi, owner: Owner, object: u64) {
    let Some(current) = define::handle_out(abi, Kind::Errhandler, owner.get(), &[object]) else { return };
    // A session gets the handler that it was made with.
    let is_empty = owner != Owner::Session && unset::is_looked_up(abi);
    for means in Means::ALL {
        let replaced = if is_empty && means == Means::Fatal { Replaced::Unset } else { Replaced::Set(means) };
        if current == means.library()
            && current != 0
            && let Some(ours) = made(abi, owner, replaced)
        {
            library::call(owner.set(), &[object, ours]);
        }
    }
}

/// A call has made a window or a session (a communicator inherits, a file has the handler of MPI_FILE_NULL).
pub(crate) fn watch_made(kind: Kind, handle: u64, abi: &Abi) {
    if let Some(owner @ (Owner::Win | Owner::Session)) = Owner::of(kind) {
        if kind == Kind::Session && sessions::are_none() {
            forget();
        }
        watch(abi, owner, handle);
    }
}

/// The owner of the error handler among the arguments of a call.
fn owner(function: FnId) -> Option<Owner> {
    match function {
        FnId::MPI_Errhandler_set | FnId::MPI_Errhandler_get | FnId::MPI_Comm_create_from_group => Some(Owner::Comm),
        FnId::MPI_Intercomm_create_from_groups => Some(Owner::Comm),
        _ => Owner::ALL.into_iter().find(|owner| owner.set() == function || owner.get() == function),
    }
}

/// MPI_Comm_set_errhandler and all others that take a handler: ours stands for the library's.
pub(crate) fn before_set(abi: &Abi, function: FnId, words: &mut Words) {
    let (Some(owner), Some(place)) = (owner(function), function.row().param("errhandler")) else { return };
    let Some(word) = words.get_mut(place) else { return };
    let wanted = abi.handle_arg(Kind::Errhandler, *word);
    for means in Means::ALL {
        if wanted == means.library()
            && wanted != 0
            && let Some(ours) = made(abi, owner, Replaced::Set(means))
        {
            *word = ours;
            return;
        }
    }
}

/// The address of the handle variable that a call was passed.
fn variable(function: FnId, words: &Words) -> Option<u64> {
    function.row().param("errhandler").and_then(|p| words.get(p)).copied().filter(|a| *a != 0)
}

fn read(abi: &Abi, at: u64) -> u64 {
    // SAFETY: the program passed the address of its error handler variable.
    unsafe {
        match abi.handle_bytes(Kind::Errhandler) {
            4 => u64::from((at as *const u32).read_unaligned()),
            _ => (at as *const u64).read_unaligned(),
        }
    }
}

fn write(abi: &Abi, at: u64, handle: u64) {
    // SAFETY: as in `read`.
    unsafe {
        match abi.handle_bytes(Kind::Errhandler) {
            4 => (at as *mut u32).write_unaligned(handle as u32),
            _ => (at as *mut u64).write_unaligned(handle),
        }
    }
}

/// MPI_Comm_get_errhandler and its like: the program is told the library's handler for ours.
pub(crate) fn after_get(abi: &Abi, function: FnId, words: &Words) {
    let Some(at) = variable(function, words) else { return };
    let got = read(abi, at);
    for (list, replaced) in STAND_INS.iter().flat_map(|list| list.iter().zip(Replaced::ALL)) {
        if got != 0 && list.handle.load(Ordering::SeqCst) == got {
            write(abi, at, replaced.library());
            list.lent.fetch_add(1, Ordering::SeqCst);
            return;
        }
    }
}

/// MPI_Errhandler_free of what was told to be the library's gives the reference to ours back.
pub(crate) fn before_free(abi: &Abi, words: &Words) {
    let Some(at) = variable(FnId::MPI_Errhandler_free, words) else { return };
    let given = read(abi, at);
    for (list, replaced) in STAND_INS.iter().flat_map(|list| list.iter().zip(Replaced::ALL)) {
        let take = |n: i64| (n > 0).then(|| n - 1);
        if given != 0
            && given == replaced.library()
            && list.lent.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok()
        {
            return write(abi, at, list.handle.load(Ordering::SeqCst));
        }
    }
}
