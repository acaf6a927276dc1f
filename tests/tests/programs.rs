//! Runs the programs of `examples/` under the MPIs of this machine, and holds the report against the program's comments
//! (see `mpivet_tests::expect`): all of them under those of the system, a few under each of the others. `MPIVET_TEST_MPIS`
//! names the MPIs that all programs are run under instead, or is `all` (`scripts/test-matrix` uses it). With
//! `MPIVET_TEST_TURN=N` (`mpivet_tests::share`) half of the programs are run, each under one of the MPIs of the system, with N+1
//! under the other; under both where its reports differ. With N+2 and N+3 it is the other half.
//!
//! `bug*.c` must give the findings that it announces and nothing else, and under the MPIs of the system its text report must be
//! the one kept beside it; what a process finds by itself must be on standard error (see `mpivet_tests::at_once`); `fixed*.c`
//! and the programs of `examples/clean` must give none, and the same output as without mpivet.

use anyhow::{Result, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use mpivet_tests::compile::compile;
use mpivet_tests::examples::{is_bug, name_of, programs};
use mpivet_tests::expect::Program;
use mpivet_tests::golden::{self, Blessings};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::normalize::normalize;
use mpivet_tests::share::Turn;
use mpivet_tests::{at_once, root, scratch, vet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use trace_format::catalogue::CHECKS;

/// Names MPIs to run everything under.
const MPIS: &str = "MPIVET_TEST_MPIS";
/// A program is run under each of these, then others have their turn.
const MPIS_OF_SYSTEM: u64 = 2;
const EIGHTHS: u64 = 8;
/// The programs that are run under the MPIs that are not the system's: a deadlock, an error of the library, correct
/// programs with many kinds of handles and statuses, and programs for which the system's libraries are too old.
const SAMPLE: [&str; 13] = [
    "cpp-templates/bug",
    "mpi-error/bug",
    "clean/communicators",
    "clean/completion-calls",
    "clean/cpp-classes",
    "clean/derived-types",
    "clean/partitions-inactive",
    "clean/session-objects",
    "clean/sessions-again",
    "real-deadlock/bug-buffers",
    "real-deadlock/fixed-buffers",
    "session-mix/bug-groups",
    "session-mix/bug-requests",
];

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    args.test_threads.get_or_insert_with(mpivet_tests::jobs_at_once);
    match trials() {
        Ok((trials, blessings)) => {
            let conclusion = libtest_mimic::run(&args, trials);
            if let Err(e) = blessings.write() {
                eprintln!("error: cannot write the reports: {e:#}");
                return ExitCode::FAILURE;
            }
            conclusion.exit_code()
        }
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<(Vec<Trial>, Arc<Blessings>)> {
    let programs = programs()?;
    let blessings = Arc::new(Blessings::default());
    for name in SAMPLE {
        let there = programs.iter().any(|program| name_of(&program.path).is_ok_and(|n| n == name));
        ensure!(there, "there is no example {name}");
    }
    let mut trials = vec![Trial::test("examples::every_check_has_a_bug_and_a_twin", || {
        every_check_has_its_programs().map_err(failed)
    })];
    trials.push(Trial::test("examples::reports_of_typical_bugs_fit_a_screen", || fit_a_screen().map_err(failed)));
    for (mpi, extent) in mpis()? {
        for (program, number) in programs.iter().zip(0..) {
            let name = name_of(&program.path)?;
            let wanted = match extent {
                Extent::All => true,
                Extent::Turns => is_its_turn(program, number, &mpi),
                Extent::Sample => SAMPLE.contains(&name.as_str()),
            };
            if !wanted {
                continue;
            }
            let ignored = !program.runs_under(&mpi);
            let name = format!("{}::{}", mpi.name, name.replace('/', "::"));
            let (mpi, program, blessings) = (mpi.clone(), program.clone(), Arc::clone(&blessings));
            let trial = Trial::test(name, move || test(&mpi, &program, &blessings).map_err(failed));
            trials.push(trial.with_ignored_flag(ignored));
        }
    }
    Ok((trials, blessings))
}

/// The number of programs that are run under an MPI.
#[derive(PartialEq, Eq)]
enum Extent {
    All,
    /// Each under one of the MPIs of the system.
    Turns,
    Sample,
}

/// Is program `number` run under this MPI of the system? Neighbours, which are mostly of one check, are run under different ones.
/// One that is not for this MPI is shown as ignored.
fn is_its_turn(program: &Program, number: u64, mpi: &Mpi) -> bool {
    if !program.runs_under(mpi) {
        return true;
    }
    let under: Vec<Mpi> = mpi::required().into_iter().filter(|mpi| program.runs_under(mpi)).collect();
    let apart = golden::is_kept_apart(&program.path.with_extension("expected"));
    let is_on = Turn::now().lasting(MPIS_OF_SYSTEM).includes(number / MPIS_OF_SYSTEM, EIGHTHS);
    is_on && (apart || Turn::now().mpis(under, number).iter().any(|mine| mine.name == mpi.name))
}

fn mpis() -> Result<Vec<(Mpi, Extent)>> {
    let Ok(wanted) = std::env::var(MPIS) else {
        let system = mpi::required().into_iter().map(|mpi| (mpi, Extent::Turns));
        return Ok(system.chain(mpi::others().into_iter().map(|mpi| (mpi, Extent::Sample))).collect());
    };
    let mut all = mpi::installed();
    all.extend(mpi::others());
    for name in wanted.split_whitespace().filter(|name| *name != "all") {
        ensure!(all.iter().any(|mpi| mpi.name == name), "{MPIS}: {name} is not installed");
    }
    all.retain(|mpi| wanted.split_whitespace().any(|name| name == "all" || name == mpi.name));
    Ok(all.into_iter().map(|mpi| (mpi, Extent::All)).collect())
}

fn failed(e: anyhow::Error) -> Failed {
    format!("{e:#}").into()
}

/// Lines of a terminal, and of a small one.
const SCREEN: usize = 60;
const SMALL_SCREEN: usize = 30;

/// The kept reports are those without `--full`.
fn fit_a_screen() -> Result<()> {
    let mut small = 0;
    let mut all = 0;
    for program in programs()?.iter().filter(|program| is_bug(program)) {
        for report in golden::all_kept(&program.path.with_extension("expected")) {
            let lines = report.lines().count();
            ensure!(lines <= SCREEN, "the report of {} has {lines} lines", program.path.display());
            small += usize::from(lines <= SMALL_SCREEN);
            all += 1;
        }
    }
    ensure!(all > 100 && small * 10 >= all * 9, "{small} of {all} reports fit {SMALL_SCREEN} lines");
    Ok(())
}

fn every_check_has_its_programs() -> Result<()> {
    for check in CHECKS {
        let dir = root().join("examples").join(check.name);
        let any =
            |stem: &str| ["c", "cpp", "f90"].map(|e| dir.join(stem).with_extension(e)).into_iter().find(|p| p.exists());
        let Some(bug) = any("bug") else { bail!("{} has no example with the bug", check.name) };
        let bug = Program::read(&bug)?;
        ensure!(any("fixed").is_some(), "{} has no correct twin", bug.path.display());
        ensure!(
            bug.expected.iter().any(|e| e.check == check.name),
            "{} does not expect {}",
            bug.path.display(),
            check.name
        );
    }
    for program in programs()? {
        let name = name_of(&program.path)?;
        let stem = name.rsplit('/').next().unwrap_or_default();
        let bug = is_bug(&program);
        ensure!(
            bug || stem.starts_with("fixed") || name.starts_with("clean/"),
            "{name}: neither bug*.c nor fixed*.c nor in clean/"
        );
        ensure!(
            bug != (program.expected.is_empty() && program.later.is_empty()),
            "{name}: a bug expects a finding, and no other does"
        );
        for expected in &program.expected {
            ensure!(CHECKS.iter().any(|c| c.name == expected.check), "{name}: there is no check {}", expected.check);
        }
    }
    Ok(())
}

/// MPICH's launcher now and then loses the last words of a rank that aborts, those of the MPI library, too; and it takes
/// a rank that ends with a session open for one that was hung up on. Then the program is run so many times more.
const LAUNCHERS_LOSE_WORDS: usize = 2;

/// The message of MPICH's launcher on such a rank.
const HUNG_UP: &str = "TERMINATED WITH THE EXIT STRING: Hangup";

fn test(mpi: &Mpi, program: &Program, blessings: &Blessings) -> Result<()> {
    let scratch = scratch();
    let executable = compile(mpi, &program.path, &scratch)?;
    let job = mpi.job(program.ranks, &executable, &program.args);
    let dir = scratch.join("runs").join(mpi.name).join(name_of(&program.path)?);
    let run = || vet::vet_with(&program.options, &job, &dir, program.timeout);
    let mut vetted = run()?;
    let mut unsaid = at_once::complaints(program, &vetted.report, &vetted.outcome.stderr);
    for _ in 0..LAUNCHERS_LOSE_WORDS {
        if unsaid.is_empty() && !vetted.outcome.stdout.contains(HUNG_UP) {
            break;
        }
        vetted = run()?;
        unsaid = at_once::complaints(program, &vetted.report, &vetted.outcome.stderr);
    }

    let mut complaints = program.complaints(&vetted.report);
    complaints.extend(unsaid);
    // Warnings alone are no failure.
    let code = i32::from(vetted.report.serious().any(|f| f.severity == "error"));
    if vetted.outcome.code != Some(code) {
        complaints.push(format!("exit code {:?}, not {code}", vetted.outcome.code));
    }
    complaints.extend(vetted.outcome.leftovers.iter().map(|process| format!("left running: {process}")));
    if !is_bug(program) {
        complaints.extend(compare_output(&vetted.outcome.stdout, &plain_output(&job, &executable, program)?));
    }
    if !complaints.is_empty() {
        bail!("{}\n{}\n(files in {})", complaints.join("\n"), vet::last_words(&vetted.outcome), dir.display());
    }
    if is_bug(program) && golden::is_kept_for(mpi.name) {
        let report = normalize(&vet::analyze_with(&program.analyze_options(), &vetted.trace)?.0);
        blessings.compare_or_add(&program.path.with_extension("expected"), mpi.name, report)?;
    }
    Ok(())
}

/// The output of the program without mpivet, kept beside the executable.
fn plain_output(job: &[String], executable: &Path, program: &Program) -> Result<String> {
    let kept = executable.with_extension("stdout");
    if let Ok(output) = std::fs::read_to_string(&kept) {
        return Ok(output);
    }
    let plain = vet::run_plain(job, program.timeout)?;
    ensure!(plain.code == Some(0), "without mpivet: exit code {:?}\n{}", plain.code, vet::last_words(&plain));
    std::fs::write(&kept, &plain.stdout)?;
    Ok(plain.stdout)
}

/// Lines of different ranks come in any order. Launchers may even cut one line into another, and then at least the
/// characters must be the same.
fn compare_output(with: &str, without: &str) -> Option<String> {
    fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
        let mut items: Vec<T> = items.collect();
        items.sort();
        items
    }
    let lines = |text: &str| sorted(text.lines().map(str::to_owned));
    let characters = |text: &str| sorted(text.chars().filter(|c| *c != '\n'));
    let same = lines(with) == lines(without) || characters(with) == characters(without);
    (!same).then(|| format!("the output differs from that without mpivet, which is\n{without}"))
}
