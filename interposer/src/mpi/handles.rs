//! Handles of MPI objects to definition ids: predefined ones by the family's tables, the program's own by what was
//! seen made and freed.

use crate::debuggers::queues;
use crate::mpi::changes;
use crate::mpi::descent::Descent;
use crate::mpi::library::MpiLibrary;
use crate::mpi::properties::{self, Properties, Standing};
use crate::mpi::spot::Spot;
use crate::mpi::{other_worlds, types};
use dashmap::{DashMap, Entry};
use recorder::trace;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use trace_format::definition::{FIRST_USER_ID, Id, NULL_ID, UNKNOWN_ID};
use trace_format::keys;
use trace_format::mpi::{Kind, predefined};
use trace_format::names::{NoNames, format_int};

type Key = (Kind, u64);

/// Facts of a handle that the program holds.
struct Live {
    id: Id,
    /// The number of times that it was handed out and not given back.
    held: u32,
    /// How many of these are being given back at the moment.
    dying: u32,
    /// The call that handed it out first; `None` if the library made it by itself.
    made: Option<Spot>,
    /// The calls that handed it out again, of the last [`MAX_AGAIN`] that were not given back.
    again: Vec<Spot>,
    marks: Marks,
}

/// Further facts of an object of the program.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// A datatype that is to be committed before it is used.
    uncommitted: bool,
    /// A datatype that the program has put together from others.
    constructed: bool,
    /// A communicator with more ranks than processes.
    boundless: bool,
    /// The model that a communicator, group, window or file is derived from.
    descent: Descent,
}

/// Facts of a handle as they were when the program freed it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Freed {
    pub(crate) made: Option<Spot>,
    /// The call that freed it.
    pub(crate) by: Spot,
}

/// A handle that the program holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) kind: Kind,
    pub(crate) id: Id,
    /// The call that handed it out; one that handed it out again is another entry.
    pub(crate) made: Option<Spot>,
    /// How often it is to be freed.
    pub(crate) times: u32,
    pub(crate) descent: Descent,
}

/// So many calls that handed out a handle again are remembered.
const MAX_AGAIN: usize = 1 << 16;

/// Ids of predefined handles of this process.
static PREDEFINED: OnceLock<FxHashMap<Key, Id>> = OnceLock::new();
/// The program's handles.
static LIVE: LazyLock<DashMap<Key, Live, FxBuildHasher>> = LazyLock::new(DashMap::default);
/// Handles that the program has freed and the library has not given out again.
static FREED: LazyLock<DashMap<Key, Freed, FxBuildHasher>> = LazyLock::new(DashMap::default);
/// So many are remembered.
const MAX_FREED: usize = 1 << 16;
static NEXT: AtomicU32 = AtomicU32::new(FIRST_USER_ID);

/// The number of a handle of a kind, as one thread remembers it.
#[derive(Clone, Copy)]
struct Remembered {
    key: u64,
    kind: Kind,
    id: Id,
    changes: u32,
    has_properties: bool,
    properties: Properties,
}

impl Remembered {
    #[cold]
    #[inline(never)]
    fn learn(&mut self, kind: Kind, handle: u64, changes: u32) {
        let id = lookup(kind, handle);
        *self = Remembered { key: handle, kind, id, changes, has_properties: false, properties: Properties::NONE };
    }

    #[inline(always)]
    fn properties(&mut self) -> &Properties {
        if !self.has_properties {
            self.properties = properties::of(self.kind, self.key, self.id);
            self.has_properties = true;
        }
        &self.properties
    }
}

/// A thread's memory of handles.
pub(crate) struct Cache([Remembered; SLOTS]);

const SLOTS: usize = 64;

impl Cache {
    pub(crate) const fn new() -> Cache {
        let none = Remembered {
            key: 0,
            kind: Kind::Comm,
            id: 0,
            changes: 0,
            has_properties: false,
            properties: Properties::NONE,
        };
        Cache([none; SLOTS])
    }

    /// The memory of a handle (already cut to its size).
    #[inline(always)]
    fn slot(&mut self, kind: Kind, handle: u64) -> Option<&mut Remembered> {
        let index = (handle ^ handle >> 6 ^ handle >> 13 ^ (kind as u64) << 3) as usize % SLOTS;
        let changes = changes::of_handle(handle);
        let slot = self.0.get_mut(index)?;
        if slot.key != handle || slot.kind != kind || slot.changes != changes {
            slot.learn(kind, handle, changes);
        }
        Some(slot)
    }

