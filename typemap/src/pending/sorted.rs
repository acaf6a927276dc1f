//! A sorted sequence for few and for many entries: short sorted arrays, and the first key of each.

use std::num::NonZeroU32;

/// Most entries of a leaf: moving half of them must stay cheaper than finding them.
const LEAF: usize = 32;
/// Empty leaves that are kept.
const MAX_SPARE: usize = 64;

/// The number of an entry, or none.
pub(crate) type Entry = Option<NonZeroU32>;

/// Entries with the same key, as the ends of a linked list that the caller keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<K> {
    pub(crate) key: K,
    /// The oldest entry.
    pub(crate) head: NonZeroU32,
    tail: NonZeroU32,
}

/// Neighbours of an entry in the list of its key.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Links {
    pub(crate) before: Entry,
    pub(crate) after: Entry,
}

/// Keys in order, each with its list of entries.
#[derive(Debug)]
pub(crate) struct Sorted<K> {
    /// None of them is empty.
    leaves: Vec<Vec<Item<K>>>,
    /// First key of each leaf.
    firsts: Vec<K>,
    spare: Vec<Vec<Item<K>>>,
}

impl<K> Default for Sorted<K> {
    fn default() -> Self {
        Sorted::new()
    }
}

impl<K> Sorted<K> {
    pub(crate) const fn new() -> Sorted<K> {
        Sorted { leaves: Vec::new(), firsts: Vec::new(), spare: Vec::new() }
    }
}

impl<K: Ord + Copy> Sorted<K> {
    pub(crate) fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The leaf that `key` is in, or belongs into.
    fn leaf_of(&self, key: &K) -> usize {
        self.firsts.partition_point(|first| first <= key).saturating_sub(1)
    }

    fn new_leaf(&mut self) -> Vec<Item<K>> {
        self.spare.pop().unwrap_or_else(|| Vec::with_capacity(LEAF))
    }

    /// Appends an entry to the list of its key. Answers which entry comes before it there.
    pub(crate) fn insert(&mut self, key: K, entry: NonZeroU32) -> Entry {
        let item = Item { key, head: entry, tail: entry };
        let mut at = self.leaf_of(&key);
        let Some(leaf) = self.leaves.get_mut(at) else {
            let mut leaf = self.new_leaf();
            leaf.push(item);
            self.leaves.push(leaf);
            self.firsts.push(key);
            return None;
        };
        let mut place = leaf.partition_point(|i| i.key < key);
        if let Some(same) = leaf.get_mut(place)
            && same.key == key
        {
            return Some(std::mem::replace(&mut same.tail, entry));
        }
        if leaf.len() >= LEAF {
            // Insertion in order fills leaves, any other order halves them.
            let keep = if place == LEAF { LEAF } else { LEAF / 2 };
            (at, place) = self.split(at, keep, place);
        }
        if let Some(leaf) = self.leaves.get_mut(at) {
            leaf.insert(place.min(leaf.len()), item);
        }
        if place == 0
            && let Some(first) = self.firsts.get_mut(at)
        {
            *first = key;
        }
        None
    }

    /// Moves what is from `keep` on to a new leaf, which must be filled if that is nothing. Answers where `place` is
    /// now.
    fn split(&mut self, at: usize, keep: usize, place: usize) -> (usize, usize) {
        let mut upper = self.new_leaf();
        let Some(leaf) = self.leaves.get_mut(at) else {
            return (at, place);
        };
        upper.extend(leaf.drain(keep..));
        let first = upper.first().or(leaf.last()).map(|i| i.key);
        if let Some(first) = first {
            self.firsts.insert(at + 1, first);
            self.leaves.insert(at + 1, upper);
        }
        if place > keep || keep == LEAF { (at + 1, place - keep) } else { (at, place) }
    }

