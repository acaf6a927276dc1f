//! Instructions that mpivet adds to an MPI call, and that the analyzer takes for an event, counted by callgrind and held
//! against `tests/budgets.toml`: see `mpivet_tests::budgets`.
//!
//! Each count is what is more in a run of twice the length, so that nothing that happens once is in it.

use anyhow::{Context as _, Result};
use mpivet_tests::budgets::{Counts, callgrind, hold};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, root, scratch, vet};
use std::collections::BTreeMap;
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
fn calls(mpi: &Mpi, settings: Option<Settings>, name: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    for (source, options) in PROGRAMS {
        let program = compile(mpi, &root().join(format!("tests/bench/{source}.c")), &scratch())?;
        let dir = scratch().join(format!("budgets-{}-{name}-{source}", mpi.name));
        counts.extend(calls_of(&program, options, settings, &dir)?);
    }
    Ok(counts)
}

fn calls_of(program: &Path, options: &[&str], settings: Option<Settings>, dir: &Path) -> Result<Counts> {
    let mut command = Command::new(program);
    command.arg(CALLS.to_string());
    Mpi::prepare(&mut command);
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MPIVET_")) {
        command.env_remove(variable);
    }
    if let Some(settings) = settings {
        let interposer = std::path::absolute(release()?.with_file_name("libmpivet.so"))?;
        command.env("LD_PRELOAD", interposer).env("MPIVET_RUN", "1").env("MPIVET_DIR", dir.join("trace"));
        command.envs(settings.iter().copied());
    }
    let dumps = callgrind(options, &command, dir, LIMIT)?;
    let mut counts = Counts::new();
    for (first, once) in dumps.iter().filter_map(|(name, count)| Some((name.strip_suffix(" 1")?, *count))) {
        let twice = dumps.get(&format!("{first} 2")).with_context(|| format!("{first} was counted once"))?;
        counts.insert(first.to_owned(), (*twice as f64 - once as f64) / f64::from(CALLS));
    }
    std::fs::remove_dir_all(dir)?;
    Ok(counts)
}

/// The instructions that mpivet adds to the calls of the library.
fn hold_calls(mpi: &str) -> Result<()> {
    let Some(mpi) = mpi::required().into_iter().find(|found| found.name == mpi) else { return Ok(()) };
    let plain = calls(&mpi, None, "plain")?;
    for (name, settings) in [("recording", RECORDING), ("default-checks", DEFAULT_CHECKS)] {
        let counts = calls(&mpi, Some(settings), name)?;
        let added = |what: &String, count: f64| Some(count - plain.get(what)?);
        let added = counts.iter().filter_map(|(what, count)| Some((what.clone(), added(what, *count)?))).collect();
        hold(&format!("{}.{name}", mpi.name), &added)?;
    }
    Ok(())
}

#[test]
fn calls_under_mpich_keep_their_budgets() -> Result<()> {
    hold_calls("mpich")
}

#[test]
fn calls_under_open_mpi_keep_their_budgets() -> Result<()> {
    hold_calls("openmpi")
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
    let mut counts = BTreeMap::new();
    let matching = &["--no-check=*"][..];
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
    hold("analyzer", &counts)
}
