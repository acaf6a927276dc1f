//! Buffers by the memory from their lowest to their highest byte.

use super::sorted::{Entry, Item, Links, Sorted};
use std::num::NonZeroU32;

/// First byte and one past the last one.
pub(crate) type Span = (i64, i64);

const CLASSES: usize = 32;

/// Spans, those of similar length together: then what may reach into a place begins not far below it.
#[derive(Debug)]
pub(crate) struct Spans {
    /// Class `c` has the lengths from 4^c to below 4^(c+1).
    classes: [Sorted<Span>; CLASSES],
    /// Bit `c`: class `c` is not empty.
    filled: u32,
}

/// Logarithm to the base 4.
pub(crate) fn class(length: i64) -> usize {
    (length.max(1).ilog2() / 2) as usize
}

/// Longer than everything in a class.
pub(crate) fn reach(class: usize) -> i64 {
    1i64.checked_shl(2 * (class as u32 + 1)).filter(|r| *r > 0).unwrap_or(i64::MAX)
}

impl Spans {
    pub(crate) const fn new() -> Spans {
        Spans { classes: [const { Sorted::new() }; CLASSES], filled: 0 }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    pub(crate) fn insert(&mut self, span: Span, entry: NonZeroU32) -> Entry {
        let class = class(span.1 - span.0);
        self.filled |= 1 << class;
        self.classes.get_mut(class)?.insert(span, entry)
    }

    pub(crate) fn remove(&mut self, span: Span, entry: NonZeroU32, links: Links) {
        let class = class(span.1 - span.0);
        if let Some(sorted) = self.classes.get_mut(class) {
            sorted.remove(span, entry, links);
            if sorted.is_empty() {
                self.filled &= !(1 << class);
            }
        }
    }

    /// Visits the spans that touch `span`. The visitor may answer an address: of those that begin no
    /// lower than the visited one, it wants only those that go beyond that address.
    pub(crate) fn touching(&self, span: Span, mut visit: impl FnMut(&Item<Span>) -> Option<i64>) {
        let mut left = self.filled;
        while left != 0 {
            let class = left.trailing_zeros() as usize;
            left &= left - 1;
            let Some(sorted) = self.classes.get(class) else {
                return;
            };
            let reach = reach(class);
            let mut items = sorted.from(&(span.0.saturating_sub(reach), 0));
            while let Some(item) = items.next().filter(|i| i.key.0 < span.1) {
                if item.key.1 <= span.0 {
                    continue;
                }
                if let Some(from) = visit(item).map(|address| address.saturating_sub(reach))
                    && from > item.key.0
                {
                    items = sorted.from(&(from, 0));
                }
            }
        }
    }
}