    /// Removes an entry from the list of its key.
    pub(crate) fn remove(&mut self, key: K, entry: NonZeroU32, links: Links) {
        let at = self.leaf_of(&key);
        let Some(leaf) = self.leaves.get_mut(at) else {
            return;
        };
        let place = leaf.partition_point(|i| i.key < key);
        let Some(item) = leaf.get_mut(place).filter(|i| i.key == key) else {
            return;
        };
        match links {
            Links { before: None, after: None } => {
                leaf.remove(place);
                self.shrunk(at, place);
            }
            Links { before: None, after: Some(next) } if item.head == entry => item.head = next,
            Links { before: Some(last), after: None } if item.tail == entry => item.tail = last,
            _ => {}
        }
    }

    /// An item of a leaf was removed: keeps leaves from being empty or too many.
    fn shrunk(&mut self, at: usize, place: usize) {
        let Some(leaf) = self.leaves.get(at) else {
            return;
        };
        let Some(first) = leaf.first().map(|i| i.key) else {
            self.drop_leaf(at);
            return;
        };
        if place == 0
            && let Some(f) = self.firsts.get_mut(at)
        {
            *f = first;
        }
        if leaf.len() < LEAF / 4
            && let Some((left, right)) = self.leaves.split_at_mut_checked(at + 1)
            && let (Some(leaf), Some(next)) = (left.last_mut(), right.first_mut())
            && leaf.len() + next.len() <= LEAF / 2
        {
            leaf.append(next);
            self.drop_leaf(at + 1);
        }
    }

    fn drop_leaf(&mut self, at: usize) {
        self.firsts.remove(at);
        let leaf = self.leaves.remove(at);
        if self.spare.len() < MAX_SPARE {
            self.spare.push(leaf);
        }
    }

    /// A cursor at the first key that is not below `from`.
    pub(crate) fn from(&self, from: &K) -> Cursor<'_, K> {
        let at = self.leaf_of(from);
        let leaf = self.leaves.get(at).map(|l| l.as_slice()).unwrap_or_default();
        let place = leaf.partition_point(|i| i.key < *from);
        Cursor {
            items: leaf.get(place..).unwrap_or_default().iter(),
            leaves: self.leaves.get(at + 1..).unwrap_or_default(),
        }
    }
}

/// Items in order.
pub(crate) struct Cursor<'a, K> {
    items: std::slice::Iter<'a, Item<K>>,
    leaves: &'a [Vec<Item<K>>],
}

impl<'a, K> Iterator for Cursor<'a, K> {
    type Item = &'a Item<K>;

    fn next(&mut self) -> Option<&'a Item<K>> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(item);
            }
            let (leaf, rest) = self.leaves.split_first()?;
            self.items = leaf.iter();
            self.leaves = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn like_a_btree_map() {
        let mut seed = 7u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for round in 0..20 {
            let (mut sorted, mut model) = (Sorted::default(), BTreeMap::new());
            for step in 0..4000u64 {
                // In order, from both ends, and at random; growing and shrinking.
                let key = match round % 4 {
                    0 => step,
                    1 => 10_000 - step,
                    _ => random(1500),
                };
                let shrink = (step / 700) % 2 == 1;
                let entry = NonZeroU32::new(step as u32 + 1).unwrap();
                if random(3) < if shrink { 2 } else { 1 }
                    && let Some((&key, &entry)) = model.range(random(1500)..).next().or(model.first_key_value())
                {
                    model.remove(&key);
                    sorted.remove(key, entry, Links::default());
                } else if let std::collections::btree_map::Entry::Vacant(vacant) = model.entry(key) {
                    vacant.insert(entry);
                    assert_eq!(sorted.insert(key, entry), None);
                }
                let from = random(1500);
                let found: Vec<_> = sorted.from(&from).take(40).map(|i| (i.key, i.head)).collect();
                let expected: Vec<_> = model.range(from..).take(40).map(|(k, e)| (*k, *e)).collect();
                assert_eq!(found, expected);
                assert_eq!(sorted.is_empty(), model.is_empty());
                assert!(sorted.leaves.iter().all(|l| !l.is_empty() && l.len() <= LEAF));
                assert!(sorted.leaves.len() <= 2 + model.len() / 4);
            }
        }
    }
}
