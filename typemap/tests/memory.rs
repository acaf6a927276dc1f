//! Checksums and snapshots of real memory against the naive model.

mod model;

use model::{Both, recipe};
use proptest::prelude::*;
use std::collections::BTreeMap;
use trace_format::definition::Combiner;
use typemap::{Buffer, Change, Sampling, Snapshot, Typemap, checksum, checksum_prefix, digest};

/// Memory around an address in its middle.
struct Memory(Vec<u8>);

impl Memory {
    fn new(bytes: usize, seed: u64) -> Memory {
        let mut x = seed | 1;
        let next = |_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 56) as u8
        };
        Memory((0..bytes).map(next).collect())
    }

    fn middle(&self) -> u64 {
        self.0.as_ptr() as u64 + self.0.len() as u64 / 2
    }

    fn at(&mut self, offset: i64) -> &mut u8 {
        let middle = self.0.len() as i64 / 2;
        &mut self.0[(middle + offset) as usize]
    }
}

fn sum(buffer: &Buffer) -> u64 {
    // SAFETY: the buffers of these tests are in memory that they own.
    unsafe { checksum(buffer, Sampling::NONE) }
}

/// Takes a snapshot in the memory of another one, which was small or large: it must equal a new one.
fn take(buffer: &Buffer, sampling: Sampling) -> Snapshot {
    let other = vec![7u8; if buffer.size().is_multiple_of(2) { 5 } else { 10_000 }];
    // SAFETY: as above.
    unsafe {
        let new = Snapshot::take(buffer, sampling);
        let mut again = Snapshot::take(&Buffer::bytes(other.as_ptr() as u64, other.len() as u64), Sampling::NONE);
        again.take_again(buffer, sampling);
        assert_eq!((again.size(), again.checksum()), (new.size(), new.checksum()));
        again
    }
}

