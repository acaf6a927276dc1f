//! Names that debuggers are told: of functions, datatypes, call sites and communicators.

use super::pages::{change, entry, write_text};
use super::{Shape, are_kept, communicators, mpivet_queues};
use queue_table::{Name, Text, stamp};
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::FUNCTIONS;
use trace_format::mpi::predefined::DATATYPES;

/// Call sites and names of datatypes behind these many are not told.
const MAX_SITES: Id = 1 << 16;
const MAX_NAMES: usize = 1 << 12;

/// Names of what exists from the start.
pub(super) fn begin() {
    for row in FUNCTIONS.iter().filter(|row| Shape::of(row).is_some()) {
        if let Some(place) = entry::<Text>(&mpivet_queues.functions, row.id as u64) {
            write_text(place, &[row.name]);
        }
    }
    for (id, name) in (1..FIRST_USER_ID).zip(DATATYPES) {
        set(u64::from(id), id, name);
    }
}

fn set(index: u64, number: Id, name: &str) {
    let Some(place) = entry::<Name>(&mpivet_queues.datatypes, index) else { return };
    change(&place.stamp, stamp::LIVE, || {
        place.number.store(number, Ordering::Relaxed);
        write_text(&place.text, &[name]);
    });
}

/// Places of the names that the program has given to datatypes.
static NAMED: Mutex<Option<FxHashMap<Id, u64>>> = Mutex::new(None);

/// The program has named a datatype.
pub(crate) fn name_datatype(id: Id, name: &str) {
    if !are_kept() || id == trace_format::definition::UNKNOWN_ID {
        return;
    }
    let mut named = NAMED.lock().unwrap_or_else(|e| e.into_inner());
    let named = named.get_or_insert_default();
    let next = u64::from(FIRST_USER_ID) + named.len() as u64;
    if named.len() < MAX_NAMES || named.contains_key(&id) {
        set(*named.entry(id).or_insert(next), id, name);
    }
}

/// The program has named a communicator.
pub(crate) fn name_communicator(id: Id, name: &str) {
    if are_kept() {
        communicators::rename(id, name);
    }
}

/// Where a call site is.
pub(crate) fn name_site(id: Id, place: &str) {
    if id < MAX_SITES
        && let Some(text) = entry::<Text>(&mpivet_queues.sites, id.into())
    {
        write_text(text, &[place]);
    }
}
