//! The exploration against every schedule of small random programs, looked at one by one.

mod common;

use common::{Luck, Recipe, Schedules, cook};
use permitted::{Answer, Budget, Reading, explore};
use proptest::prelude::*;

const READINGS: [Reading; 3] =
    [Reading::WEAKEST, Reading::GENEROUS, Reading { sends_block: true, collectives_block: false }];

fn recipes() -> impl Strategy<Value = Recipe> {
    (2u32..=4, prop::collection::vec(any::<[u8; 5]>(), 1..=7), any::<u64>()).prop_map(|(lanes, parts, luck)| Recipe {
        lanes,
        parts,
        luck,
    })
}

/// The exploration says the same as looking at every schedule; whether it is a deadlock.
fn agrees(recipe: &Recipe) -> Result<Option<bool>, TestCaseError> {
    let Some(program) = cook(recipe).filter(|p| p.ops.len() <= 14) else { return Ok(None) };
    let mut any = false;
    for reading in READINGS {
        let truth = Schedules::may_deadlock(&program, reading);
        let answer = explore(&program, reading, &[], Budget::default());
        prop_assert_ne!(&answer, &Answer::Undecided);
        prop_assert_eq!(truth, answer != Answer::Safe, "{:?} {:#?} {:?}", reading, program, answer);
        any |= truth;
    }
    Ok(Some(any))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn exploration_is_exact(recipe in recipes()) {
        agrees(&recipe)?;
    }
}

/// The same for many, always the same ones, without shrinking.
#[test]
fn exploration_is_exact_for_a_hundred_thousand_programs() {
    let mut luck = Luck(1);
    let (mut deadlocks, mut safe) = (0, 0);
    while deadlocks + safe < 100_000 {
        let lanes = 2 + luck.below(3) as u32;
        let count = 1 + luck.below(6);
        let part = |luck: &mut Luck| std::array::from_fn(|_| luck.below(256) as u8);
        let parts = (0..count).map(|_| part(&mut luck)).collect();
        let recipe = Recipe { lanes, parts, luck: luck.below(1 << 30) as u64 };
        match agrees(&recipe) {
            Ok(Some(true)) => deadlocks += 1,
            Ok(Some(false)) => safe += 1,
            Ok(None) => {}
            Err(e) => panic!("{recipe:?}: {e}"),
        }
    }
    assert!(deadlocks > 10_000 && safe > 10_000, "{deadlocks} may deadlock, {safe} may not");
}
