//! A deadlock is reported within a second of the last rank blocking, and the job is stopped; the launcher's processes are
//! gone afterwards.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::{mpi, mpi::Mpi, vet};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// From the last rank blocking to the report.
const LIMIT: Duration = Duration::from_secs(1);
/// From the report to the end of mpivet: some launchers wait a second for processes that they have ended.
const END_LIMIT: Duration = Duration::from_secs(3);

/// The times of a deadlock, from the last rank blocking on.
struct Lasted {
    /// To the report.
    report: Duration,
    /// To the end of mpivet, when the job is stopped.
    end: Duration,
}

#[test]
fn a_deadlock_is_reported_within_a_second() -> Result<()> {
    for mpi in mpi::required() {
        let program = deadlock(&mpi)?;
        // The best of three: other tests may keep the processors busy.
        let (mut report, mut end) = (Duration::MAX, Duration::MAX);
        for attempt in 0..3 {
            let lasted = hang(&mpi, &program, 2, &format!("live-{attempt}"), Duration::from_secs(30))?;
            (report, end) = (report.min(lasted.report), end.min(lasted.end));
        }
        println!("{}: {report:?} from the last rank blocking to the report, {end:?} to the end of mpivet", mpi.name);
        ensure!(report < LIMIT && end < END_LIMIT, "{}: {report:?}, {end:?}", mpi.name);
    }
    Ok(())
}

/// Polls and questions for the time are counted in place, also in records that were read while the program went on with them.
#[test]
fn a_run_counts_as_many_polls_as_the_program() -> Result<()> {
    for mpi in mpi::required() {
        let source = mpivet_tests::root().join("tests/programs/polls.c");
        let program = compile(&mpi, &source, &mpivet_tests::scratch())?;
        let dir = mpivet_tests::scratch().join(format!("polls-{}", mpi.name));
        let vetted = vet::vet(&mpi.job(2, &program, &[]), &dir, Duration::from_secs(60))?;
        let own: u64 =
            vetted.outcome.stdout.lines().filter_map(|l| l.strip_prefix("calls ")?.parse::<u64>().ok()).sum();
        let counted = calls(&std::fs::read_to_string(dir.join("report.json"))?)?;
        ensure!(counted == own, "{}: {counted} calls while it ran, the program made {own}", mpi.name);
        let mut again = vet::command()?;
        let report = dir.join("again.json");
        again.args(["analyze", "--format", "json", "--report"]).arg(&report).arg(&vetted.trace);
        mpivet_tests::run::run(again, Duration::from_secs(60))?;
        let analyzed = calls(&std::fs::read_to_string(report)?)?;
        ensure!(analyzed == own, "{}: {analyzed} calls afterwards, the program made {own}", mpi.name);
        // A byte for each, if they were recorded one by one, at least.
        let bytes = std::fs::metadata(vetted.trace.join("rank-1.mpv"))?.len();
        ensure!(own > 100_000 && bytes < own / 4, "{}: {bytes} bytes for {own} calls", mpi.name);
    }
    Ok(())
}

/// The MPI calls of all ranks, by a report.
fn calls(report: &str) -> Result<u64> {
    let report: serde_json::Value = serde_json::from_str(report)?;
    let ranks = report["task"]["ended"].as_array().context("no ranks")?;
    Ok(ranks.iter().filter_map(|rank| rank["calls"].as_u64()).sum())
}

/// It cannot be known which receive got the message; that one of the two stays empty is known.
#[test]
fn receives_that_are_more_than_the_messages_are_a_deadlock() -> Result<()> {
    for mpi in mpi::required() {
        let source = mpivet_tests::root().join("tests/programs/one-message.c");
        let program = compile(&mpi, &source, &mpivet_tests::scratch())?;
        for how in ["", "persistent", "sends-twice"] {
            let dir = mpivet_tests::scratch().join(format!("one-message-{how}-{}", mpi.name));
            let job = mpi.job(3, &program, &[how.to_owned()]);
            let vetted =
                vet::vet(&job, &dir, Duration::from_secs(30)).with_context(|| format!("{} {how}", mpi.name))?;
            let report = std::fs::read_to_string(dir.join("report.json"))?;
            let deadlock = how != "sends-twice";
            ensure!(vetted.outcome.code == Some(i32::from(deadlock)), "{} {how}: {:?}", mpi.name, vetted.outcome.code);
            ensure!(report.contains("real-deadlock") == deadlock, "{} {how}: {report}", mpi.name);
        }
    }
    Ok(())
}

/// Launchers hang now and then although their processes are gone; here they are made to.
#[test]
fn a_launcher_that_does_not_end_is_ended() -> Result<()> {
    for_each_way(held)
}

/// A launcher that waits for a process that a rank has left behind looks the same.
#[test]
fn a_launcher_that_waits_for_a_process_is_left_alone() -> Result<()> {
    for_each_way(left_behind)
}

