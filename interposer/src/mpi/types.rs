//! Typemaps of the datatypes of this process, by their definition ids.

use crate::mpi::{datatype, handles};
use dashmap::{DashMap, DashSet};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};
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
    let Definition::Datatype { id, combiner, ints, types, size, lb, extent } = definition else { return };
    if !combiner.is_regular() || types.iter().any(|part| may_lead_elsewhere(*part)) {
        IRREGULAR.insert(*id);
    }
    let made = Made { combiner: *combiner, ints, types, size: *size, lb: *lb, extent: *extent };
    let place = made.place();
    let map = place.and_then(|place| made.as_before(place)).or_else(|| {
        let map = made.typemap()?;
        place.into_iter().for_each(|place| made.remember(place, &map));
        Some(map)
    });
    if let Some(map) = map {
        DERIVED.insert(*id, map);
    }
}

/// The making of a datatype: its parts, and what the library says of it.
struct Made<'a> {
    combiner: Combiner,
    ints: &'a [i64],
    types: &'a [Id],
    size: u64,
    lb: i64,
    extent: i64,
}

impl Made<'_> {
    fn typemap(&self) -> Option<Arc<Typemap>> {
        let parts: Option<Vec<Arc<Typemap>>> = self.types.iter().map(|t| with(*t, Arc::clone)).collect();
        let derived = parts.and_then(|parts| Typemap::derive(self.combiner, self.ints, &parts, self.lb, self.extent));
        // A map that differs from what the library says is not known.
        let is_known = |map: &Arc<Typemap>| map.size() == self.size;
        derived.filter(is_known).or_else(|| Typemap::opaque(self.size, self.lb, self.extent))
    }

    /// The typemap of the datatype that was made this way last. Who finds the place in use does without: no thread waits here, and
    /// no process that was forked.
    fn as_before(&self, place: &Mutex<Option<Recent>>) -> Option<Arc<Typemap>> {
        let recent = place.try_lock().ok()?;
        recent.as_ref().filter(|recent| recent.is_of(self)).map(|recent| Arc::clone(&recent.map))
    }

    fn remember(&self, place: &Mutex<Option<Recent>>, map: &Arc<Typemap>) {
        let Ok(mut place) = place.try_lock() else { return };
        let &Made { combiner, size, lb, extent, .. } = self;
        let (ints, types) = (self.ints.into(), self.types.into());
        *place = Some(Recent { combiner, ints, types, size, lb, extent, map: Arc::clone(map) });
    }

    /// Its place in [`RECENT`]; `None` if it is not remembered: it is large, or made of datatypes of the program, which are mostly
    /// others in the next turn of a loop, and may be large.
    fn place(&self) -> Option<&'static Mutex<Option<Recent>>> {
        if self.ints.len() > MOST_INTS || self.types.iter().any(|part| *part >= FIRST_USER_ID) {
            return None;
        }
        let mut hasher = FxHasher::default();
        (self.ints, self.types, self.combiner as u8).hash(&mut hasher);
        RECENT.get(hasher.finish() as usize % RECENT.len())
    }
}

/// A datatype of which others like it were or will be made.
struct Recent {
    combiner: Combiner,
    ints: Box<[i64]>,
    types: Box<[Id]>,
    size: u64,
    lb: i64,
    extent: i64,
    map: Arc<Typemap>,
}

impl Recent {
    fn is_of(&self, made: &Made) -> bool {
        let Made { combiner, ints, types, size, lb, extent } = *made;
        (self.combiner, &*self.ints, &*self.types, self.size, self.lb, self.extent)
            == (combiner, ints, types, size, lb, extent)
    }
}

/// Programs make the same datatypes again and again, in loops: their typemaps are put together once.
static RECENT: [Mutex<Option<Recent>>; 64] = [const { Mutex::new(None) }; 64];
/// A datatype with more integers is put together anew.
const MOST_INTS: usize = 16;

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