    /// The id of a handle (already cut to its size).
    #[inline(always)]
    pub(crate) fn id(&mut self, kind: Kind, handle: u64) -> Id {
        self.slot(kind, handle).map_or(UNKNOWN_ID, |slot| slot.id)
    }

    /// The facts that checks need of the object with a handle (already cut to its size).
    #[inline(always)]
    pub(crate) fn properties(&mut self, kind: Kind, handle: u64) -> &Properties {
        self.slot(kind, handle).map_or(&Properties::NONE, |slot| slot.properties())
    }

    /// The nature of a handle (already cut to its size), as [`properties::of`] has it. A handle with a number is sound: the library
    /// need not be asked for the rest.
    #[inline(always)]
    pub(crate) fn standing(&mut self, kind: Kind, handle: u64) -> Standing {
        match self.slot(kind, handle) {
            Some(slot) if matches!(slot.id, NULL_ID | UNKNOWN_ID) => slot.properties().standing,
            Some(_) => Standing::Sound,
            None => Standing::Unknown,
        }
    }
}

/// The id of a handle.
pub(crate) fn lookup(kind: Kind, handle: u64) -> Id {
    if let Some(id) = PREDEFINED.get().and_then(|p| p.get(&(kind, handle))) {
        return *id;
    }
    LIVE.get(&(kind, handle)).map_or(UNKNOWN_ID, |e| e.id)
}

/// The handle of a predefined object. Slow.
pub(crate) fn predefined_by_id(kind: Kind, id: Id) -> Option<u64> {
    let found = PREDEFINED.get()?.iter().find(|(key, i)| key.0 == kind && **i == id && id != NULL_ID);
    found.map(|(key, _)| key.1)
}

/// Is it MPI_MESSAGE_NO_PROC?
pub(crate) fn is_no_proc(message: u64) -> bool {
    lookup(Kind::Message, message) == predefined_id(Kind::Message, "MPI_MESSAGE_NO_PROC")
}

/// The value of MPI_REQUEST_NULL.
static NULL_REQUEST: AtomicU64 = AtomicU64::new(0);

/// MPI_REQUEST_NULL.
pub(crate) fn null_request() -> u64 {
    NULL_REQUEST.load(Ordering::Relaxed)
}

/// Is it MPI_REQUEST_NULL?
#[inline(always)]
pub(crate) fn is_null_request(handle: u64) -> bool {
    NULL_REQUEST.load(Ordering::Relaxed) == handle
}

/// The name of a predefined object, or what kind of object it is.
pub(crate) fn describe(kind: Kind, id: Id) -> String {
    format_int(kind, i64::from(id), &NoNames)
}

/// Is it a handle that the library defines?
pub(crate) fn is_predefined(kind: Kind, handle: u64) -> bool {
    PREDEFINED.get().is_some_and(|p| p.contains_key(&(kind, handle)))
}

/// Numbers a handle that a call has just returned. The flag says that the object is new. `shared`: libraries hand out
/// one handle of this kind several times for the same object, each to be freed. `by`: the call.
pub(crate) fn made(kind: Kind, handle: u64, shared: bool, by: Option<Spot>) -> (Id, bool) {
    let number = || NEXT.fetch_add(1, Ordering::Relaxed);
    let new = || Live { id: number(), held: 0, dying: 0, made: by, again: Vec::new(), marks: Marks::default() };
    let mut fresh = false;
    let mut entry = LIVE.entry((kind, handle)).or_insert_with(|| {
        fresh = true;
        new()
    });
    // While one thread is in the call that frees an object, the library may already give its handle to another thread.
    if !fresh && (!shared || entry.held <= entry.dying) {
        fresh = true;
        *entry = new();
    }
    if !fresh && entry.again.len() < MAX_AGAIN {
        entry.again.extend(by);
    }
    entry.held += 1;
    let id = entry.id;
    FREED.remove(&(kind, handle));
    drop(entry);
    changes::happened_to(handle);
    (id, fresh)
}

fn mark(kind: Kind, handle: u64, change: impl FnOnce(&mut Marks)) {
    if let Some(mut entry) = LIVE.get_mut(&(kind, handle)) {
        change(&mut entry.marks);
    }
    changes::happened_to(handle);
}

