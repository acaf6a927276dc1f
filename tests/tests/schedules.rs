//! Random communication schedules under every MPI of this machine: the correct ones must give no finding at all, and
//! those with one mistake exactly the finding of its class.
//!
//! A test's name has the numbers that make its schedule, so that it can be run again alone. The file that was played and
//! the reports stay in the scratch directory. `MPIVET_TEST_FULL=1` plays a thousand schedules with a mistake instead of
//! forty, `MPIVET_TEST_SEED=N` begins with other numbers. With `MPIVET_TEST_TURN=N` (`mpivet_tests::share`) a fifth of the correct
//! ones is played, and one of each mistake, out of the thousand.

use anyhow::{Result, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::schedule::generate::generate;
use mpivet_tests::schedule::mutate::{KINDS, Mutant, mutate};
use mpivet_tests::schedule::random::Random;
use mpivet_tests::share::Turn;
use mpivet_tests::vet::Vetted;
use mpivet_tests::{root, scratch, vet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const CORRECT: u64 = 1000;
const BATCH: u64 = 50;
/// Schedules with a mistake, if all are played.
const MUTANTS: u64 = 1000;
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    // Each test is a job of several ranks that are never idle.
    args.test_threads.get_or_insert(2);
    libtest_mimic::run(&args, trials()).exit_code()
}

fn trials() -> Vec<Trial> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = number("MPIVET_TEST_SEED").unwrap_or(0);
    let (turn, kinds) = (Turn::now(), KINDS.len() as u64);
    // One of each mistake is a round.
    let (rounds, mutants) = match turn {
        Turn::Number(turn) => (turn % (MUTANTS / kinds), kinds),
        Turn::All if number("MPIVET_TEST_FULL") == Some(1) => (0, MUTANTS),
        Turn::All => (0, 40),
    };
    let first_mutant = first + rounds * kinds;
    let failed = |e: anyhow::Error| Failed::from(format!("{e:#}"));
    let mut trials = Vec::new();
    for mpi in mpi::required() {
        // Four batches in a row have all numbers of ranks.
        for batch in (0..CORRECT / BATCH).filter(|batch| turn.includes(batch / 4, CORRECT / BATCH / 4)) {
            let (mpi, seed) = (mpi.clone(), first + batch * BATCH);
            let name = format!("{}::correct::{seed:04}", mpi.name);
            trials.push(Trial::test(name, move || correct(&mpi, seed).map_err(failed)));
        }
        for seed in first_mutant..first_mutant + mutants {
            let (mpi, kind) = (mpi.clone(), KINDS[seed as usize % KINDS.len()]);
            let name = format!("{}::{kind}::{seed:04}", mpi.name);
            trials.push(Trial::test(name, move || wrong(&mpi, kind, seed).map_err(failed)));
        }
    }
    trials
}

/// Two to five ranks.
fn ranks(number: u64) -> usize {
    2 + (number % 4) as usize
}

/// Plays schedules from a file. Says where the files are.
fn play(mpi: &Mpi, name: &str, text: &str, ranks: usize) -> Result<(Vetted, PathBuf)> {
    let scratch = scratch();
    let player = compile(mpi, &root().join("tests/schedule/player.c"), &scratch)?;
    let dir = scratch.join("schedules").join(mpi.name);
    std::fs::create_dir_all(&dir)?;
    let file = dir.join(format!("{name}.txt"));
    std::fs::write(&file, text)?;
    let dir = dir.join(name);
    let vetted = vet::vet(&mpi.job(ranks, &player, &[file.display().to_string()]), &dir, LIMIT)?;
    Ok((vetted, dir))
}

fn correct(mpi: &Mpi, first: u64) -> Result<()> {
    let ranks = ranks(first / BATCH);
    let text: String = (first..first + BATCH).map(|seed| generate(seed, ranks).text()).collect();
    let (vetted, dir) = play(mpi, &format!("correct-{first:04}"), &text, ranks)?;
    let words = vet::last_words(&vetted.outcome);
    if let Some(finding) = vetted.report.findings.first() {
        bail!("{finding}\n(files in {})", dir.display());
    }
    ensure!(
        vetted.outcome.code == Some(0),
        "exit code {:?}\n{words}\n(files in {})",
        vetted.outcome.code,
        dir.display()
    );
    ensure!(vetted.outcome.stdout.contains(&format!("{BATCH} schedules")), "not all were played\n{words}");
    Ok(())
}

/// The first schedule from `seed` on that has a place for the mistake.
fn mutant(kind: &'static str, seed: u64) -> Mutant {
    let mut random = Random::new(seed);
    let mut tries =
        (0u64..).filter_map(|again| mutate(generate(seed + 1_000_000 * (again + 1), ranks(seed)), kind, &mut random));
    tries.next().expect("an endless supply")
}

fn wrong(mpi: &Mpi, kind: &'static str, seed: u64) -> Result<()> {
    let Mutant { schedule, check, ranks: culprits, what } = mutant(kind, seed);
    let (vetted, dir) = play(mpi, &format!("{kind}-{seed:04}"), &schedule.text(), schedule.ranks)?;
    let serious: Vec<_> = vetted.report.serious().collect();
    let is_it = |ranks: &[i64]| culprits.iter().all(|&rank| ranks.contains(&(rank as i64)));
    let good = match serious[..] {
        [finding] => finding.check == check && is_it(&finding.ranks),
        _ => false,
    };
    let list: Vec<String> = serious.iter().map(ToString::to_string).collect();
    let list = list.join("\n");
    ensure!(
        good,
        "{what}: expected one {check} that names ranks {culprits:?}, found\n{list}\n(files in {})",
        dir.display()
    );
    ensure!(vetted.outcome.code == Some(1), "exit code {:?}", vetted.outcome.code);
    ensure!(vetted.outcome.leftovers.is_empty(), "left running: {:?}", vetted.outcome.leftovers);
    Ok(())
}
