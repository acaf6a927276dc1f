//! Messages by size.

use serde::Serialize;
use std::collections::BTreeMap;

/// Messages of `from` to `to` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    pub from: u64,
    pub to: u64,
    pub messages: u64,
    pub bytes: u64,
}

/// Counts by powers of two; messages without bytes have a count of their own.
#[derive(Debug)]
pub(super) struct Sizes {
    counts: [(u64, u64); 65],
    pub(super) unknown: u64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { counts: [(0, 0); 65], unknown: 0 }
    }
}

impl Sizes {
    pub(super) fn add(&mut self, bytes: Option<u64>) {
        let Some(bytes) = bytes else {
            self.unknown += 1;
            return;
        };
        let (messages, sum) = &mut self.counts[64 - bytes.leading_zeros() as usize];
        *messages += 1;
        *sum = sum.saturating_add(bytes);
    }

    pub(super) fn list(&self) -> Vec<Size> {
        let size = |(i, (messages, bytes)): (usize, &(u64, u64))| {
            let from = if i == 0 { 0 } else { 1 << (i - 1) };
            let to = if i == 0 { 0 } else { from - 1 + from };
            Size { from, to, messages: *messages, bytes: *bytes }
        };
        self.counts.iter().enumerate().filter(|(_, c)| c.0 > 0).map(size).collect()
    }
}

/// Counts of several lists together.
pub(super) fn merge<'a>(sizes: impl Iterator<Item = &'a Size>) -> Vec<Size> {
    let mut all: BTreeMap<u64, Size> = BTreeMap::new();
    for size in sizes {
        let sum = all.entry(size.from).or_insert(Size { messages: 0, bytes: 0, ..*size });
        sum.messages += size.messages;
        sum.bytes = sum.bytes.saturating_add(size.bytes);
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_has_its_place() {
        let mut sizes = Sizes::default();
        for bytes in [0, 1, 2, 3, 4, 1023, 1024, 2047, 2048, u64::MAX] {
            sizes.add(Some(bytes));
        }
        sizes.add(None);
        let list: Vec<_> = sizes.list().iter().map(|s| (s.from, s.to, s.messages, s.bytes)).collect();
        assert_eq!(list[..5], [(0, 0, 1, 0), (1, 1, 1, 1), (2, 3, 2, 5), (4, 7, 1, 4), (512, 1023, 1, 1023)]);
        assert_eq!(list[5..7], [(1024, 2047, 2, 3071), (2048, 4095, 1, 2048)]);
        assert_eq!(list[7], (1 << 63, u64::MAX, 1, u64::MAX));
        assert_eq!(sizes.unknown, 1);
    }
}