fn marks(kind: Kind, handle: u64) -> Marks {
    LIVE.get(&(kind, handle)).map(|live| live.marks).unwrap_or_default()
}

/// Notes that the program has put a datatype together, which is to be committed before it is used unless it is
/// `committed`.
pub(crate) fn set_constructed(datatype: u64, committed: bool) {
    mark(Kind::Datatype, datatype, |marks| (marks.constructed, marks.uncommitted) = (true, !committed));
}

pub(crate) fn set_committed(datatype: u64) {
    mark(Kind::Datatype, datatype, |marks| marks.uncommitted = false);
}

pub(crate) fn is_uncommitted(datatype: u64) -> bool {
    marks(Kind::Datatype, datatype).uncommitted
}

/// Is it a datatype that the program has put together from others?
pub(crate) fn is_constructed(datatype: u64) -> bool {
    marks(Kind::Datatype, datatype).constructed
}

/// Notes that ranks of a communicator are not those of its processes.
pub(crate) fn set_boundless(comm: u64) {
    mark(Kind::Comm, comm, |marks| marks.boundless = true);
}

pub(crate) fn is_boundless(comm: u64) -> bool {
    marks(Kind::Comm, comm).boundless
}

pub(crate) fn set_descent(kind: Kind, handle: u64, descent: Descent) {
    mark(kind, handle, |marks| marks.descent = descent);
}

/// The model that an object is derived from.
pub(crate) fn descent(kind: Kind, handle: u64) -> Descent {
    if let Some(id) = PREDEFINED.get().and_then(|p| p.get(&(kind, handle))) {
        return if kind == Kind::Comm && *id != NULL_ID { Descent::World } else { Descent::Open };
    }
    LIVE.get(&(kind, handle)).map_or(Descent::Open, |live| live.marks.descent)
}

/// The call that made an object of the program's.
pub(crate) fn maker(kind: Kind, handle: u64) -> Option<Spot> {
    LIVE.get(&(kind, handle)).and_then(|live| live.made)
}

/// A call that frees a handle begins: what [`freed`] or [`kept`] must be told at its end.
pub(crate) fn dying(kind: Kind, handle: u64) -> Dying {
    let id = LIVE.get_mut(&(kind, handle)).map_or(UNKNOWN_ID, |mut entry| {
        entry.dying += 1;
        entry.id
    });
    Dying { kind, handle, id }
}

/// A handle that is being freed.
#[derive(Clone, Copy)]
pub(crate) struct Dying {
    kind: Kind,
    pub(crate) handle: u64,
    /// Its number when the call began: by the end the handle may be that of another object.
    id: Id,
}

impl Dying {
    /// Kind, handle and number of the object.
    pub(crate) fn object(self) -> (Kind, u64, Id) {
        (self.kind, self.handle, self.id)
    }
}

/// Forgets a handle that the program has freed with the call `by`.
pub(crate) fn freed(dying: Dying, by: Spot) {
    // All under the lock of the handle: another thread may be given the same handle for a new object at any time.
    let key = (dying.kind, dying.handle);
    let mut is_gone = false;
    if let Entry::Occupied(mut entry) = LIVE.entry(key) {
        let live = entry.get_mut();
        if live.id == dying.id {
            live.held = live.held.saturating_sub(1);
            live.dying = live.dying.saturating_sub(1);
            // Whoever got it last is taken to give it back first.
            live.again.pop();
        }
        if live.id == dying.id && live.held == 0 {
            remember_freed(key, Freed { made: live.made, by });
            if dying.kind == Kind::Datatype {
                types::forget(dying.id);
            }
            entry.remove();
            is_gone = true;
        }
    }
    changes::happened_to(dying.handle);
    if is_gone {
        trace::forget(&keys::Key::of_object(dying.kind, dying.id));
    }
    if is_gone && dying.kind == Kind::Comm {
        other_worlds::comm_is_gone(dying.id);
        queues::gone(dying.id);
    }
}

/// MPI is over, and with it what the program has not freed, but for what may be freed later.
pub(crate) fn forget_ended() {
    LIVE.retain(|(kind, _), live| {
        let later = matches!(kind, Kind::Info | Kind::Errhandler | Kind::Session);
        if !later && *kind == Kind::Datatype {
            types::forget(live.id);
        }
        later
    });
    changes::happened_to_all();
}

fn remember_freed(key: Key, freed: Freed) {
    if FREED.len() >= MAX_FREED {
        FREED.clear();
    }
    FREED.insert(key, freed);
}

