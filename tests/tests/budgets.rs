//! Instructions and allocations that mpivet adds to an MPI call, and instructions that the analyzer takes for an event, held
//! against `tests/budgets.toml`: see `mpivet_tests::budgets`.
//!
//! Instructions are what is more in a run of twice the length, so that nothing that happens once is in them. Allocations are
//! those of a loop that the program was in before.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::budgets::{Counts, Unit, callgrind, hold_least};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::mpi::Mpi;
use mpivet_tests::{root, run, scratch, share, vet};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_reader::synthetic::Stencil;

const LIMIT: Duration = Duration::from_secs(600);
/// Several laps of a stage, each of which is packed and written.
const CALLS: u32 = 30_000;
/// Rounds of a halo exchange of four ranks, some 60,000 events.
const ROUNDS: u64 = 1000;
/// Settings of the process.
type Settings = &'static [(&'static str, &'static str)];
const RECORDING: Settings = &[("MPIVET_CHECKS", "-*"), ("MPIVET_CHECKSUMS", "off"), ("MPIVET_QUEUES", "off")];
const DEFAULT_CHECKS: Settings = &[];

/// The programs of the release build: another one has other counts.
fn release() -> Result<PathBuf> {
    if std::env::var_os("MPIVET").is_some() { vet::mpivet() } else { Ok(root().join("target/release/mpivet")) }
}

/// Programs with what they need of callgrind: threads in turns, whatever else the machine does.
const PROGRAMS: [(&str, &[&str]); 2] =
    [("budget", &["--instr-atstart=no"]), ("budget-threads", &["--instr-atstart=no", "--fair-sched=yes"])];

/// Instructions of a call of each kind. Without settings the library alone is counted.
fn instructions(mpi: &Mpi, settings: Option<Settings>, name: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    for (source, options) in PROGRAMS {
        let dir = scratch().join(format!("budgets-{}-{name}-{source}", mpi.name));
        let command = program(mpi, source, settings, None, &dir)?;
        counts.extend(of_a_call(callgrind(options, &command, &dir, LIMIT)?)?);
        std::fs::remove_dir_all(dir)?;
    }
    Ok(counts)
}

/// Allocations of a call of each kind, by a library that counts them in the process.
fn allocations(mpi: &Mpi, settings: Option<Settings>, name: &str) -> Result<Counts> {
    let dir = scratch().join(format!("allocations-{}-{name}", mpi.name));
    std::fs::create_dir_all(&dir)?;
    let counter = dir.join("liballocations.so");
    let source = root().join("tests/bench/allocations.c");
    compile_to(mpi, &counter, &mpi.mpicc, &["-O1", "-shared", "-fPIC"], &source)?;
    let mut counts = Counts::new();
    for (source, _) in PROGRAMS {
        let command = program(mpi, source, settings, Some(&counter), &dir.join(source))?;
        let outcome = run::run(command, LIMIT)?;
        ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, vet::last_words(&outcome));
        let lines = outcome.stdout.lines().filter_map(|line| line.split_once(": "));
        let told = lines.map(|(name, count)| Ok((name.to_owned(), count.parse()?))).collect::<Result<_>>()?;
        counts.extend(in_steady_state(&told));
    }
    std::fs::remove_dir_all(dir)?;
    ensure!(!counts.is_empty(), "nothing was counted");
    Ok(counts)
}

/// How often memory is allocated in a call of each kind, behind those that were the first of their kind: `KIND 2`, twice as
/// many as there are of `KIND 1`.
fn in_steady_state(loops: &BTreeMap<String, u64>) -> Counts {
    let steady = loops.iter().filter_map(|(name, count)| Some((name.strip_suffix(" 2")?, *count)));
    steady.map(|(name, count)| (name.to_owned(), count as f64 / f64::from(2 * CALLS))).collect()
}

/// The command that runs a program of `tests/bench` by itself or under mpivet, behind `other` libraries that are preloaded.
fn program(mpi: &Mpi, source: &str, settings: Option<Settings>, other: Option<&Path>, dir: &Path) -> Result<Command> {
    let mut command = Command::new(compile(mpi, &root().join(format!("tests/bench/{source}.c")), &scratch())?);
    command.arg(CALLS.to_string());
    Mpi::prepare(&mut command);
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MPIVET_")) {
        command.env_remove(variable);
    }
    let mut preloaded: Vec<OsString> = other.into_iter().map(OsString::from).collect();
    if let Some(settings) = settings {
        preloaded.push(std::path::absolute(release()?.with_file_name("libmpivet.so"))?.into());
        command.env("MPIVET_RUN", "1").env("MPIVET_DIR", dir.join("trace")).envs(settings.iter().copied());
    }
    if !preloaded.is_empty() {
        command.env("LD_PRELOAD", preloaded.join(&OsString::from(":")));
    }
    Ok(command)
}

