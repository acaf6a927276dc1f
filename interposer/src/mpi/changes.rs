//! Counts of changes, by which threads notice that what they remember of handles and of calls holds no longer. Handles share
//! counts by their values: a program that makes and frees objects in a loop changes what is remembered of these objects,
//! and hardly anything else.

use std::sync::atomic::{AtomicU32, Ordering};

/// The place of a count: any number is one.
type Place = u8;

/// The count of what concerns everything.
const ALL: Place = 0;
/// The count of changes of any kind. The three kinds of counts do not share lines of the processor's cache.
const ANY: Place = 64;
/// The first count of handles, which share half of the counts. The kind of an object plays no part, since a wrong handle may be
/// that of an object of another kind.
const FIRST: Place = 128;
const PLACES: usize = 1 << Place::BITS;

#[repr(align(64))]
struct Counts([AtomicU32; PLACES]);

static COUNTS: Counts = Counts([const { AtomicU32::new(1) }; PLACES]);

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "any place is one of the table's")]
fn count(place: Place) -> &'static AtomicU32 {
    &COUNTS.0[usize::from(place)]
}

#[inline(always)]
fn now(place: Place) -> u32 {
    count(place).load(Ordering::Acquire)
}

#[inline(always)]
fn place_of(handle: u64) -> Place {
    FIRST | (handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Place::BITS)) as Place
}

fn add(place: Place) {
    count(place).fetch_add(1, Ordering::Release);
}

/// An object with this handle was made, freed or changed.
pub(crate) fn happened_to(handle: u64) {
    // In this order: see `Witness`.
    add(ANY);
    add(place_of(handle));
}

/// Nothing that threads remember holds any longer.
pub(crate) fn happened_to_all() {
    add(ANY);
    std::iter::once(ALL).chain(FIRST..=Place::MAX).for_each(add);
}

/// A number that differs whenever an object with this handle was made, freed or changed since it was last asked for.
#[inline(always)]
pub(crate) fn of_handle(handle: u64) -> u32 {
    now(place_of(handle))
}

/// A number that differs whenever all was to be forgotten since it was last asked for.
#[inline(always)]
pub(crate) fn of_all() -> u32 {
    now(ALL)
}

/// A moment before something is remembered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Witness(u32);

impl Witness {
    #[inline(always)]
    pub(crate) fn now() -> Witness {
        Witness(now(ANY))
    }
}

/// The handles that something remembered hangs on, as places of their counts, and the sum of these. As none is ever made
/// smaller, the sum stays the same only as long as each of them does.
#[derive(Clone, Copy, Default)]
pub(crate) struct Basis {
    places: [Place; Basis::MOST],
    sum: u32,
}

impl Basis {
    const MOST: usize = 2;

    /// The basis of something that was learnt since `since` and hangs on these handles. `None` if anything has changed meanwhile:
    /// nobody knows then whether before or after it was learnt.
    pub(crate) fn of(handles: impl Iterator<Item = u64>, since: Witness) -> Option<Basis> {
        let mut basis = Basis::default();
        let mut used = 0;
        for place in handles.map(place_of) {
            if basis.places.iter().take(used).any(|known| *known == place) {
                continue;
            }
            match basis.places.get_mut(used) {
                Some(free) => *free = place,
                None => basis.places = [ANY, ALL],
            }
            used = (used + 1).min(Basis::MOST);
        }
        basis.sum = basis.sum_now();
        // Whoever changes something counts it here first: if it is not counted here, its other count was not seen either.
        (now(ANY) == since.0).then_some(basis)
    }

    #[inline(always)]
    fn sum_now(&self) -> u32 {
        let [first, second] = self.places;
        now(first).wrapping_add(now(second))
    }

    /// 0 as long as nothing has changed.
    #[inline(always)]
    pub(crate) fn difference(&self) -> u32 {
        self.sum ^ self.sum_now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run side by side, and objects are made meanwhile: until nobody disturbs.
    fn basis(handles: &[u64]) -> Basis {
        std::iter::repeat_with(|| Basis::of(handles.iter().copied(), Witness::now())).flatten().next().unwrap()
    }

    #[test]
    fn what_is_remembered_ends_with_each_of_its_handles() {
        for handles in [vec![], vec![0x8c00_0001], vec![0x8400_0002, 0x8c00_0001], (0x9000..0x9005).collect()] {
            for changed in &handles {
                let known = basis(&handles);
                happened_to(*changed);
                assert_ne!(known.difference(), 0, "{changed:#x} of {handles:x?}");
            }
            let known = basis(&handles);
            happened_to_all();
            assert_ne!(known.difference(), 0, "{handles:x?}");
        }
    }

    #[test]
    fn other_handles_do_not_matter() {
        let handles = [0x8400_0002, 0x8c00_0001];
        let others =
            (0x8c00_0010..0x8c00_0040u64).filter(|other| handles.iter().all(|h| place_of(*h) != place_of(*other)));
        // As in `basis`.
        let undisturbed = || {
            let known = basis(&handles);
            others.clone().for_each(happened_to);
            known.difference() == 0
        };
        assert!(others.clone().count() > 40 && std::iter::repeat_with(undisturbed).take(1000).any(|is_known| is_known));
    }

    #[test]
    fn nothing_is_remembered_of_a_time_when_something_changed() {
        let since = Witness::now();
        happened_to(7);
        assert!(Basis::of(std::iter::once(8), since).is_none());
    }
}
