//! Things of which the same is to be told.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The groups of what has the same key, in the order of the first of each.
pub(super) fn groups<T, K: Hash + Eq>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut places: FxHashMap<K, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        let place = *places.entry(key(&item)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}
