//! The index of pending memory against a list that is searched byte by byte.

mod model;

use model::{Recipe, recipe};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use trace_format::definition::Combiner;
use typemap::{Buffer, Key, Pending, Typemap};

const BASE: u64 = 1 << 20;

#[derive(Debug, Clone)]
enum Memory {
    Bytes(u64),
    /// Rows, length, stride.
    Column(i64, i64, i64),
    Any(Recipe, u64),
    /// One of those made before, so that the same typemaps occur again.
    Made(usize),
}

/// Typemap, number of elements, offsets of the bytes.
type Made = (Arc<Typemap>, u64, Vec<i64>);

#[derive(Debug, Clone)]
enum Step {
    Insert { memory: Memory, place: u64, writes: bool },
    Remove(usize),
    Ask { memory: Memory, place: u64, writes: bool },
}

fn memory() -> impl Strategy<Value = Memory> + Clone {
    prop_oneof![
        4 => (0u64..40).prop_map(Memory::Bytes),
        1 => (0u64..600).prop_map(Memory::Bytes),
        4 => (1i64..20, 1i64..9, prop::sample::select(vec![16i64, 16, 16, 24, 64]))
            .prop_map(|(n, l, s)| Memory::Column(n, l, s)),
        2 => (recipe(), 0u64..3).prop_map(|(r, n)| Memory::Any(r, n)),
    ]
}

/// Buffers as most programs have them.
fn regular() -> impl Strategy<Value = Memory> + Clone {
    prop_oneof![
        6 => (1u64..40).prop_map(Memory::Bytes),
        1 => (1u64..5000).prop_map(Memory::Bytes),
        1 => (1i64..20, 1i64..9, prop::sample::select(vec![16i64, 24, 64, 1024]))
            .prop_map(|(n, l, s)| Memory::Column(n, l, s)),
    ]
}

fn step(memory: impl Strategy<Value = Memory> + Clone, wide: u64, inserts: u32) -> impl Strategy<Value = Step> {
    // Near each other, at few places, and far away.
    let place = move || prop_oneof![3 => 0..wide, 2 => (0u64..40).prop_map(|p| 16 * p), 1 => 0..20 * wide];
    let insert = (memory.clone(), place(), prop::bool::weighted(0.3));
    prop_oneof![
        inserts => insert.prop_map(|(memory, place, writes)| Step::Insert { memory, place, writes }),
        2 => any::<prop::sample::Index>().prop_map(|i| Step::Remove(i.index(1000))),
        2 => (memory, place(), any::<bool>()).prop_map(|(memory, place, writes)| Step::Ask { memory, place, writes }),
    ]
}

fn make(memory: &Memory, made: &[Made]) -> Option<Made> {
    let char = Typemap::named(12, 1);
    Some(match memory {
        Memory::Bytes(n) => (char, *n, (0..*n as i64).collect()),
        Memory::Column(n, length, stride) => {
            let extent = (n - 1) * stride + length;
            let map = Typemap::derive(Combiner::Hvector, &[*n, *length, *stride], &[char], 0, extent)?;
            (map, 1, (0..*n).flat_map(|r| r * stride..r * stride + length).collect())
        }
        Memory::Any(recipe, n) => {
            let both = recipe.build()?;
            (both.map, *n, both.naive.buffer(*n).iter().map(|(_, b)| b.offset).collect())
        }
        Memory::Made(i) => made.get(i % made.len().max(1))?.clone(),
    })
}

fn build(memory: &Memory, place: u64, made: &[Made]) -> Option<(Buffer, BTreeSet<u64>)> {
    let address = BASE + place;
    let (map, count, offsets) = make(memory, made)?;
    let bytes = offsets.iter().map(|o| address.wrapping_add_signed(*o)).collect();
    Some((Buffer::new(address, &map, count), bytes))
}

/// Takes the steps with both; they must agree at each.
fn run(steps: &[Step], made: &[Made]) -> Result<(), TestCaseError> {
    let mut pending = Pending::new();
    let mut list: Vec<(Key, BTreeSet<u64>, bool, usize)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Insert { memory, place, writes } => {
                let Some((buffer, bytes)) = build(memory, *place, made) else { continue };
                let key = pending.insert(buffer, *writes, number);
                prop_assert!(list.last().is_none_or(|l| l.0 < key));
                list.push((key, bytes, *writes, number));
            }
            Step::Remove(i) if !list.is_empty() => {
                let (key, _, _, value) = list.remove(i % list.len());
                prop_assert_eq!(pending.get(key), Some(&value));
                prop_assert_eq!(pending.remove(key), Some(value));
                prop_assert_eq!(pending.remove(key), None);
                prop_assert_eq!(pending.get(key), None);
            }
            Step::Remove(_) => {}
            Step::Ask { memory, place, writes } => {
                let Some((buffer, bytes)) = build(memory, *place, made) else { continue };
                let hit = list.iter().find(|l| (l.2 || *writes) && !l.1.is_disjoint(&bytes));
                let found = pending.conflict(&buffer, *writes);
                prop_assert_eq!(found.map(|f| *f.0), hit.map(|h| h.3));
                if let (Some((_, address)), Some(hit)) = (found, hit) {
                    prop_assert!(hit.1.contains(&address) && bytes.contains(&address));
                }
            }
        }
        prop_assert_eq!(pending.len(), list.len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_a_list(steps in prop::collection::vec(step(memory(), 1500, 4), 1..120)) {
        run(&steps, &[])?;
    }

    #[test]
    fn again_and_again(
        made in prop::collection::vec(memory(), 1..5),
        steps in prop::collection::vec(step((0usize..8).prop_map(Memory::Made), 40, 4), 1..150),
    ) {
        let made: Vec<_> = made.iter().filter_map(|m| make(m, &[])).collect();
        run(&steps, &made)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_a_long_list(steps in prop::collection::vec(step(regular(), 20_000, 8), 1500..2500)) {
        run(&steps, &[])?;
    }
}
