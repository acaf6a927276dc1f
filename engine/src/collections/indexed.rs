//! A map whose entries have places: who knows the place of an entry needs no look-up.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use trace_format::slab::Slab;

/// Where an entry is, or was.
pub(crate) type At = u32;

/// The place of no entry.
pub(crate) const NOWHERE: At = At::MAX;

/// The index has room for so many entries at least.
const FEW: usize = 14;

pub(crate) struct Indexed<K, V> {
    index: FxHashMap<K, At>,
    all: Slab<(K, V)>,
}

impl<K, V> Default for Indexed<K, V> {
    fn default() -> Indexed<K, V> {
        Indexed { index: FxHashMap::default(), all: Slab::default() }
    }
}

impl<K: Copy + Eq + Hash, V: Default> Indexed<K, V> {
    /// The place of the entry, which is made if there is none; quick if it is `probably` there.
    #[inline]
    pub(crate) fn place(&mut self, key: K, probably: At) -> At {
        if let Some((known, _)) = self.all.get(probably)
            && *known == key
        {
            return probably;
        }
        self.look_up(key)
    }

    fn look_up(&mut self, key: K) -> At {
        let all = &mut self.all;
        *self.index.entry(key).or_insert_with(|| all.insert((key, V::default())))
    }

    #[inline]
    pub(crate) fn at(&mut self, at: At) -> Option<&mut V> {
        self.all.get_mut(at).map(|entry| &mut entry.1)
    }

    pub(crate) fn find(&self, key: K) -> Option<At> {
        self.index.get(&key).copied()
    }

    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.all.get(self.find(key)?).map(|entry| &entry.1)
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.at(self.find(key)?)
    }

    pub(crate) fn remove(&mut self, key: K) {
        if let Some(at) = self.index.remove(&key) {
            self.all.discard(at);
        }
    }

    /// Removes the entries of which `is_kept` is false. This takes as long as there are entries, however many there were.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&K, &V) -> bool) {
        let Indexed { index, all } = self;
        index.retain(|key, at| {
            let stays = all.get(*at).is_some_and(|(_, value)| is_kept(key, value));
            if !stays {
                all.discard(*at);
            }
            stays
        });
        if index.capacity() > 8 * index.len().max(FEW) {
            index.shrink_to(2 * index.len().max(FEW));
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.all.iter().map(|(_, (key, value))| (key, value))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.all.iter_mut().map(|(_, (key, value))| (&*key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = K> {
        self.iter().map(|(key, _)| *key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_never_mistaken() {
        let mut all: Indexed<u8, Vec<u8>> = Indexed::default();
        let (one, two) = (all.place(1, NOWHERE), all.place(2, NOWHERE));
        all.at(one).unwrap().push(10);
        assert_eq!((all.place(1, two), all.place(2, two), all.len()), (one, two, 2));
        all.remove(1);
        assert!(all.at(one).is_none() && all.get(1).is_none());
        // Another entry gets the place: who remembers it for the first one is not given the other.
        assert_eq!(all.place(3, NOWHERE), one);
        let again = all.place(1, one);
        assert!(again != one && all.get(1).unwrap().is_empty());
        assert_eq!(all.keys().collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn what_is_not_kept_is_gone() {
        let mut all: Indexed<u32, u32> = Indexed::default();
        let places: Vec<At> = (0..1000).map(|key| all.place(key, NOWHERE)).collect();
        places.iter().for_each(|at| *all.at(*at).unwrap() = *at);
        all.retain(|key, value| key % 100 == 7 && *value < 500);
        assert_eq!(all.keys().collect::<Vec<_>>(), [7, 107, 207, 307, 407]);
        assert!(all.index.capacity() < 64 && all.find(8).is_none() && all.at(places[8]).is_none());
        assert_eq!(all.get(107), Some(&places[107]));
    }
}
