//! Typemaps of the datatypes of this process, by their definition ids.

use crate::mpi::{datatype, handles};
use dashmap::{DashMap, DashSet};
use rustc_hash::FxBuildHasher;
use std::sync::{Arc, LazyLock, OnceLock};
use trace_format::definition::{Definition, FIRST_USER_ID, Id};
use trace_format::mpi::Kind;
use typemap::Typemap;

static PREDEFINED: [OnceLock<Option<Arc<Typemap>>>; FIRST_USER_ID as usize] =
    [const { OnceLock::new() }; FIRST_USER_ID as usize];
static DERIVED: LazyLock<DashMap<Id, Arc<Typemap>, FxBuildHasher>> = LazyLock::new(DashMap::default);
/// Datatypes whose displacements may lead from one variable to another.
static IRREGULAR: LazyLock<DashSet<Id, FxBuildHasher>> = LazyLock::new(DashSet::default);

/// Runs `f` with the typemap of a datatype that the library has accepted; `None` if it is not known.
#[inline]
pub(crate) fn with<T>(id: Id, f: impl FnOnce(&Arc<Typemap>) -> T) -> Option<T> {
    match PREDEFINED.get(id as usize) {
        Some(place) => place.get_or_init(|| predefined(id)).as_ref().map(f),
        None => DERIVED.get(&id).map(|map| f(&map)),
    }
}

fn predefined(id: Id) -> Option<Arc<Typemap>> {
    let (size, _, extent) = datatype::sizes(handles::predefined_by_id(Kind::Datatype, id)?);
    Typemap::pair(id, size, extent).or_else(|| (size as i64 == extent).then(|| Typemap::named(id, size)))
}

/// A datatype was made.
pub(crate) fn learn(definition: &Definition) {
    let Definition::Datatype { id, combiner, ints, types, size, lb, extent } = definition else { return };
    if !combiner.is_regular() || types.iter().any(|part| may_lead_elsewhere(*part)) {
        IRREGULAR.insert(*id);
    }
    let parts: Option<Vec<Arc<Typemap>>> = types.iter().map(|t| with(*t, Arc::clone)).collect();
    let derived = parts.and_then(|parts| Typemap::derive(*combiner, ints, &parts, *lb, *extent));
    // A map that differs from what the library says is not known.
    let map = derived.filter(|map| map.size() == *size).or_else(|| Typemap::opaque(*size, *lb, *extent));
    if let Some(map) = map {
        DERIVED.insert(*id, map);
    }
}

/// The program has freed a datatype: no call can name it any more.
pub(crate) fn forget(id: Id) {
    DERIVED.remove(&id);
    IRREGULAR.remove(&id);
}

/// May displacements of a datatype lead from one variable to another?
pub(crate) fn may_lead_elsewhere(id: Id) -> bool {
    id >= FIRST_USER_ID && IRREGULAR.contains(&id)
}
