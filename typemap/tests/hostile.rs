//! Arguments that no program means: nothing panics, nothing takes long.

use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_format::definition::Combiner;
use typemap::{Buffer, Pending, SelfOverlap, Typemap, common_byte};

const COMBINERS: [Combiner; 14] = [
    Combiner::Named,
    Combiner::Dup,
    Combiner::Contiguous,
    Combiner::Vector,
    Combiner::Hvector,
    Combiner::Indexed,
    Combiner::Hindexed,
    Combiner::IndexedBlock,
    Combiner::HindexedBlock,
    Combiner::Struct,
    Combiner::Subarray,
    Combiner::Darray,
    Combiner::Resized,
    Combiner::Opaque,
];

/// Numbers that are small, at a limit, or anything.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => -3i64..12,
        2 => prop::sample::select(vec![i64::MIN, i64::MAX, i64::MIN + 1, 1 << 31, -(1 << 31), 1 << 62, 1 << 40, 1 << 20]),
        1 => any::<i64>(),
        1 => (0u32..63).prop_map(|b| 1i64 << b),
    ]
}

type Step = (usize, Vec<i64>, Vec<prop::sample::Index>, i64, i64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ints = prop_oneof![
        3 => prop::collection::vec(number(), 0..12),
        // Lists of the right length.
        2 => (1usize..5).prop_flat_map(|n| prop::collection::vec(number(), 2 * n).prop_map(move |mut v| {
            v.insert(0, n as i64);
            v
        })),
        2 => (1i64..5, 0i64..5, number()).prop_map(|(a, b, c)| vec![a, b, c]),
    ];
    let step = (0usize..14, ints, prop::collection::vec(any::<prop::sample::Index>(), 1..4), number(), number());
    prop::collection::vec(step, 1..12)
}

fn ask_everything(map: &Arc<Typemap>, count: u64, address: u64) {
    let _ = (map.span(count), map.one_run(count), map.is_contiguous(), map.basic_elements());
    assert!(map.runs(count).take(50).all(|(_, length)| length > 0));
    for nth in [0, 1, map.size(), map.size().wrapping_mul(count).wrapping_sub(1), u64::MAX] {
        let _ = map.locate(count, nth);
    }
    let _ = (map.overlaps_itself(1), map.overlaps_itself(count), map.misaligned(count));
    let buffer = Buffer::new(address, map, count);
    let others = [Buffer::new(address, map, 1), Buffer::bytes(address, count), Buffer::bytes(buffer.span().start, 9)];
    let mut pending = Pending::new();
    let key = pending.insert(buffer.clone(), true, 1);
    for other in others {
        let found = common_byte(&buffer, &other);
        if let Some(address) = found {
            assert!(buffer.span().contains(&address) && other.span().contains(&address));
        }
        assert_eq!(pending.conflict(&other, false).is_some(), found.is_some());
        pending.insert(other, false, 2);
    }
    pending.remove(key);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_arguments(steps in steps(), count in number(), address in number()) {
        let start = Instant::now();
        let mut types = vec![Typemap::named(35, 4), Typemap::named(31, 12), Typemap::named(11, u64::MAX)];
        for (combiner, ints, olds, lb, extent) in steps {
            let mut olds: Vec<_> = olds.iter().map(|i| i.get(&types).clone()).collect();
            if COMBINERS[combiner] != Combiner::Struct {
                olds.truncate(1);
            }
            let Some(made) = Typemap::derive(COMBINERS[combiner], &ints, &olds, lb, extent) else { continue };
            ask_everything(&made, count as u64, address as u64);
            types.push(made);
        }
        prop_assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn size_of_the_arguments_not_of_the_data() {
    let start = Instant::now();
    let double = Typemap::named(29, 8);
    let mut map = double.clone();
    for _ in 0..9 {
        let made = Typemap::derive(Combiner::Vector, &[30, 2, 3], &[map.clone()], 0, 90 * map.extent());
        map = made.expect("a vector of vectors");
    }
    assert_eq!(map.size(), 8 * 60u64.pow(9));
    let last = map.locate(2, 2 * map.size() - 1).expect("the last byte");
    assert_eq!((last.element, last.position, last.byte), (1, 60u64.pow(9) - 1, 7));
    assert_eq!(map.overlaps_itself(2), SelfOverlap::No);
    let million =
        Typemap::derive(Combiner::Vector, &[1_000_000, 3, 7], std::slice::from_ref(&double), 0, 8 * 7_000_000);
    assert_eq!(million.expect("a vector").runs(3).count(), 3_000_000);
    // Nested until it is refused.
    let mut deep = double;
    let mut levels = 0;
    while let Some(next) = Typemap::derive(Combiner::Hindexed, &[2, 1, 1, 8, 100], &[deep.clone()], 0, 200) {
        (deep, levels) = (next, levels + 1);
        assert!(levels < 100);
    }
    assert!(levels >= 50, "{levels}");
    let buffer = Buffer::new(1 << 30, &deep, 3);
    let other = Buffer::new((1 << 30) + 4, &deep, 3);
    let _ = (common_byte(&buffer, &other), deep.overlaps_itself(1), deep.misaligned(4), deep.runs(1).take(9).count());
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Strided blocks become one node, whichever constructor made them: what follows from that is exact.
#[test]
fn patterns_are_found() {
    let double = Typemap::named(29, 8);
    let n = 200_000i64;
    let mut ints = vec![n, 1];
    ints.extend((0..n).map(|i| 1000 * i));
    let column = |first: u64| {
        let map = Typemap::derive(Combiner::IndexedBlock, &ints, std::slice::from_ref(&double), 0, 8 * 1000 * n);
        Buffer::new((1 << 30) + 8 * first, &map.expect("blocks"), 1)
    };
    assert_eq!(common_byte(&column(0), &column(1)), None);
    assert_eq!(common_byte(&column(3), &column(3003)), Some((1 << 30) + 8 * 3003));
    // Columns of a matrix that are elements one after the other, far too many runs to look at.
    let column = Typemap::derive(Combiner::Vector, &[1_000_000, 1, 1000], &[double], 0, 8).expect("a column");
    assert_eq!(column.overlaps_itself(1000), SelfOverlap::No);
    assert_eq!(column.overlaps_itself(1001), SelfOverlap::Yes);
}