fn changed(snapshot: &Snapshot, buffer: &Buffer) -> Option<Change> {
    // SAFETY: as above.
    unsafe { snapshot.changed(buffer) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_type(
        recipe in recipe(), count in 0u64..4, seed: u64, part in 0.0..1.0f64,
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..3),
    ) {
        let Some(Both { map, naive }) = recipe.build() else { return Ok(()) };
        let offsets: Vec<i64> = naive.buffer(count).iter().map(|(_, b)| b.offset).collect();
        let most = offsets.iter().map(|o| o.unsigned_abs()).max().unwrap_or(0) as usize;
        if most > 1 << 20 {
            return Ok(());
        }
        let mut memory = Memory::new(2 * most + 2, seed);
        let buffer = Buffer::new(memory.middle(), &map, count);
        let packed: Vec<u8> = offsets.iter().map(|o| *memory.at(*o)).collect();
        prop_assert_eq!(buffer.size(), packed.len() as u64);

        prop_assert_eq!(sum(&buffer), digest(&packed, Sampling::NONE));
        prop_assert_eq!(sum(&buffer), sum(&Buffer::bytes(packed.as_ptr() as u64, packed.len() as u64)));
        let length = (part * packed.len() as f64) as usize;
        // SAFETY: as above.
        let prefix = |n: usize| unsafe { checksum_prefix(&buffer, n as u64, Sampling::NONE) };
        prop_assert_eq!(prefix(length), Some(digest(&packed[..length], Sampling::NONE)));
        prop_assert_eq!(prefix(packed.len() + 1), None);

        let before = take(&buffer, Sampling::NONE);
        prop_assert_eq!(before.checksum(), sum(&buffer));
        prop_assert_eq!(changed(&before, &buffer), None);
        if !offsets.is_empty() {
            for (place, flip) in &flips {
                *memory.at(offsets[place.index(offsets.len())]) ^= flip;
            }
        }
        let now: Vec<u8> = offsets.iter().map(|o| *memory.at(*o)).collect();
        let places = || (0..now.len()).filter(|i| now[*i] != packed[*i]);
        match changed(&before, &buffer) {
            None => prop_assert_eq!(places().count(), 0),
            Some(change) => {
                let (first, last) = (places().next().unwrap() as u64, places().next_back().unwrap() as u64);
                prop_assert_eq!(change.exact, packed.len() <= 4096);
                if change.exact {
                    prop_assert_eq!((change.first, change.last), (first, last));
                } else {
                    prop_assert!(change.first <= first && first < change.first + 2048);
                    prop_assert!(last <= change.last && change.last < last + 2048);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn large(length in 4097u64..2_000_000, at in 0.0..1.0f64, seed: u64) {
        let mut memory = Memory::new(length as usize, seed);
        let buffer = Buffer::bytes(memory.0.as_ptr() as u64, length);
        let before = take(&buffer, Sampling::NONE);
        prop_assert_eq!(before.checksum(), digest(&memory.0, Sampling::NONE));
        prop_assert_eq!(changed(&before, &buffer), None);
        let place = (at * length as f64) as u64;
        memory.0[place as usize] ^= 1;
        let change = changed(&before, &buffer).unwrap();
        prop_assert!(change.first <= place && place <= change.last && change.last - change.first < 2048);
        prop_assert_ne!(sum(&buffer), before.checksum());
        memory.0[place as usize] ^= 1;
        prop_assert_eq!(sum(&buffer), before.checksum());
    }
}

/// Columns, rows and halves of a matrix have the data of plain arrays.
#[test]
fn layouts_of_a_matrix() {
    let (rows, columns) = (3000i64, 40i64);
    let memory = Memory::new((rows * columns * 8) as usize, 3);
    let address = memory.0.as_ptr() as u64;
    let double = Typemap::named(29, 8);
    let column = Typemap::derive(Combiner::Vector, &[rows, 1, columns], std::slice::from_ref(&double), 0, 8).unwrap();
    let packed: Vec<u8> = (0..columns)
        .flat_map(|c| (0..rows).flat_map(move |r| (0..8).map(move |b| ((r * columns + c) * 8 + b) as usize)))
        .map(|i| memory.0[i])
        .collect();
    // The matrix column by column.
    let transposed = Buffer::new(address, &column, columns as u64);
    assert_eq!(transposed.size(), packed.len() as u64);
    assert_eq!(sum(&transposed), digest(&packed, Sampling::NONE));
    assert_ne!(sum(&transposed), digest(&memory.0, Sampling::NONE));
    for sampled in [100, 5000, 100_000] {
        let sampling = Sampling { over: sampled };
        // SAFETY: the memory is owned.
        assert_eq!(unsafe { checksum(&transposed, sampling) }, digest(&packed, sampling));
    }
}

/// A sampled snapshot sees changes at the ends and about its share of those between.
#[test]
fn sampled() {
    let mut memory = Memory::new(2 << 20, 5);
    let buffer = Buffer::bytes(memory.0.as_ptr() as u64, 2 << 20);
    let before = take(&buffer, Sampling { over: 1 << 18 });
    let mut seen = BTreeMap::new();
    for place in (0..memory.0.len()).step_by(1024).chain([memory.0.len() - 1]) {
        memory.0[place] ^= 1;
        let change = changed(&before, &buffer);
        assert!(change.is_none_or(|c| (c.first..=c.last).contains(&(place as u64))));
        seen.insert(place, change.is_some());
        memory.0[place] ^= 1;
    }
    let hits = seen.values().filter(|s| **s).count();
    assert_eq!((seen[&0], seen[&((2 << 20) - 1)]), (true, true));
    assert!((seen.len() / 8 - 4..=seen.len() / 8 + 4).contains(&hits), "{hits} of {}", seen.len());
    // Data that are not larger are looked at completely.
    let small = Buffer::bytes(memory.0.as_ptr() as u64, 1 << 18);
    let before = take(&small, Sampling { over: 1 << 18 });
    memory.0[77_777] ^= 1;
    assert!(changed(&before, &small).is_some());
}
