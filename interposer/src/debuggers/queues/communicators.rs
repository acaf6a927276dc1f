//! The communicators of this process, as debuggers are told of them.

use super::pages::{change, entry, turn, write_text};
use super::{are_kept, mpivet_queues, slots};
use queue_table::{Communicator, stamp, trait_of};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::ffi::CStr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};
use trace_format::definition::{COMM_SELF, COMM_WORLD, Id};
use trace_format::mpi::{Class, Function};
use trace_format::ranks::Ranks;
use xxhash_rust::xxh3::xxh3_64;

/// A communicator that is in the table.
struct Known {
    index: u64,
    unique: u64,
    same_everywhere: bool,
    /// How often something was made from it that looks the same.
    made: FxHashMap<u64, u64>,
    /// The ranks that the entry points to.
    ranks: Box<[i32]>,
}

#[derive(Default)]
struct Table {
    known: FxHashMap<Id, Known>,
    /// Places that were used, and are free.
    free: Vec<u64>,
    used: u64,
    /// Communicators that the program has freed while operations on them were under way.
    dying: Vec<Id>,
    /// Communicators that were made from no communicator.
    made: FxHashMap<u64, u64>,
    rank: i32,
    size: i32,
}

/// The making of MPI_COMM_SELF, and of what nobody else can tell. No function has such a number, and a hash seldom.
const OF_SELF: u64 = 1 << 32;
const OWN: u64 = 2 << 32;

static TABLE: Mutex<Option<Table>> = Mutex::new(None);

fn table() -> MutexGuard<'static, Option<Table>> {
    TABLE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Puts MPI_COMM_WORLD and MPI_COMM_SELF there.
pub(super) fn begin(rank: i32, size: i32) {
    let mut guard = table();
    let table = guard.get_or_insert_default();
    (table.rank, table.size) = (rank, size);
    let own: Ranks = std::iter::once(rank).collect();
    table.add(COMM_WORLD, (1, true), &Ranks::first_n(size as u32), (rank, 0), &["MPI_COMM_WORLD"]);
    let of_self = hash(&[OF_SELF, rank as u64]);
    table.add(COMM_SELF, (of_self, false), &own, (0, 0), &["MPI_COMM_SELF"]);
}

/// A call of `function`, with these arguments, has made a communicator from `parent`.
pub(crate) struct Made<'a> {
    pub(crate) id: Id,
    pub(crate) local: &'a Ranks,
    pub(crate) remote: Option<&'a Ranks>,
    pub(crate) function: &'a Function,
    pub(crate) words: &'a [u64],
    pub(crate) parent: Id,
}

/// A communicator was made, which `name` describes.
pub(crate) fn made(made: &Made, name: impl FnOnce() -> String) {
    if !are_kept() {
        return;
    }
    let &Made { id, local, remote, function, .. } = made;
    let mut guard = table();
    let table = guard.get_or_insert_default();
    table.bury();
    let unique = table.unique(made);
    let rank = local.position(table.rank).map_or(-1, |rank| rank as i32);
    let name = name();
    let traits = if remote.is_some() { trait_of::INTER } else { 0 };
    table.add(id, unique, remote.unwrap_or(local), (rank, traits), &[&name, " by ", function.name]);
}

/// The program has freed a communicator. It stays while operations on it are under way.
pub(crate) fn gone(id: Id) {
    if let Some(table) = &mut *table() {
        table.dying.push(id);
        table.bury();
    }
}

/// The program has named a communicator.
pub(super) fn rename(id: Id, name: &str) {
    let guard = table();
    let known = guard.as_ref().and_then(|table| table.known.get(&id));
    if let Some(place) = known.and_then(|known| entry::<Communicator>(&mpivet_queues.communicators, known.index)) {
        change(&place.stamp, stamp::LIVE, || write_text(&place.name, &[name]));
    }
}

/// A number for these, which is the same on all processes of a job.
fn hash(parts: &[u64]) -> u64 {
    parts.iter().fold(parts.len() as u64, |all, part| mix(all, *part))
}

