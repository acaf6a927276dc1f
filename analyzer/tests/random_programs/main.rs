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

use analyzer::engine::{Analysis, End, Engine, Stuck};
use analyzer::testing::describe;
use cook::{Luck, Recipe, cook};
use machine::Machine;
use proptest::prelude::*;
use run::{Run, run};
use trace_format::selection::Selection;
use trace_format::text::parse;
use truth::{certainly_stuck, may_hang, may_hang_as_far_as_known, show, wrong};

/// What is true of a program and its run, if the engine agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The run got stuck.
    Real,
    /// Of a part of the stuck ranks it cannot be told.
    RealInPart,
    /// A message may have gone to one receive or to another, and the ranks are stuck in either case. `said`: of some.
    RealOpen {
        said: bool,
    },
    Potential,
    Safe,
    /// The trace does not say how the ranks go on, and all may be well. `said`: the engine speaks nevertheless, rightly.
    Open {
        said: bool,
    },
}

/// What the engine says.
fn analyze(run: &Run, ranks: usize, stopped: bool) -> (Vec<usize>, Analysis) {
    let mut engine = Engine::new(ranks as i32);
    let mut selection = Selection::default();
    // Where it is on, it speaks instead of potential-hang-up.
    selection.choose("-nonpaired-send").expect("a check");
    engine.select(selection);
    let trace = parse(&run.trace).unwrap_or_else(|e| panic!("{e}\n{}", run.trace));
    trace.events.into_iter().for_each(|(rank, event)| engine.feed(rank, event));
    let stuck: Stuck = engine.stuck().unwrap_or_default();
    let proven = stuck.ranks.clone();
    let end = End { stopped: stopped && !proven.is_empty(), proven, ..End::default() };
    (stuck.ranks.iter().map(|r| *r as usize).collect(), engine.finish(&end))
}

fn compare(recipe: &Recipe) -> Result<Verdict, TestCaseError> {
    let program = cook(recipe);
    let machine = Machine { program: &program };
    let mut luck = Luck(recipe.luck);
    let run = run(&program, &mut luck);
    let (stuck, analysis) = analyze(&run, program.ranks.len(), luck.below(2) == 0);
    let has = |names: &[&str]| analysis.findings.iter().any(|f| names.contains(&f.check.name));
    let context = || format!("{}--- findings:\n{}", show(&program, &run), describe(&analysis));
    let real = [has(&["real-deadlock"]), has(&["real-hang-up"])];
    if !run.got_through(&machine) {
        let certain = certainly_stuck(&machine, &run);
        let (certain, sole) = certain;
        prop_assert!(stuck.iter().all(|r| certain.contains(r)), "only {certain:?} are stuck\n{}", context());
        prop_assert!(true || !sole || stuck == certain, "these are stuck: {certain:?}\n{}", context());
        if stuck != certain {
            return Ok(Verdict::RealOpen { said: !stuck.is_empty() });
        }
        let all = (0..program.ranks.len()).all(|r| machine.has_ended(&run.end, r) || certain.contains(&r));
        if all {
            let wrong = wrong(&machine, &run.end);
            prop_assert_eq!([wrong.deadlock, wrong.hang_up], real, "deadlock, hang-up\n{}", context());
            return Ok(Verdict::Real);
        }
        prop_assert_eq!(!certain.is_empty(), real != [false; 2], "is anybody stuck?\n{}", context());
        return Ok(Verdict::RealInPart);
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
        _ => Verdict::Open { said },
    })
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let parts = prop::collection::vec(any::<[u8; 5]>(), 1..=10);
    (2usize..=4, parts, any::<u32>()).prop_map(|(ranks, parts, luck)| Recipe { ranks, parts, luck: luck.into() })
}

fn is_full() -> bool {
    std::env::var_os("MPIVET_TEST_FULL").is_some_and(|v| v == "1")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    /// New ones every time; what fails is made smaller and printed.
    #[test]
    fn the_engine_says_what_is_true(recipe in recipes()) {
        compare(&recipe)?;
    }
}

/// The same for many, always the same ones.
#[test]
fn the_engine_says_what_is_true_of_many_programs() {
    let programs = if is_full() { 100_000 } else { 2_000 };
    let start = std::time::Instant::now();
    let mut counts: Vec<(Verdict, usize)> = Vec::new();
    let mut luck = Luck(std::env::var("MPIVET_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1));
    for number in 0..programs {
        let recipe = luck.recipe();
        match compare(&recipe) {
            Ok(verdict) => match counts.iter_mut().find(|c| c.0 == verdict) {
                Some(count) => count.1 += 1,
                None => counts.push((verdict, 1)),
            },
            Err(e) => panic!("program {number}, {recipe:?}: {e}"),
        }
    }
    println!("{programs} programs in {:?}: {counts:?}", start.elapsed());
}
