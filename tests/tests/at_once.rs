//! Findings of a process are printed while it runs, with the source line, once for all ranks; and one process reads the debug
//! information for it: `mpivet run`, or without it the rank that prints.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::vet;
use mpivet_tests::{root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
const RANKS: usize = 4;
const FINDING: &str = "error[MV104] overlapping: ";
/// Where the mistake is, in what is printed at once.
const LINE: &str = "at-once.c:30) (writes)";

fn job(mpi: &Mpi, words: &[&str]) -> Result<Vec<String>> {
    let program = compile(mpi, &root().join("tests/programs/at-once.c"), &scratch())?;
    Ok(mpi.job(RANKS, &program, &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()))
}

fn directory(name: &str, mpi: &Mpi) -> Result<PathBuf> {
    let dir = scratch().join("at-once").join(format!("{name}-{}", mpi.name));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// The job under `mpivet run`, with this library in the place of its own.
fn followed(job: &[String], library: Option<&Path>, dir: &Path) -> Result<Outcome> {
    let mut command = vet::command()?;
    command.args(["run", "--dir"]).arg(dir.join("trace")).arg("--").args(job);
    library.iter().for_each(|library| _ = command.env("MPIVET_LIBRARY", library));
    run::run(command, LIMIT)
}

/// The job with this library preloaded.
fn preloaded(job: &[String], library: &Path, dir: &Path) -> Result<Outcome> {
    let mut command = Command::new("env");
    command.arg(format!("LD_PRELOAD={}", library.display()));
    command.arg(format!("MPIVET_DIR={}", dir.join("trace").display())).args(job);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

/// The library as it is without the one that knows source lines.
fn alone(dir: &Path) -> Result<PathBuf> {
    let copy = dir.join("libmpivet.so");
    std::fs::copy(library()?, &copy)?;
    Ok(copy)
}

fn library() -> Result<PathBuf> {
    Ok(vet::mpivet()?.with_file_name("libmpivet.so"))
}

/// The finding is printed once, in front of `before`, with this place.
fn is_told(outcome: &Outcome, place: &str, before: &str) -> Result<()> {
    let said = || vet::last_words(outcome);
    let (first, rest) = outcome.stderr.split_once(before).with_context(said)?;
    let of_ranks = |line: &&str| line.starts_with("mpivet: rank ") && line.contains(FINDING);
    ensure!(first.lines().filter(of_ranks).count() == 1 && first.contains(place), "{}", said());
    ensure!(!rest.lines().any(|line| line.starts_with("mpivet: rank ")), "twice: {}", said());
    Ok(())
}

fn lookups(outcome: &Outcome) -> usize {
    outcome.stderr.matches(" looks up lines").count()
}

#[test]
fn it_is_told_while_the_program_runs_and_no_rank_looks_up_the_line() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let outcome = followed(&job(mpi, &[])?, None, &directory("run", mpi)?)?;
        is_told(&outcome, LINE, " goes on")?;
        ensure!(lookups(&outcome) == 0 && outcome.code == Some(1), "{}", vet::last_words(&outcome));
        Ok(())
    })
}

#[test]
fn it_is_told_in_front_of_the_report_if_the_job_is_killed_right_after() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let outcome = followed(&job(mpi, &["kill"])?, None, &directory("kill", mpi)?)?;
        is_told(&outcome, LINE, " kill, 4 ranks")
    })
}

#[test]
fn without_mpivet_run_one_rank_looks_up_the_line() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let outcome = preloaded(&job(mpi, &[])?, &library()?, &directory("preload", mpi)?)?;
        is_told(&outcome, LINE, " goes on")?;
        ensure!(lookups(&outcome) == 1, "{} ranks\n{}", lookups(&outcome), vet::last_words(&outcome));
        Ok(())
    })
}

#[test]
fn without_the_library_for_lines_the_address_is_told() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let dir = directory("alone", mpi)?;
        let copy = alone(&dir)?;
        let outcome = preloaded(&job(mpi, &[])?, &copy, &dir)?;
        is_told(&outcome, "+0x", " goes on")?;
        ensure!(!outcome.stderr.contains(".c:"), "{}", vet::last_words(&outcome));
        // Where somebody follows, the process does without.
        let dir = directory("alone-run", mpi)?;
        let outcome = followed(&job(mpi, &[])?, Some(&alone(&dir)?), &dir)?;
        is_told(&outcome, LINE, " goes on")
    })
}
