//! Calls before MPI_Init, over which the library ends the program when there is no trace yet: they are in the report.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::{root, scratch, vet};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn program(mpi: &Mpi) -> Result<PathBuf> {
    compile(mpi, &root().join("tests/programs/early.c"), &scratch())
}

fn directory(name: &str) -> Result<PathBuf> {
    let dir = scratch().join("early").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn json(file: &Path) -> Result<Value> {
    serde_json::from_str(&std::fs::read_to_string(file)?).with_context(|| file.display().to_string())
}

/// The report has the call, with its line, and nothing else.
fn has_the_call(report: &Value) -> Result<()> {
    let [finding] = &report["findings"].as_array().context("findings")?[..] else { anyhow::bail!("{report:#}") };
    ensure!(finding["check"] == "call-outside-mpi", "{report:#}");
    let message = finding["message"].as_str().unwrap_or_default();
    ensure!(
        message.starts_with("rank ") && message.ends_with(": MPI_Comm_rank is called before MPI_Init"),
        "{message}"
    );
    let site = &finding["sites"][0];
    ensure!(site["line"] == 10 && site["source"].as_str().is_some_and(|s| s.contains("MPI_Comm_rank")), "{site:#}");
    ensure!(report["task"]["errors"] == 1 && report["task"]["defects"] == json!([]), "{report:#}");
    Ok(())
}

#[test]
fn a_call_before_init_is_in_the_report() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let dir = scratch().join("early").join(format!("run-{}", mpi.name));
        let run = vet::vet(&mpi.job(3, &program(mpi)?, &[]), &dir, LIMIT)?;
        ensure!(run.outcome.code == Some(1), "{}", vet::last_words(&run.outcome));
        let report = json(&dir.join("report.json"))?;
        has_the_call(&report)?;
        ensure!(report["task"]["ranks"] == 3, "{report:#}");
        let (text, code) = vet::analyze_with(&[], &run.trace)?;
        ensure!(code == 1 && text.contains("early.c:10"), "{text}");
        // A user who does not want to hear of it has nothing.
        let off = ["--check=-call-outside-mpi".to_owned()];
        let (text, code) = vet::analyze_with(&off, &run.trace)?;
        ensure!(code == 0 && !text.contains("early.c:10"), "{text}");
        Ok(())
    })
}

#[test]
fn it_is_in_the_reports_of_several_jobs_and_runs() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    for option in ["--each", "--explore"] {
        let dir = scratch().join("early").join(option.trim_matches('-'));
        let run = vet::vet_with(&[option.to_owned()], &mpi.job(2, &program(&mpi)?, &[]), &dir, LIMIT)?;
        ensure!(run.outcome.code == Some(1), "{option}: {}", vet::last_words(&run.outcome));
        has_the_call(&json(&dir.join("report.json"))?).context(option)?;
    }
    Ok(())
}

/// The program with this library preloaded, as a launcher without `mpivet run` does; `before`: what the shell says first.
fn preloaded(mpi: &Mpi, before: &str, trace: &Path) -> Result<Outcome> {
    let words = mpi.job(2, &program(mpi)?, &[]).join(" ");
    let library = vet::mpivet()?.with_file_name("libmpivet.so");
    let mut command = std::process::Command::new("bash");
    let variables = format!("LD_PRELOAD={} MPIVET_DIR={}", library.display(), trace.display());
    // Its messages do not go to a file, which has a limit, too.
    let script = format!("set -o pipefail; ({before} {variables} exec {words}) 2>&1 | cat");
    command.args(["-c", &script]);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

/// Hydra now and then dies of SIGPIPE, with and without mpivet, where all ranks end at once: then the run is made again.
fn settled(run: impl Fn() -> Result<Outcome>) -> Result<Outcome> {
    const BROKEN_PIPE: Option<i32> = Some(128 + 13);
    for _ in 0..5 {
        let outcome = run()?;
        if outcome.code != BROKEN_PIPE {
            return Ok(outcome);
        }
    }
    run()
}

#[test]
fn where_it_cannot_be_kept_that_is_said_and_the_program_ends_as_ever() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let program = program(mpi)?;
        let plain = settled(|| vet::run_plain(&mpi.job(2, &program, &[]), LIMIT))?;
        let dir = directory(&format!("full-{}", mpi.name))?;
        for (before, trace) in [("ulimit -f 0;", dir.join("trace")), ("", PathBuf::from("/proc/nobody/trace"))] {
            let outcome = settled(|| preloaded(mpi, before, &trace))?;
            ensure!(outcome.code == plain.code, "{:?}: {}", plain.code, vet::last_words(&outcome));
            for said in ["MPI_Comm_rank is called before MPI_Init", "; this will not be in the report"] {
                ensure!(outcome.stdout.contains(said), "{}", outcome.stdout);
            }
        }
        Ok(())
    })
}

/// A directory that an earlier run has used: what it left is not taken for what this one found.
#[test]
fn what_an_earlier_run_has_left_is_forgotten() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let trace = directory("again")?.join("trace");
    preloaded(&mpi, "", &trace)?;
    let ring = compile(&mpi, &root().join("examples/call-outside-mpi/fixed.c"), &scratch())?;
    let library = vet::mpivet()?.with_file_name("libmpivet.so");
    let job = mpi.job(2, &ring, &[]);
    let mut command = std::process::Command::new("env");
    command.arg(format!("LD_PRELOAD={}", library.display())).arg(format!("MPIVET_DIR={}", trace.display())).args(job);
    Mpi::prepare(&mut command);
    ensure!(run::run(command, LIMIT)?.code == Some(0), "the second run failed");
    let (text, code) = vet::analyze_with(&[], &trace)?;
    ensure!(code == 0 && text.contains("no errors found"), "{text}");
    Ok(())
}
