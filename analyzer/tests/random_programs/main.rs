//! The whole engine against brute force: random programs of up to four ranks and twelve operations are run once by a
//! simulator under a random scheduler and a random library, the engine reads the trace, and its verdict is compared with
//! what looking at all permitted schedules of the program says.
//!
//! - The run got stuck: the engine names the ranks that are stuck (real-deadlock, real-hang-up).
//! - It got through, but some permitted schedule does not: potential-deadlock, potential-hang-up (or incomplete-gop, if
//!   there is a collective operation that somebody never calls).
//! - All permitted schedules get through: silence.
//!
//! The trace does not tell everything: see `truth::Known`. Where it matters, the engine may be silent, or not.
//!
//! `MPIVET_TEST_FULL=1` compares 100,000 programs; use a release build for that.

mod cook;
mod machine;
mod program;
mod run;
mod truth;

use analyzer::testing::describe;
use cook::{Luck, Recipe, cook, gathering};
use engine::{Analysis, End, Engine, Stuck};
use machine::Machine;
use program::Program;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use run::{Run, run};
use std::collections::BTreeMap;
use trace_format::file::PROCESS_THREAD;
use trace_format::settings::selection::Selection;
use trace_format::system::{Signal, SystemEvent};
use trace_reader::reader::RankEvent;
use trace_reader::text::parse;
use truth::{certainly_stuck, is_fickle, is_plain, may_hang, may_hang_as_far_as_known, show, wrong};

/// The truth about a program and its run, if the engine agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// The run got stuck: the engine names the ranks, and says whether they wait for each other or for finished ones.
    Real,
    /// As Real, but the trace does not show which message went to which open receive: the engine names only ranks
    /// that are stuck in any case.
    RealInPart,
    /// As Real, and the engine does not name all of these ranks.
    RealOpen,
    Potential,
    Safe,
    /// There is a way to a deadlock, but the trace does not say that the ranks would take it: the engine is silent.
    OpenSilent,
    /// There is such a way, and the engine reports it.
    OpenSaid,
}

/// A time at which nothing has happened for long enough.
const LATE: u64 = 10_000_000_000;

/// The engine's verdict: the ranks that are stuck, those of them that need evidence, and the findings.
fn analyze(run: &Run, ranks: usize, stopped: bool) -> (Vec<usize>, Vec<usize>, Analysis) {
    let all = analyze_with(Engine::new(ranks as i32), run, stopped);
    // The deadlock replay is told of it in pieces, in a thread of its own or not: that makes no difference.
    let mut other = Engine::new(ranks as i32);
    other.replay_in_batches(1 + run.trace.len() % 13, run.trace.len().is_multiple_of(8));
    let (found, in_pieces) = (describe(&all.2), describe(&analyze_with(other, run, stopped).2));
    assert!(found == in_pieces, "{}--- found:\n{found}--- in pieces:\n{in_pieces}", run.trace);
    all
}

fn analyze_with(mut engine: Engine, run: &Run, stopped: bool) -> (Vec<usize>, Vec<usize>, Analysis) {
    let mut selection = Selection::default();
    // Where it is on, it replaces potential-hang-up.
    selection.choose("-nonpaired-send").expect("a check");
    engine.select(selection);
    let trace = parse(&run.trace).unwrap_or_else(|e| panic!("{e}\n{}", run.trace));
    trace.events.into_iter().for_each(|(rank, event)| engine.feed(rank, event));
    let stuck: Stuck = engine.stuck().unwrap_or_default();
    let proven = stuck.ranks.clone();
    let end = End { stopped: stopped && !proven.is_empty(), proven, ..End::default() };
    if !end.stopped && !end.proven.is_empty() {
        let event = SystemEvent::Signal(Signal { signal: 15, is_last: true, by_launcher: true, ..Signal::default() });
        end.proven.iter().for_each(|rank| {
            engine.feed(*rank, RankEvent::System { thread: PROCESS_THREAD, time: LATE, event: event.clone() });
        });
    }
    let places = |ranks: &[i32]| ranks.iter().map(|r| *r as usize).collect();
    (places(&stuck.ranks), places(&stuck.uncertain), engine.finish(&end))
}

fn compare(recipe: &Recipe) -> Result<Verdict, TestCaseError> {
    compare_run(&cook(recipe), Luck(recipe.luck))
}

