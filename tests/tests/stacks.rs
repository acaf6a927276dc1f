//! Call stacks that nearly every call sees for the first time, and programs whose file is large: what is read and worked out for
//! them is read and worked out once.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, root, run, scratch, vet};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_format::definition::Definition;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(120);
/// Calls of `call-paths.f90`.
const CALLS: f64 = 60_000.0;
/// Limit of the time of a call by a new stack, generously: it takes 1 to 3, and took 15 to 66 with the unwinder of
/// the system.
const MOST_MICROSECONDS: f64 = 10.0;

fn program(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    compile(mpi, &root().join("tests/programs").join(name), &scratch())
}

/// Standard output of a process without a launcher; `trace`: with mpivet.
fn alone(program: &Path, trace: Option<&Path>) -> Result<run::Outcome> {
    let mut command = Command::new(program);
    Mpi::prepare(&mut command);
    if let Some(trace) = trace {
        _ = std::fs::remove_dir_all(trace);
        std::fs::create_dir_all(trace)?;
        let library = vet::mpivet()?.with_file_name("libmpivet.so");
        command.env("LD_PRELOAD", library).env("MPIVET_RUN", "1").env("MPIVET_DIR", trace);
    }
    run::run(command, LIMIT)
}

/// The numbers that a program has printed.
fn numbers(outcome: &run::Outcome) -> Result<Vec<f64>> {
    let numbers: Vec<f64> = outcome.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    ensure!(outcome.code == Some(0) && !numbers.is_empty(), "{}", vet::last_words(outcome));
    Ok(numbers)
}

#[test]
fn thousands_of_call_paths_take_little_time() -> Result<()> {
    for mpi in mpi::required().iter().filter(|mpi| mpi.mpifort().is_some()) {
        let program = program(mpi, "call-paths.f90")?;
        let trace = scratch().join(format!("call-paths-{}", mpi.name));
        let plain = numbers(&alone(&program, None)?)?;
        let (mut added, mut stacks) = (f64::MAX, 0);
        // The quickest of some: others use the processors, too.
        for _ in 0..3 {
            let outcome = numbers(&alone(&program, Some(&trace))?)?;
            ensure!(outcome[0] == plain[0], "{}: {outcome:?} instead of {plain:?}", mpi.name);
            added = added.min((outcome[1] - plain[1]) / CALLS * 1e6);
            stacks = stacks_of(&trace)?;
        }
        // Seven callers of the call, each of which comes from one of two places, of two functions.
        ensure!(stacks >= 128, "{}: {stacks} stacks", mpi.name);
        ensure!(added < MOST_MICROSECONDS, "{}: {added:.1} microseconds more a call", mpi.name);
    }
    Ok(())
}

/// Different stacks that a trace has; none twice.
fn stacks_of(trace: &Path) -> Result<usize> {
    let mut reader = RankReader::open(trace, 0)?;
    reader.writer_is_gone();
    let (mut stacks, mut again) = (BTreeSet::new(), 0);
    let mut take = |event| {
        if let RankEvent::Definition(Definition::Stack { frames, .. }) = event {
            again += usize::from(!stacks.insert(frames));
        }
    };
    while reader.poll(64, &mut take)? {}
    ensure!(again == 0, "{again} stacks were written twice");
    Ok(stacks.len())
}

#[test]
fn a_large_program_is_not_read_for_each_finding() -> Result<()> {
    for mpi in &mpi::required() {
        let program = program(mpi, "large-program.c")?;
        ensure!(std::fs::metadata(&program)?.len() > 50_000_000);
        let outcome = alone(&program, Some(&scratch().join(format!("large-program-{}", mpi.name))))?;
        let read = numbers(&outcome)?[0];
        let lines = outcome.stderr.lines().filter(|line| line.contains("at main (")).count();
        ensure!(lines >= 5, "{}: {lines} findings with their lines\n{}", mpi.name, outcome.stderr);
        ensure!(read < 5e6, "{}: {read} bytes were read", mpi.name);
        std::fs::remove_file(&program).context("it is large")?;
    }
    Ok(())
}
