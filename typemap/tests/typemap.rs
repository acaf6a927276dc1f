//! Typemaps against a model that lists every byte.

mod model;

use model::{Naive, recipe};
use proptest::prelude::*;
use std::collections::BTreeSet;
use typemap::{Buffer, Place, SelfOverlap, common_byte};

fn runs(naive: &Naive, count: u64) -> Vec<(i64, u64)> {
    let mut runs: Vec<(i64, u64)> = Vec::new();
    for (_, b) in naive.buffer(count) {
        match runs.last_mut() {
            Some((start, length)) if *start + *length as i64 == b.offset => *length += 1,
            _ => runs.push((b.offset, 1)),
        }
    }
    runs
}

fn addresses(naive: &Naive, count: u64, address: u64) -> BTreeSet<u64> {
    naive.buffer(count).iter().map(|(_, b)| address.wrapping_add_signed(b.offset)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_type(recipe in recipe(), count in 0u64..4) {
        let Some(both) = recipe.build() else { return Ok(()) };
        let (map, naive) = (both.map, both.naive);
        prop_assert_eq!(map.size(), naive.bytes.len() as u64);
        prop_assert_eq!((map.lb(), map.extent()), (naive.lb, naive.extent));
        if !naive.bytes.is_empty() {
            prop_assert_eq!(map.basic_elements(), naive.elements);
        }
        prop_assert_eq!(map.true_lb(), naive.bytes.iter().map(|b| b.offset).min().unwrap_or(0));
        prop_assert_eq!(map.true_ub(), naive.bytes.iter().map(|b| b.offset + 1).max().unwrap_or(0));

        let all = naive.buffer(count);
        let low = all.iter().map(|(_, b)| b.offset).min().unwrap_or(0);
        let high = all.iter().map(|(_, b)| b.offset + 1).max().unwrap_or(0);
        prop_assert_eq!(map.span(count), low..high);

        let expected = runs(&naive, count);
        prop_assert_eq!(map.runs(count).collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(map.one_run(count).is_some(), expected.len() < 2);
        let contiguous = (0..4).all(|n| runs(&naive, n).len() < 2);
        prop_assert!(naive.bytes.is_empty() || map.is_contiguous() == contiguous);

        for (nth, (element, b)) in all.iter().enumerate() {
            let Byte { basic, position, offset, byte } = *b;
            let place = Place { element: *element, position, basic, offset, byte };
            prop_assert_eq!(map.locate(count, nth as u64), Some(place));
        }
        prop_assert_eq!(map.locate(count, all.len() as u64), None);

        let twice = addresses(&naive, count, 1 << 20).len() < all.len();
        prop_assert_eq!(map.overlaps_itself(count), if twice { SelfOverlap::Yes } else { SelfOverlap::No });

        // Is there an address that aligns all?
        let wants: BTreeSet<(i64, i64)> = all.iter().filter(|(_, b)| b.byte == 0)
            .map(|(_, b)| (b.offset, alignment(b.basic))).collect();
        let possible = (0..16).any(|base| wants.iter().all(|(offset, align)| (base + offset) % align == 0));
        let found = map.misaligned(count);
        prop_assert_eq!(found.is_none(), possible, "{:?}", found);
        if let Some(m) = found {
            let (e, p) = (m.position / naive.elements, m.position % naive.elements);
            prop_assert!(all.iter().any(|(element, b)| (*element, b.position, b.offset, b.basic, b.byte)
                == (e, p, m.offset, m.basic, 0)));
            prop_assert_eq!(m.alignment as i64, alignment(m.basic));
        }
        for address in 0..16 {
            let first = all.iter().find(|(_, b)| b.byte == 0 && (address + b.offset) % alignment(b.basic) != 0);
            let found = map.misaligned_at(address as u64, count);
            prop_assert_eq!(found.map(|m| m.offset), first.map(|f| f.1.offset));
        }
    }

    #[test]
    fn two_buffers(a in recipe(), b in recipe(), m in 0u64..4, n in 0u64..4, distance in -300i64..300) {
        let (Some(a), Some(b)) = (a.build(), b.build()) else { return Ok(()) };
        let (x, y) = (1u64 << 20, (1u64 << 20).wrapping_add_signed(distance));
        let (one, two) = (Buffer::new(x, &a.map, m), Buffer::new(y, &b.map, n));
        let common: BTreeSet<u64> =
            addresses(&a.naive, m, x).intersection(&addresses(&b.naive, n, y)).copied().collect();
        for found in [common_byte(&one, &two), common_byte(&two, &one)] {
            prop_assert_eq!(found.is_some(), !common.is_empty());
            prop_assert!(found.is_none_or(|f| common.contains(&f)));
        }
    }
}

use model::Byte;

fn alignment(basic: u32) -> i64 {
    match trace_format::mpi::predefined::DATATYPES[basic as usize - 1] {
        "MPI_SHORT" => 2,
        "MPI_INT" => 4,
        "MPI_DOUBLE" | "MPI_C_DOUBLE_COMPLEX" => 8,
        _ => 1,
    }
}
