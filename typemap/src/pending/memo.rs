//! Results of searches in irregular buffers: programs repeat the same exchange many times.

use crate::buffer::Buffer;
use crate::overlap::{MAX_STEPS, common_byte_within};
use std::cell::{Cell, OnceCell};

/// 64 KiB, and only if there are irregular buffers at all.
const PLACES: usize = 1024;
/// A pair may be in any of so many places, next to each other.
const WAYS: usize = 8;

/// Two buffers, wherever they are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Pair {
    shapes: [(u64, u64); 2],
    /// Distance from the address of the first buffer to that of the second one.
    distance: i64,
}

impl Pair {
    fn of(a: &Buffer, b: &Buffer) -> Pair {
        Pair { shapes: [a.shape_id(), b.shape_id()], distance: b.address().wrapping_sub(a.address()) }
    }

    /// Picks the places, and the one to give up if all are taken.
    fn hash(&self) -> usize {
        let [(a, m), (b, n)] = self.shapes;
        let mix = |sum: u64, v: u64| (sum.rotate_left(23) ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sum = [m, b, n, self.distance as u64].into_iter().fold(a, mix);
        (sum >> 40) as usize
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    pair: Pair,
    /// The common byte, from the address of the first buffer.
    common: Option<i64>,
}

/// The last answer for each of many pairs.
#[derive(Debug)]
pub(crate) struct Memo {
    places: OnceCell<Box<[Cell<Known>]>>,
}

impl Memo {
    pub(crate) const fn new() -> Memo {
        Memo { places: OnceCell::new() }
    }

    /// [`crate::common_byte`] with what is left of a shared effort.
    pub(crate) fn common_byte(&self, a: &Buffer, b: &Buffer, steps: &mut u32) -> Option<u64> {
        if a.vector().is_some() && b.vector().is_some() {
            return common_byte_within(a, b, steps);
        }
        if a.low >= b.high || b.low >= a.high {
            return None;
        }
        let pair = Pair::of(a, b);
        let places = self.places.get_or_init(|| (0..PLACES).map(|_| Cell::default()).collect());
        let hash = pair.hash();
        let (sets, _) = places.as_chunks::<WAYS>();
        let set = sets.get(hash % sets.len().max(1))?;
        if let Some(known) = set.iter().map(Cell::get).find(|known| known.pair == pair) {
            return known.common.map(|offset| a.address().wrapping_add(offset) as u64);
        }
        let granted = MAX_STEPS.min(*steps);
        let mut left = granted;
        let common = common_byte_within(a, b, &mut left);
        *steps -= granted - left;
        // A search that others left too little for says nothing about the next one.
        if common.is_some() || left > 0 || granted == MAX_STEPS {
            let free = set.iter().find(|place| place.get().pair == Pair::default());
            let place = free.or_else(|| set.get((hash >> 12) % WAYS))?;
            place.set(Known { pair, common: common.map(|c| (c as i64).wrapping_sub(a.address())) });
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typemap::Typemap;
    use trace_format::definition::Combiner;

    #[test]
    fn asks_once() {
        let double = Typemap::named(29, 8);
        let buffers: Vec<Buffer> = (0..16i64)
            .map(|first| {
                let mut ints = vec![200, 1];
                ints.extend((0..200i64).map(|i| 64 * i + first + (i * i % 3) * 16));
                let map = Typemap::derive(Combiner::IndexedBlock, &ints, std::slice::from_ref(&double), 0, 8);
                Buffer::new(1 << 30, &map.expect("a list"), 1)
            })
            .collect();
        let memo = Memo::new();
        let ask = || {
            let mut steps = u32::MAX;
            for (a, b) in buffers.iter().flat_map(|a| buffers.iter().map(move |b| (a, b))) {
                let common = memo.common_byte(a, b, &mut steps);
                assert_eq!(common.is_some(), std::ptr::eq(a, b));
            }
            u32::MAX - steps
        };
        let (first, second) = (ask(), ask());
        // Few of them must give way to others.
        assert!(first > 10_000 && second < first / 20, "{first} {second}");
    }
}
