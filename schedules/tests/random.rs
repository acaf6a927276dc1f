//! The exploration against every schedule of small random programs, looked at one by one.

mod common;
#[path = "common/reach.rs"]
mod reach;

use common::{Luck, Recipe, Schedules, cook, random_recipe};
use proptest::prelude::*;
use schedules::{
    Act, Answer, Budget, Call, DeadlockReplay, Id, Kind, Many, Needs, OpIx, Program, Semantics, Step, explore, races,
};

const READINGS: [Semantics; 3] =
    [Semantics::STRICT, Semantics::LENIENT, Semantics { sends_block: true, collectives_block: false }];

fn recipes() -> impl Strategy<Value = Recipe> {
    (2u32..=4, prop::collection::vec(any::<[u8; 5]>(), 1..=7), any::<u64>()).prop_map(|(threads, parts, luck)| Recipe {
        threads,
        parts,
        luck,
    })
}

/// Checks that the exploration agrees with looking at every schedule; returns whether it is a deadlock.
fn agrees(recipe: &Recipe) -> Result<Option<bool>, TestCaseError> {
    let Some(program) = cook(recipe).filter(|p| p.ops.len() <= 11) else { return Ok(None) };
    let mut any = false;
    for semantics in READINGS {
        let truth = Schedules::may_deadlock(&program, semantics, false);
        let answer = explore(&program, semantics, &[], Budget::default());
        prop_assert_ne!(&answer, &Answer::Undecided);
        prop_assert_eq!(truth, answer != Answer::Safe, "{:?} {:#?} {:?}", semantics, program, answer);
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

/// A message that waits behind one that a posted receive takes is looked at by a probe before those behind it.
#[test]
fn a_probe_passes_no_message_by() {
    let parts = [[254, 223, 4, 0, 57], [128, 101, 0, 66, 255], [206, 52, 92, 0, 1]].into_iter();
    let parts = parts.chain([[5, 0, 0, 11, 0], [132, 109, 126, 0, 104], [27, 0, 0, 60, 0]]);
    let recipe = Recipe { threads: 3, parts: parts.collect(), luck: 3945012085178332766 };
    assert!(agrees(&recipe).unwrap().is_some());
}

/// Checks that the races are those found by looking at every schedule; returns how many.
fn races_agree(recipe: &Recipe) -> Result<usize, TestCaseError> {
    let Some(program) = cook(recipe).filter(|p| p.ops.len() <= 11) else { return Ok(0) };
    let mut found: Vec<(OpIx, OpIx)> =
        races(&program, Budget::default(), |_| true).unwrap_or_default().iter().map(|r| (r.recv, r.send)).collect();
    found.sort_unstable();
    let mut truth = Vec::new();
    for recv in 0..program.ops.len() as OpIx {
        let Kind::Recv { got: Some(got), source, tag, .. } = program.ops[recv as usize].kind else { continue };
        if source.is_none() || tag.is_none() {
            let others = Schedules::could_get(&program, recv).into_iter().filter(|send| *send != got);
            truth.extend(others.map(|send| (recv, send)));
        }
    }
    prop_assert_eq!(&truth, &found, "{:#?}", program);
    Ok(found.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn races_are_exact(recipe in recipes()) {
        races_agree(&recipe)?;
    }
}

/// So many with `--full` (`MPIVET_TEST_FULL`), otherwise a quarter of them.
fn share_of(all: usize) -> usize {
    if std::env::var("MPIVET_TEST_FULL").is_ok_and(|full| full == "1") { all } else { all / 4 }
}

#[test]
fn races_are_exact_for_many_programs() {
    let mut luck = Luck(5);
    let mut all = 0;
    for _ in 0..share_of(200_000) {
        let recipe = random_recipe(&mut luck);
        match races_agree(&recipe) {
            Ok(found) => all += found,
            Err(e) => panic!("{recipe:?}: {e}"),
        }
    }
    assert!(all > share_of(1_000), "{all} races");
}

/// Makes the comparison for many fixed programs, without shrinking.
#[test]
fn exploration_is_exact_for_many_programs() {
    let mut luck = Luck(1);
    let (mut deadlocks, mut safe) = (0, 0);
    while deadlocks + safe < share_of(100_000) {
        let recipe = random_recipe(&mut luck);
        match agrees(&recipe) {
            Ok(Some(true)) => deadlocks += 1,
            Ok(Some(false)) => safe += 1,
            Ok(None) => {}
            Err(e) => panic!("{recipe:?}: {e}"),
        }
    }
    let enough = share_of(10_000);
    assert!(deadlocks > enough && safe > enough, "{deadlocks} may deadlock, {safe} may not");
}

/// Feeds the program to a replay, thread by thread in any order.
fn replay(program: &Program, luck: &mut Luck) -> (DeadlockReplay, Id) {
    let mut replay = DeadlockReplay::default();
    let size = program.threads.len() as u32;
    (0..program.threads.len()).for_each(|thread| _ = replay.thread((thread as u64) << 16));
    for (number, collective) in program.collectives.iter().enumerate() {
        replay.collective(number as u32, size, Needs::Given(collective.needs.clone()));
    }
    let mut names = 0..;
    let mut ids: Vec<Option<Id>> = vec![None; program.ops.len()];
    let mut at = vec![0; program.threads.len()];
    let mut pairs = Vec::new();
    for (recv, op) in program.ops.iter().enumerate() {
        if let Kind::Recv { got: Some(send), .. } = op.kind {
            pairs.push((send, recv as OpIx));
        }
    }
    while let Some(thread) =
        (0..at.len()).map(|_| luck.below(at.len())).chain(0..at.len()).find(|l| at[*l] < program.threads[*l].len())
    {
        let id = |op: &OpIx| ids[*op as usize].expect("started before");
        match &program.threads[thread][at[thread]] {
            Step::Start(op) => {
                let act = match program.ops[*op as usize].kind {
                    Kind::Send { mode, comm, from, to, tag, bytes } => Act::Send { mode, comm, from, to, tag, bytes },
                    Kind::Recv { comm, at, source, tag, .. } => Act::Recv { comm, at, source, tag },
                    Kind::Part { collective, position } => Act::Part { collective, position },
                    Kind::Free => unreachable!("not in these programs"),
                };
                let id = names.next().expect("a number");
                replay.start(id, thread as u32, act);
                ids[*op as usize] = Some(id);
            }
            Step::Wait(wait) => {
                let any: Option<Vec<Id>> = match &wait.many {
                    Many::All => None,
                    Many::Any(done) => Some(done.iter().map(id).collect()),
                };
                let ops: Vec<Id> = wait.ops.iter().map(id).collect();
                let (any, name, patient) = (any.as_deref(), names.next().expect("a number"), wait.patient);
                let call = Call { ops: &ops, any, patient, returned: true, probe: None, name };
                replay.wait(thread as u32, &call);
                any.unwrap_or(&ops).to_vec().into_iter().for_each(|id| replay.forget(id));
            }
            Step::Probe { .. } => unreachable!("not in these programs"),
        }
        at[thread] += 1;
        pairs.retain(|(send, recv)| match (ids[*send as usize], ids[*recv as usize]) {
            (Some(s), Some(r)) if luck.below(2) == 0 => {
                replay.pair(s, r);
                false
            }
            _ => true,
        });
    }
    for (send, recv) in pairs {
        if let (Some(s), Some(r)) = (ids[send as usize], ids[recv as usize]) {
            replay.pair(s, r);
        }
    }
    (replay, names.start)
}

/// Without a choice the replay finds a deadlock if and only if there may be one, and each finding is permitted; it
/// keeps nothing once all is over.
#[test]
fn replay_finds_what_there_is() {
    let mut luck = Luck(2);
    let (mut deadlocks, mut safe, mut open) = (0, 0, 0);
    while deadlocks + safe + open < share_of(100_000) {
        let recipe = random_recipe(&mut luck);
        let Some(program) = cook(&recipe).filter(|p| p.ops.len() <= 11) else { continue };
        if program.threads.iter().flatten().any(|s| matches!(s, Step::Probe { .. })) {
            continue;
        }
        let truth = Schedules::may_deadlock(&program, Semantics::STRICT, true);
        let (mut replay, names) = replay(&program, &mut luck);
        let knots = replay.knots(true);
        let choice = |op: &OpIx| matches!(program.ops[*op as usize].kind, Kind::Recv { source, tag, .. } if source.is_none() || tag.is_none());
        let any = |s: &Step| matches!(s, Step::Wait(w) if w.many != Many::All || !w.patient);
        // If a thread may continue in an unknown way, not all threads have to be stuck.
        let unknown = program.threads.iter().flatten().any(any);
        assert!(truth || unknown || knots.is_empty(), "{program:?}\n{knots:?}");
        let chooses = (0..program.ops.len() as OpIx).any(|op| choice(&op)) || unknown;
        if !chooses {
            assert_eq!(truth, !knots.is_empty(), "{program:?}\n{knots:?}");
            if truth { deadlocks += 1 } else { safe += 1 }
        } else {
            open += 1;
        }
        if replay.lag() == 0 {
            let unreceived = program.ops.iter().filter(|o| matches!(o.kind, Kind::Send { .. })).count()
                - program.ops.iter().filter(|o| matches!(o.kind, Kind::Recv { got: Some(_), .. })).count();
            assert_eq!(replay.kept(), unreceived, "{program:#?}");
            // Each number comes back once.
            let mut gone = std::mem::take(&mut replay.gone().ids);
            assert_eq!(gone.len() + unreceived, names as usize, "{program:#?}");
            gone.sort_unstable();
            assert!(gone.windows(2).all(|two| two[0] != two[1]), "{gone:?}\n{program:#?}");
        }
    }
    assert!(
        deadlocks > share_of(2_000) && safe > share_of(5_000),
        "{deadlocks} may deadlock, {safe} may not, {open} have a choice"
    );
}