/// Does it under each MPI with and without `--each`, all at once: what they do is mostly waiting.
fn for_each_way(test: fn(&Mpi, bool) -> Result<()>) -> Result<()> {
    let mpis = mpi::required();
    let ways: Vec<_> = mpis.iter().flat_map(|mpi| [false, true].map(|each| (mpi, each))).collect();
    mpivet_tests::side_by_side(&ways, ways.len(), |(mpi, each)| {
        test(mpi, *each).with_context(|| format!("{}, --each: {each}", mpi.name))
    })
}

/// Runs a program of two ranks under mpivet, with this library in front of its launcher. `each`: behind `--each`.
fn launch(mpi: &Mpi, name: &str, each: bool, library: Option<&Path>) -> Result<mpivet_tests::run::Outcome> {
    let dir = mpivet_tests::scratch().join(format!("live-{name}-{}-{each}", mpi.name));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let program = compile(mpi, &mpivet_tests::root().join(format!("tests/programs/{name}.c")), &dir)?;
    let mut command = vet::command()?;
    command.args(["run", "--dir"]).arg(dir.join("trace"));
    command.envs(library.map(|library| ("LD_PRELOAD", library)));
    command.args(each.then_some("--each")).arg("--").args(mpi.job(2, &program, &[]));
    mpivet_tests::run::run(command, Duration::from_secs(60))
}

fn held(mpi: &Mpi, each: bool) -> Result<()> {
    let library = mpivet_tests::scratch().join(format!("live-held-{}-{each}.so", mpi.name));
    let source = mpivet_tests::root().join("tests/programs/held-launcher.c");
    compile_to(mpi, &library, &mpi.mpicc, &["-shared", "-fPIC"], &source)?;
    let outcome = launch(mpi, "pair", each, Some(&library))?;
    let told = outcome.stderr.matches(TOLD).count();
    let reported = outcome.stderr.contains("no errors found");
    ensure!(told == 1 && reported && outcome.code > Some(128), "{outcome:?}");
    ensure!(outcome.leftovers.is_empty(), "left over: {:?}", outcome.leftovers);
    Ok(())
}

fn left_behind(mpi: &Mpi, each: bool) -> Result<()> {
    let outcome = launch(mpi, "left-behind", each, None)?;
    ensure!(outcome.code == Some(0) && outcome.stdout == "the last word\n", "{outcome:?}");
    ensure!(!outcome.stderr.contains(TOLD), "{outcome:?}");
    Ok(())
}

const TOLD: &str = "the launcher has not ended 10 s after its last process";

/// Prints figures, which are worth something on an idle machine:
/// `cargo test -p mpivet-tests --test live -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, which takes minutes"]
fn how_long_a_deadlock_lasts() -> Result<()> {
    for mpi in mpi::required() {
        let program = deadlock(&mpi)?;
        for (ranks, runs) in [(4, 20), (64, 5)] {
            let runs = (0..runs)
                .map(|run| hang(&mpi, &program, ranks, &format!("live-{ranks}-{run}"), Duration::from_secs(180)));
            let runs: Vec<Lasted> = runs.collect::<Result<_>>()?;
            let reports = spread(runs.iter().map(|r| r.report));
            let ends = spread(runs.iter().map(|r| r.end));
            println!(
                "{}, {ranks} ranks, {} runs: from the last rank blocking to the report {reports}, to the end {ends}",
                mpi.name,
                runs.len()
            );
        }
    }
    Ok(())
}

fn spread(times: impl Iterator<Item = Duration>) -> String {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    let ms = |at: usize| times.get(at).map_or(0, Duration::as_millis);
    format!("{} ms (median), {} ms (maximum)", ms(times.len() / 2), ms(times.len().saturating_sub(1)))
}

fn deadlock(mpi: &Mpi) -> Result<std::path::PathBuf> {
    let source = mpivet_tests::root().join("tests/programs/late-deadlock.c");
    compile(mpi, &source, &mpivet_tests::scratch())
}

/// Runs a job that hangs. `name`: of the directory for its files.
fn hang(mpi: &Mpi, program: &Path, ranks: usize, name: &str, limit: Duration) -> Result<Lasted> {
    let dir = mpivet_tests::scratch().join(format!("{name}-{}", mpi.name));
    let times = mpivet_tests::scratch().join(format!("{name}-{}-times", mpi.name));
    std::fs::create_dir_all(&times)?;
    let job = mpi.job(ranks, program, &[times.display().to_string()]);
    let vetted = vet::vet(&job, &dir, limit)?;
    let end = SystemTime::now().duration_since(UNIX_EPOCH)?;
    ensure!(vetted.outcome.code == Some(1), "exit code {:?}", vetted.outcome.code);
    ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
    let written = std::fs::metadata(dir.join("report.json"))?.modified()?.duration_since(UNIX_EPOCH)?;
    let mut last = Duration::ZERO;
    for rank in 0..ranks {
        let text = std::fs::read_to_string(times.join(format!("waits-{rank}")))?;
        last = last.max(Duration::from_nanos(text.trim().parse().context("a time")?));
    }
    Ok(Lasted { report: written.saturating_sub(last), end: end.saturating_sub(last) })
}