/// The cost of a call of each kind, by the costs of so many calls and of twice as many: `KIND 1` and `KIND 2`.
fn of_a_call(loops: BTreeMap<String, u64>) -> Result<Counts> {
    let mut counts = Counts::new();
    for (first, once) in loops.iter().filter_map(|(name, count)| Some((name.strip_suffix(" 1")?, *count))) {
        let twice = loops.get(&format!("{first} 2")).with_context(|| format!("{first} was counted once"))?;
        counts.insert(first.to_owned(), (*twice as f64 - once as f64) / f64::from(CALLS));
    }
    Ok(counts)
}

/// Counts a call of each kind, by itself or under mpivet.
type Count = fn(&Mpi, Option<Settings>, &str) -> Result<Counts>;

/// Holds the instructions and allocations that mpivet adds to the calls of the library.
fn hold_calls(mpi: &str, unit: Unit, count: Count) -> Result<()> {
    let Some(mpi) = share::mpis(unit.word()).into_iter().find(|found| found.name == mpi) else { return Ok(()) };
    let plain = count(&mpi, None, "plain")?;
    for (name, settings) in [("recording", RECORDING), ("default-checks", DEFAULT_CHECKS)] {
        hold_least(unit, &format!("{}.{name}", mpi.name), || {
            let counts = count(&mpi, Some(settings), name)?;
            let added = |what: &String, count: f64| Some(count - plain.get(what)?);
            Ok(counts.iter().filter_map(|(what, count)| Some((what.clone(), added(what, *count)?))).collect())
        })?;
    }
    Ok(())
}

#[test]
fn calls_under_mpich_keep_their_budgets() -> Result<()> {
    hold_calls("mpich", Unit::Instructions, instructions)
}

#[test]
fn calls_under_open_mpi_keep_their_budgets() -> Result<()> {
    hold_calls("openmpi", Unit::Instructions, instructions)
}

#[test]
fn calls_under_mpich_allocate_no_more_than_they_may() -> Result<()> {
    hold_calls("mpich", Unit::Allocations, allocations)
}

#[test]
fn calls_under_open_mpi_allocate_no_more_than_they_may() -> Result<()> {
    hold_calls("openmpi", Unit::Allocations, allocations)
}

/// Events of a trace, and the instructions of `mpivet analyze` on it.
fn analysis((rounds, varied): (u64, bool), options: &[&str]) -> Result<(u64, u64)> {
    let dir = scratch().join(format!("budgets-analyzer-{rounds}"));
    _ = std::fs::remove_dir_all(&dir);
    let trace = Stencil { ranks: 4, rounds, reduce_every: 4, varied, ..Stencil::default() };
    trace.write(&dir.join("trace"), 1)?;
    let mut command = Command::new(release()?);
    command.arg("analyze").args(options).arg(dir.join("trace"));
    Mpi::prepare(&mut command);
    let dumps = callgrind(&[], &command, &dir.join("counts"), LIMIT)?;
    std::fs::remove_dir_all(&dir)?;
    Ok((trace.events(), dumps.values().sum()))
}

#[test]
fn analysis_keeps_its_budgets() -> Result<()> {
    let matching = &["--no-check=*"][..];
    // How often its threads wait for each other differs from run to run.
    hold_least(Unit::Instructions, "analyzer", || {
        let mut counts = BTreeMap::new();
        for (name, varied, options) in [
            ("matching-alone", false, matching),
            ("everything", false, &[]),
            ("varied-matching-alone", true, matching),
            ("varied-everything", true, &[]),
        ] {
            let (events, once) = analysis((ROUNDS, varied), options)?;
            let (more_events, twice) = analysis((2 * ROUNDS, varied), options)?;
            counts.insert(name.to_owned(), (twice as f64 - once as f64) / (more_events - events) as f64);
        }
        Ok(counts)
    })
}