/// The facts of a handle that was freed; `None` if it was not, or if the library has given it out again: that may
/// have happened while the thread that freed it was writing it down.
pub(crate) fn freed_before(kind: Kind, handle: u64) -> Option<Freed> {
    FREED.get(&(kind, handle)).map(|freed| *freed).filter(|_| !LIVE.contains_key(&(kind, handle)))
}

/// The library has given mpivet itself a handle, which the program may have freed: it means another object now.
pub(crate) fn is_mpivets(kind: Kind, handle: u64) {
    FREED.remove(&(kind, handle));
}

/// The objects that the program has been given and has not freed, in the order of their making.
pub(crate) fn held() -> Vec<Held> {
    let mut all = Vec::new();
    for entry in LIVE.iter().filter(|entry| entry.held > 0) {
        let (kind, id, descent) = (entry.key().0, entry.id, entry.marks.descent);
        let again = entry.again.iter().map(|spot| Held { kind, id, made: Some(*spot), times: 1, descent });
        let first = entry.held.saturating_sub(entry.again.len() as u32);
        all.extend((first > 0).then_some(Held { kind, id, made: entry.made, times: first, descent }));
        all.extend(again);
    }
    all.sort_by_key(|h| h.id);
    all
}

/// The handle was not freed after all: the call failed.
pub(crate) fn kept(dying: Dying) {
    if let Some(mut entry) = LIVE.get_mut(&(dying.kind, dying.handle)).filter(|e| e.id == dying.id) {
        entry.dying = entry.dying.saturating_sub(1);
    }
}

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY where they are addresses of the library's own; 0 elsewhere.
static NO_WEIGHTS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Does the address stand for weights that are not there?
#[inline(always)]
pub(crate) fn is_no_weights(address: u64) -> bool {
    address != 0 && NO_WEIGHTS.iter().any(|w| w.load(Ordering::Relaxed) == address)
}

fn learn_no_weights(library: &MpiLibrary) {
    for (place, name) in NO_WEIGHTS.iter().zip(library.abi().no_weights) {
        if let Some(variable) = library.data_symbol(name) {
            // SAFETY: the library defines a variable of pointer type by this name.
            place.store(unsafe { (variable as *const u64).read() }, Ordering::Relaxed);
        }
    }
}

/// Fills the table of predefined handles.
pub(crate) fn learn_predefined(library: &MpiLibrary) {
    learn_no_weights(library);
    let mut map = FxHashMap::default();
    for kind in [
        Kind::Comm,
        Kind::Group,
        Kind::Datatype,
        Kind::Op,
        Kind::Win,
        Kind::File,
        Kind::Session,
        Kind::Message,
        Kind::Request,
        Kind::Info,
        Kind::Errhandler,
    ] {
        for (name, handle) in library.abi().predefined(kind) {
            let handle = handle.value(|name| library.data_symbol(name));
            // A type that the library declares but lacks has the value of the null handle.
            let Some(handle) = handle else { continue };
            let id = predefined_id(kind, name);
            if *name == "MPI_REQUEST_NULL" {
                NULL_REQUEST.store(handle, Ordering::Relaxed);
            }
            if id == NULL_ID && name.ends_with("_NULL") {
                map.insert((kind, handle), NULL_ID);
            } else if id != NULL_ID {
                map.entry((kind, handle)).or_insert(id);
            }
        }
    }
    _ = PREDEFINED.set(map);
}

fn predefined_id(kind: Kind, name: &str) -> Id {
    let place = |list: &[&str]| list.iter().position(|n| *n == name).map_or(NULL_ID, |i| i as Id + 1);
    match kind {
        Kind::Datatype => predefined::datatype_id(name).unwrap_or(NULL_ID),
        Kind::Op => predefined::op_id(name).unwrap_or(NULL_ID),
        Kind::Errhandler => place(predefined::ERRHANDLERS),
        Kind::Info => place(predefined::INFOS),
        _ => match name {
            "MPI_COMM_WORLD" => trace_format::definition::COMM_WORLD,
            "MPI_COMM_SELF" => trace_format::definition::COMM_SELF,
            "MPI_GROUP_EMPTY" => trace_format::definition::GROUP_EMPTY,
            "MPI_MESSAGE_NO_PROC" => 1,
            _ => NULL_ID,
        },
    }
}