fn mix(all: u64, part: u64) -> u64 {
    let mixed = (all.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Equal lists have the same runs, as [`crate::mpi::other_worlds::numbers`] puts them together.
fn hash_of(ranks: &Ranks) -> u64 {
    let words = |first: i32, last: i32| u64::from(first as u32) << 32 | u64::from(last as u32);
    ranks.runs().fold(0, |all, (first, last, step)| mix(mix(all, words(first, last)), step as u64))
}

impl Table {
    fn add(
        &mut self,
        id: Id,
        (unique, same_everywhere): (u64, bool),
        ranks: &Ranks,
        (rank, traits): (i32, u32),
        name: &[&str],
    ) {
        let index = self.free.pop().unwrap_or(self.used);
        let Some(place) = entry::<Communicator>(&mpivet_queues.communicators, index) else { return };
        self.used = self.used.max(index + 1);
        let traits = traits | if same_everywhere { trait_of::SAME_EVERYWHERE } else { 0 };
        let (first, stride, listed) = self.compact(ranks);
        change(&place.stamp, stamp::LIVE, || {
            place.unique.store(unique, Relaxed);
            place.number.store(id, Relaxed);
            place.rank.store(rank, Relaxed);
            place.size.store(ranks.len() as i32, Relaxed);
            place.traits.store(traits, Relaxed);
            place.ranks.store(if listed.is_empty() { 0 } else { listed.as_ptr() as u64 }, Relaxed);
            place.first.store(first, Relaxed);
            place.stride.store(stride, Relaxed);
            write_text(&place.name, name);
        });
        self.known.insert(id, Known { index, unique, same_everywhere, made: FxHashMap::default(), ranks: listed });
    }

    /// First rank and step of a regular group, or all ranks of another. Processes of other worlds have no rank.
    fn compact(&self, ranks: &Ranks) -> (i32, i32, Box<[i32]>) {
        let mut runs = ranks.runs();
        match (runs.next(), runs.next()) {
            (None, _) => return (0, 1, Box::default()),
            (Some((first, last, stride)), None) if self.is_of_world(first) && self.is_of_world(last) => {
                return (first, stride, Box::default());
            }
            _ => {}
        }
        (0, 0, ranks.iter().map(|rank| if self.is_of_world(rank) { rank } else { -1 }).collect())
    }

    fn is_of_world(&self, rank: i32) -> bool {
        (0..self.size).contains(&rank)
    }

    /// A number for a new communicator, and whether all its processes give it that number. They do where they can tell
    /// which of the communicators it is that were made the same way: from the same one, by the same function, for the
    /// same processes.
    fn unique(&mut self, made: &Made) -> (u64, bool) {
        let &Made { id, local, remote, function, words, parent } = made;
        let all = || local.iter().chain(remote.iter().flat_map(|r| r.iter()));
        let word = |name: &str| function.param(name).and_then(|p| words.get(p)).copied();
        let (a, b) = (hash_of(local), remote.map_or(0, hash_of));
        let mut parts: SmallVec<[u64; 8]> = smallvec![function.id as u64, a.min(b), a.max(b)];
        let from_comm = match function.class {
            Class::Collective(..) => true,
            Class::CommCreateGroup => {
                parts.extend(word("tag").map(|tag| u64::from(tag as u32)));
                true
            }
            Class::IntercommCreate => {
                parts.extend(word("tag").map(|tag| u64::from(tag as u32)));
                false
            }
            Class::CommFromGroup | Class::IntercommFromGroups => {
                let text = word("stringtag").filter(|at| *at != 0);
                // SAFETY: the program passed a C string, and the library has accepted it.
                let text = text.map(|at| unsafe { CStr::from_ptr(at as *const std::ffi::c_char) });
                parts.extend(text.map(|text| xxh3_64(text.to_bytes())));
                false
            }
            _ => return (hash(&[OWN, self.rank as u64, id.into()]), false),
        };
        let parent = if from_comm { self.known.get_mut(&parent) } else { None };
        let known = !from_comm || parent.as_ref().is_some_and(|parent| parent.same_everywhere);
        let (of, counts) = match parent {
            Some(parent) => (parent.unique, &mut parent.made),
            None => (0, &mut self.made),
        };
        parts.push(of);
        let way = hash(&parts);
        let count = counts.entry(way).or_insert(0);
        *count += 1;
        let same = known && all().all(|rank| (0..self.size).contains(&rank));
        let own = if same { 0 } else { 1 + i64::from(self.rank) };
        (hash(&[way, *count, own as u64]), same)
    }

    /// Takes those out of the table that are freed and not in use any more.
    fn bury(&mut self) {
        if self.dying.is_empty() {
            return;
        }
        for id in std::mem::take(&mut self.dying) {
            if slots::is_in_use(id) {
                self.dying.push(id);
            } else if let Some(known) = self.known.remove(&id) {
                if let Some(place) = entry::<Communicator>(&mpivet_queues.communicators, known.index) {
                    turn(&place.stamp, stamp::EMPTY);
                }
                self.free.push(known.index);
                // A reader that is just copying them looks at the stamp again.
                drop(known.ranks);
            }
        }
    }
}