fn compare_run(program: &Program, mut luck: Luck) -> Result<Verdict, TestCaseError> {
    let machine = Machine { program };
    let run = run(program, &mut luck);
    let (stuck, seen, analysis) = analyze(&run, program.ranks.len(), luck.below(2) == 0);
    let has = |names: &[&str]| analysis.findings.iter().any(|f| names.contains(&f.check.name));
    let context = || format!("{}--- findings:\n{}", show(program, &run), describe(&analysis));
    let real = [has(&["real-deadlock"]), has(&["real-hang-up"])];
    if !run.got_through(&machine) {
        let (certain, sole) = certainly_stuck(&machine, &run, &seen);
        prop_assert!(stuck.iter().all(|r| certain.contains(r)), "only {certain:?} are stuck\n{}", context());
        prop_assert_eq!(!stuck.is_empty(), real != [false; 2], "is anybody stuck?\n{}", context());
        if stuck != certain {
            prop_assert!(!is_plain(&machine, &run), "these are stuck: {certain:?}\n{}", context());
            return Ok(Verdict::RealOpen);
        }
        let all = (0..program.ranks.len()).all(|r| machine.has_ended(&run.end, r) || certain.contains(&r));
        if !all || !sole || !is_plain(&machine, &run) || is_fickle(&machine, &run) {
            return Ok(Verdict::RealInPart);
        }
        let wrong = wrong(&machine, &run.end);
        prop_assert_eq!(wrong.deadlock, real[0], "is it a deadlock?\n{}", context());
        prop_assert!(!real[1] || !wrong.hung.is_empty(), "it is no hang-up\n{}", context());
        // Ranks that hang may also be told of as part of the deadlock.
        let told = |r: &usize| {
            let real = analysis.findings.iter().filter(|f| ["real-deadlock", "real-hang-up"].contains(&f.check.name));
            real.flat_map(|f| &f.ranks).any(|rank| *rank as usize == *r)
        };
        prop_assert!(wrong.hung.iter().all(told), "these hang: {:?}\n{}", wrong.hung, context());
        return Ok(Verdict::Real);
    }
    prop_assert!(stuck.is_empty() && real == [false; 2], "nobody is stuck\n{}", context());
    prop_assert!(analysis.open_questions.is_empty(), "{:?}\n{}", analysis.open_questions, context());
    let said = has(&["potential-deadlock", "potential-hang-up", "incomplete-gop"]);
    let (possible, known) = (may_hang(&machine), may_hang_as_far_as_known(&machine, &run));
    prop_assert!(!said || possible, "there is no way to a deadlock\n{}", context());
    prop_assert!(said || !known, "the engine does not see the deadlock\n{}", context());
    Ok(match (known, possible) {
        (true, _) => Verdict::Potential,
        (_, false) => Verdict::Safe,
        _ if said => Verdict::OpenSaid,
        _ => Verdict::OpenSilent,
    })
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let parts = prop::collection::vec(any::<[u8; 5]>(), 1..=10);
    (2usize..=4, parts, any::<u32>()).prop_map(|(ranks, parts, luck)| Recipe { ranks, parts, luck: luck.into() })
}

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs of each program, so that one that fails still does when a part is left out of it.
const RUNS: u64 = 8;

/// Always the same programs, or others with `MPIVET_TEST_SEED=N`. What fails is made smaller and printed.
#[test]
fn the_engine_says_what_is_true() {
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    let several = |recipe: Recipe| {
        let mut runs = (0..RUNS).map(|i| Recipe { luck: recipe.luck + i, ..recipe.clone() });
        runs.try_for_each(|recipe| compare(&recipe).map(|_| ()))
    };
    let result = TestRunner::new(config).run(&recipes(), several);
    result.unwrap_or_else(|e| panic!("MPIVET_TEST_SEED={seed}: {e}"));
}

/// Checks many programs, always the same ones (`MPIVET_TEST_SEED=N`: others).
#[test]
fn the_engine_says_what_is_true_of_many_programs() {
    let programs = if number("MPIVET_TEST_FULL") == Some(1) { 100_000 } else { 3_000 };
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    let (mut luck, start) = (Luck(seed), std::time::Instant::now());
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for number in 0..programs {
        let recipe = luck.recipe();
        match compare(&recipe) {
            Ok(verdict) => *counts.entry(verdict).or_default() += 1,
            Err(e) => panic!("MPIVET_TEST_SEED={seed}, program {number}, {recipe:?}: {e}"),
        }
    }
    println!("seed {seed}: {programs} programs in {:?}: {counts:?}", start.elapsed());
    let of = |all: &[Verdict]| all.iter().filter_map(|v| counts.get(v)).sum::<usize>();
    let exact = of(&[Verdict::Real, Verdict::RealInPart, Verdict::Potential, Verdict::Safe]);
    println!("{:.2} % are decided exactly", 100.0 * exact as f64 / programs as f64);
    for verdict in [Verdict::Real, Verdict::Potential, Verdict::Safe] {
        assert!(of(&[verdict]) > programs / 10, "few are {verdict:?}: {counts:?}");
    }
    assert!(exact > programs * 98 / 100, "many are undecided: {counts:?}");
}

/// Several receives in one call, and fewer messages, or as many that do not go round, or enough: who is stuck is
/// said, although the trace does not tell who got what.
#[test]
fn receives_are_counted_against_messages() {
    let programs = if number("MPIVET_TEST_FULL") == Some(1) { 30_000 } else { 600 };
    let mut luck = Luck(number("MPIVET_TEST_SEED").unwrap_or(1));
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for number in 0..programs {
        let program = gathering(&mut luck);
        let verdict = compare_run(&program, Luck(luck.below(1 << 30) as u64));
        *counts.entry(verdict.unwrap_or_else(|e| panic!("program {number}: {e}"))).or_default() += 1;
    }
    println!("{programs} programs: {counts:?}");
    let of = |verdict| counts.get(&verdict).copied().unwrap_or(0);
    assert!(of(Verdict::RealOpen) <= programs / 500, "ranks are not named: {counts:?}");
    assert!(of(Verdict::RealInPart) > programs / 50, "few are in doubt: {counts:?}");
}
