//! The sweep against all pairs.

use super::{Access, Deed, InOrder, MOST_DEEDS, Unordered, go_together};

const NO_OP: u32 = 9;

fn luck(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Must these two not overlap, by the standard's table?
fn are_in_conflict(a: &Access<usize>, b: &Access<usize>) -> bool {
    let overlap = a.start < b.end && b.start < a.end;
    let accumulates = |x: &Access<usize>| !matches!(x.deed, Deed::Read | Deed::Write);
    let goes = match (a.deed, b.deed) {
        (Deed::Read, Deed::Read) => true,
        _ if accumulates(a) && accumulates(b) && a.origin == b.origin => true,
        (Deed::Accumulate { op: x, basic: s }, Deed::Accumulate { op: y, basic: t }) => {
            s == t && (x == y || x == NO_OP || y == NO_OP)
        }
        _ => accumulates(a) && accumulates(b),
    };
    overlap && !goes
}

#[test]
fn the_sweep_finds_what_all_pairs_find() {
    let mut state = 1;
    for _ in 0..20_000 {
        let n = 1 + luck(&mut state) % 12;
        let all: Vec<Access<usize>> = (0..n as usize)
            .map(|call| {
                let start = (luck(&mut state) % 40) as i64;
                let end = start + 1 + (luck(&mut state) % 8) as i64;
                let deed = match luck(&mut state) % 8 {
                    0 => Deed::Write,
                    1..=3 => Deed::Read,
                    4 => Deed::AnyAccumulate,
                    5 => Deed::Accumulate { op: NO_OP, basic: 1 },
                    6 => Deed::Accumulate { op: 1, basic: 2 },
                    _ => Deed::Accumulate { op: 1, basic: 1 },
                };
                Access { start, end, origin: (luck(&mut state) % 3) as i32, deed, call }
            })
            .collect();
        let mut unordered = Unordered::default();
        all.iter().for_each(|access| unordered.add(*access));
        assert_eq!(unordered.all.len(), all.len());
        let mut found = Vec::new();
        unordered.conflicts(NO_OP, InOrder::Accumulates, |a, b, at| {
            assert!(
                are_in_conflict(&a, &b) && a.start <= at && at < a.end && b.start <= at && at < b.end,
                "{a:?} {b:?}"
            );
            found.push(b.call.max(a.call));
            found.push(b.call.min(a.call));
        });
        // Each access that is in conflict with one before it in the sweep is found.
        let mut sorted = all.clone();
        sorted.sort_by_key(|access| (access.start, access.end));
        for (i, b) in sorted.iter().enumerate() {
            if sorted[..i].iter().any(|a| are_in_conflict(a, b)) {
                assert!(found.contains(&b.call), "{b:?} in {all:?}");
            }
        }
    }
}

#[test]
fn parts_of_one_access_are_one_if_they_touch() {
    let mut unordered = Unordered::default();
    let part = |start, end, call| Access { start, end, origin: 0, deed: Deed::Write, call };
    unordered.add(part(0, 4, 1));
    unordered.add(part(4, 8, 1));
    unordered.add(part(8, 8, 1));
    unordered.add(part(12, 16, 1));
    unordered.add(part(16, 20, 2));
    assert_eq!(unordered.all.iter().map(|access| access.call).collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn a_million_accesses_are_swept_quickly() {
    let mut unordered = Unordered::default();
    let start = std::time::Instant::now();
    for i in 0..1_000_000u32 {
        let at = i64::from(i.wrapping_mul(2_654_435_761) >> 4) * 8;
        unordered.add(Access { start: at, end: at + 8, origin: (i % 64) as i32, deed: Deed::Read, call: i });
    }
    let mut found = 0;
    unordered.conflicts(NO_OP, InOrder::All, |_, _, _| found += 1);
    assert_eq!(found, 0);
    println!("{:?}", start.elapsed());
}

#[test]
fn accesses_of_one_origin_may_be_in_order() {
    let put = |start, origin, call| Access { start, end: start + 4, origin, deed: Deed::Write, call };
    let found = |in_order| {
        let mut unordered = Unordered::default();
        [put(0, 0, 1), put(2, 0, 2), put(5, 1, 3), put(7, 1, 4)].into_iter().for_each(|access| unordered.add(access));
        let mut found = Vec::new();
        unordered.conflicts(NO_OP, in_order, |a, b, _| found.push((a.call, b.call)));
        found
    };
    assert_eq!(found(InOrder::Accumulates), [(1, 2), (2, 3), (3, 4)]);
    assert_eq!(found(InOrder::All), [(2, 3)]);
}

#[test]
fn deeds_go_together_if_all_pairs_do() {
    let mut state = 0x5bd1_e995_9e37_79b1;
    let mut seen = [0; 2];
    for _ in 0..5000 {
        let deeds: Vec<Deed> = (0..luck(&mut state) % 5)
            .map(|_| match luck(&mut state) % 16 {
                0 => Deed::Read,
                1 => Deed::Write,
                2 | 3 => Deed::AnyAccumulate,
                n => {
                    Deed::Accumulate { op: if n < 10 { NO_OP } else { 1 + n as u32 % 2 }, basic: 1 + (n == 15) as u32 }
                }
            })
            .collect();
        let all_do = deeds.iter().all(|a| deeds.iter().all(|b| a.goes_with(*b, NO_OP)));
        assert_eq!(go_together(deeds.iter().copied(), NO_OP), all_do, "{deeds:?}");
        seen[usize::from(all_do)] += 1;
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    let many = |n: u32| (0..n).map(|op| Deed::Accumulate { op, basic: 0 }).chain([Deed::AnyAccumulate]);
    assert!(go_together(many(1), NO_OP) && !go_together(many(MOST_DEEDS as u32), NO_OP));
}
