//! A bounded sample of many items: all of them while they are few, then those whose hash ends in enough zeros. The
//! choice does not depend on the order in which they come.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

#[derive(Debug)]
pub(crate) struct HashSample<T> {
    all: Vec<(u64, T)>,
    most: usize,
    /// Number of bits that must be zero.
    level: u32,
    pub(crate) seen: u64,
}

impl<T> HashSample<T> {
    pub(crate) fn new(most: usize) -> HashSample<T> {
        HashSample { all: Vec::new(), most, level: 0, seen: 0 }
    }

    /// `name` identifies the item.
    pub(crate) fn push(&mut self, name: impl Hash, item: T) {
        self.seen += 1;
        let key = shuffle(&name);
        if key & ((1 << self.level) - 1) != 0 {
            return;
        }
        self.all.push((key, item));
        while self.all.len() > self.most && self.level < 63 {
            self.level += 1;
            let mask = (1 << self.level) - 1;
            self.all.retain(|(key, _)| key & mask == 0);
        }
    }

    pub(crate) fn into_items(self) -> impl Iterator<Item = T> {
        self.all.into_iter().map(|(_, item)| item)
    }
}

fn shuffle(name: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    // The end of splitmix64: all bits of the result depend on all of the number.
    let mut x = hasher.finish();
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_bounded_and_the_same_in_any_order() {
        let take = |order: &mut dyn Iterator<Item = u64>| {
            let mut sampled = HashSample::new(100);
            order.for_each(|i| sampled.push(i, i));
            assert_eq!(sampled.seen, 10_000);
            let mut items: Vec<u64> = sampled.into_items().collect();
            items.sort_unstable();
            items
        };
        let (there, back) = (take(&mut (0..10_000)), take(&mut (0..10_000).rev()));
        assert_eq!(there, back);
        assert!((20..=100).contains(&there.len()), "{}", there.len());
        // Some are from everywhere.
        assert!(there[0] < 1_000 && there[there.len() - 1] > 9_000);
    }
}
