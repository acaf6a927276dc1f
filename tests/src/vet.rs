//! Calls mpivet as a user does. `MPIVET_TEST_OPTIONS` has further options of `mpivet run` for all tests: with
//! `--checksums all` for example none may fail.

use crate::mpi::Mpi;
use crate::report::Report;
use crate::run::{self, Outcome};
use crate::schema;
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The mpivet of this build: `MPIVET`, or the one beside the test binary, or the release build.
pub fn mpivet() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("MPIVET") {
        return Ok(path.into());
    }
    let exe = std::env::current_exe()?;
    let beside = exe.ancestors().skip(1).take(3).map(|dir| dir.join("mpivet"));
    let release = crate::root().join("target/release/mpivet");
    let found = beside.chain([release]).find(|path| path.is_file() && path.with_file_name("libmpivet.so").is_file());
    found.context("no mpivet with its libmpivet.so: run `cargo build --release` first")
}

/// mpivet as a command, which must not depend on the settings of the person who starts the tests.
pub fn command() -> Result<Command> {
    let mut command = Command::new(mpivet()?);
    Mpi::prepare(&mut command);
    let ours = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("MPIVET_"));
    ours.for_each(|name| _ = command.env_remove(name));
    Ok(command)
}

/// A job that was run under mpivet.
pub struct Vetted {
    pub outcome: Outcome,
    pub report: Report,
    /// The trace directory.
    pub trace: PathBuf,
}

/// Runs `job` under mpivet; its files go to `dir`, which is made anew.
pub fn vet(job: &[String], dir: &Path, limit: Duration) -> Result<Vetted> {
    vet_with(&[], job, dir, limit)
}

/// As [`vet`], with further options of `mpivet run`.
pub fn vet_with(options: &[String], job: &[String], dir: &Path, limit: Duration) -> Result<Vetted> {
    start(options, job, dir, None, limit)
}

/// As [`vet`], with a working directory for the job.
pub fn vet_in(job: &[String], dir: &Path, here: Option<&Path>, limit: Duration) -> Result<Vetted> {
    start(&[], job, dir, here, limit)
}

fn start(options: &[String], job: &[String], dir: &Path, here: Option<&Path>, limit: Duration) -> Result<Vetted> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir)?;
    let (trace, report) = (dir.join("trace"), dir.join("report.json"));
    let mut command = command()?;
    command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(&trace);
    let more = std::env::var("MPIVET_TEST_OPTIONS").unwrap_or_default();
    // An option may be given once.
    let is_given = more.split_whitespace().any(|word| word.starts_with("--") && options.iter().any(|o| o == word));
    command.args(more.split_whitespace().filter(|_| !is_given)).args(options).arg("--").args(job);
    if let Some(here) = here {
        command.current_dir(here);
    }
    let outcome = run::run(command, limit)?;
    std::fs::write(dir.join("stdout"), &outcome.stdout)?;
    std::fs::write(dir.join("stderr"), &outcome.stderr)?;
    if outcome.code.is_none() {
        bail!("not finished after {} s\n{}", limit.as_secs(), last_words(&outcome));
    }
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    if !text.is_empty() {
        schema::check_report(&text).with_context(|| report.display().to_string())?;
    }
    let report = Report::parse(&text).with_context(|| {
        format!("mpivet wrote no good report, exit code {:?}\n{}", outcome.code, last_words(&outcome))
    })?;
    Ok(Vetted { outcome, report, trace })
}

/// Runs `job` without mpivet.
pub fn run_plain(job: &[String], limit: Duration) -> Result<Outcome> {
    let mut command = Command::new(&job[0]);
    command.args(&job[1..]);
    Mpi::prepare(&mut command);
    run::run(command, limit)
}

/// The text report of a finished job.
pub fn analyze(trace: &Path) -> Result<String> {
    Ok(analyze_with(&[], trace)?.0)
}

/// As [`analyze`], with further options of `mpivet analyze`; also returns its exit code.
pub fn analyze_with(options: &[String], trace: &Path) -> Result<(String, i32)> {
    let file = trace.with_file_name("report.txt");
    let mut command = command()?;
    command.args(["analyze", "--format", "text", "--report"]).arg(&file).args(options).arg(trace);
    let outcome = run::run(command, Duration::from_secs(30))?;
    ensure!(
        matches!(outcome.code, Some(0 | 1)),
        "mpivet analyze: exit code {:?}\n{}",
        outcome.code,
        last_words(&outcome)
    );
    let text = std::fs::read_to_string(&file).with_context(|| format!("no report in {}", file.display()))?;
    Ok((text, outcome.code.unwrap_or(0)))
}

/// The end of what a command said, for a failure message.
pub fn last_words(outcome: &Outcome) -> String {
    let end = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    };
    format!("--- stdout\n{}\n--- stderr\n{}", end(&outcome.stdout), end(&outcome.stderr))
}
