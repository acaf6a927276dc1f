//! Typemaps of the datatypes of this process, by their definition ids.

use crate::mpi::{datatype, handles};
use dashmap::{DashMap, DashSet};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use trace_format::definition::{Combiner, Definition, FIRST_USER_ID, Id};
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
    let Some((id, how)) = making(definition) else { return };
    let (combiner, _, types, ..) = how;
    if !combiner.is_regular() || types.iter().any(|part| may_lead_elsewhere(*part)) {
        IRREGULAR.insert(id);
    }
    let place = recent_place(&how);
    let map = place.and_then(|place| made_before(place, &how)).or_else(|| {
        let map = typemap(how)?;
        if let Some(mut recent) = place.and_then(|place| place.try_lock().ok()) {
            *recent = Some((definition.clone(), Arc::clone(&map)));
        }
        Some(map)
    });
    if let Some(map) = map {
        DERIVED.insert(id, map);
    }
}

/// The parts that a datatype was made of, and what the library says of it: size, lower bound and extent.
type Making<'a> = (Combiner, &'a [i64], &'a [Id], u64, i64, i64);

/// The number of a datatype, and how it was made.
fn making(definition: &Definition) -> Option<(Id, Making<'_>)> {
    match definition {
        Definition::Datatype { id, combiner, ints, types, size, lb, extent } => {
            Some((*id, (*combiner, ints, types, *size, *lb, *extent)))
        }
        _ => None,
    }
}

fn typemap((combiner, ints, types, size, lb, extent): Making) -> Option<Arc<Typemap>> {
    let parts: Option<Vec<Arc<Typemap>>> = types.iter().map(|t| with(*t, Arc::clone)).collect();
    let derived = parts.and_then(|parts| Typemap::derive(combiner, ints, &parts, lb, extent));
    // A map that differs from what the library says is not known.
    derived.filter(|map| map.size() == size).or_else(|| Typemap::opaque(size, lb, extent))
}

/// A datatype of which others like it were or will be made.
type Recent = Mutex<Option<(Definition, Arc<Typemap>)>>;

/// Programs make the same datatypes again and again, in loops: their typemaps are put together once. Who finds a place in use does
/// without: no thread waits here, and no process that was forked.
static RECENT: [Recent; 64] = [const { Mutex::new(None) }; 64];
/// A datatype with more integers is put together anew.
const MOST_INTS: usize = 16;

/// The place of a datatype; `None` if it is not kept for others: it is large, or made of datatypes of the program, which are mostly
/// others in the next turn of a loop, and may be large.
fn recent_place(how: &Making) -> Option<&'static Recent> {
    let (_, ints, types, ..) = how;
    if ints.len() > MOST_INTS || types.iter().any(|part| *part >= FIRST_USER_ID) {
        return None;
    }
    RECENT.get(FxBuildHasher.hash_one(how) as usize % RECENT.len())
}

/// The typemap of the datatype that was made this way last.
fn made_before(place: &Recent, how: &Making) -> Option<Arc<Typemap>> {
    let recent = place.try_lock().ok()?;
    let (definition, map) = recent.as_ref()?;
    making(definition).is_some_and(|(_, made)| made == *how).then(|| Arc::clone(map))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Learns a datatype of three elements. Without a library nothing is known of its parts.
    fn map_of(id: Id, part: Id, extent: i64) -> Arc<Typemap> {
        let (combiner, ints, types) = (Combiner::Contiguous, vec![3], vec![part]);
        learn(&Definition::Datatype { id, combiner, ints, types, size: extent as u64, lb: 0, extent });
        with(id, Arc::clone).unwrap()
    }

    #[test]
    fn datatypes_that_are_made_alike_share_a_typemap() {
        let own = FIRST_USER_ID + 1_000;
        let first = map_of(own, 5, 12);
        assert!(Arc::ptr_eq(&first, &map_of(own + 1, 5, 12)));
        let wider = map_of(own + 2, 5, 16);
        assert_eq!((first.extent(), wider.extent()), (12, 16));
        assert!(!Arc::ptr_eq(&first, &map_of(own + 3, 6, 12)), "of another part");
        forget(own);
        assert!(with(own, |_| ()).is_none());
        // Parts of the program's may be large, and are not kept for others.
        assert!(!Arc::ptr_eq(&map_of(own + 4, own + 1, 12), &map_of(own + 5, own + 1, 12)));
    }
}
