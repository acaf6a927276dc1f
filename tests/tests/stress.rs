//! Correct programs on a busy machine are not stopped: random operations of eight ranks that sleep, compute and are
//! stopped and continued at any time, several jobs at once.
//!
//! A run's number makes its operations, so that it can be run again: `MPIVET_TEST_SEED=N` begins with it.
//! `MPIVET_TEST_RUNS=N` says how many there are under each MPI; with `MPIVET_TEST_FULL=1` a thousand, with
//! `MPIVET_TEST_TURN=N` half of the usual ones.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, root, scratch, share::Turn, side_by_side, vet};
use std::path::Path;
use std::time::Duration;

const RANKS: usize = 8;
const ROUNDS: usize = 5;
/// Jobs side by side: many more processes than processors.
const AT_ONCE: usize = 3;
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn correct_programs_under_load_are_not_stopped() -> Result<()> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = number("MPIVET_TEST_SEED").unwrap_or(0);
    let full = number("MPIVET_TEST_FULL") == Some(1);
    let usual = if Turn::now() == Turn::All { 10 } else { 5 };
    let runs = number("MPIVET_TEST_RUNS").unwrap_or(if full { 1000 } else { usual });
    let mut jobs = Vec::new();
    for mpi in mpi::required() {
        let program = compile(&mpi, &root().join("tests/programs/under-load.c"), &scratch())?;
        jobs.extend((first..first + runs).map(|seed| (mpi.clone(), program.clone(), seed)));
    }
    // Jobs of the MPIs in turns.
    jobs.sort_by_key(|job| job.2);
    side_by_side(&jobs, AT_ONCE, |(mpi, program, seed)| {
        run(mpi, program, *seed).with_context(|| format!("{}, MPIVET_TEST_SEED={seed}", mpi.name))
    })?;
    println!("{} runs of {RANKS} ranks, none stopped", jobs.len());
    Ok(())
}

fn run(mpi: &Mpi, program: &Path, seed: u64) -> Result<()> {
    let dir = scratch().join(format!("stress-{}-{seed}", mpi.name));
    let job = mpi.job(RANKS, program, &[seed.to_string(), ROUNDS.to_string()]);
    let vetted = vet::vet(&job, &dir, LIMIT)?;
    if let Some(finding) = vetted.report.serious().next() {
        bail!("{finding}\n(files in {})", dir.display());
    }
    let words = || vet::last_words(&vetted.outcome);
    ensure!(vetted.outcome.code == Some(0), "exit code {:?}\n{}", vetted.outcome.code, words());
    ensure!(vetted.outcome.stdout.contains("all right"), "it did not come to its end\n{}", words());
    ensure!(vetted.outcome.leftovers.is_empty(), "left running: {:?}", vetted.outcome.leftovers);
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
