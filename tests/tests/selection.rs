//! `--check`, `--no-check`, `--severity` and `--max-findings`, on a program with several mistakes.

use anyhow::{Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, analyze_with, vet_with};
use mpivet_tests::{root, run, scratch};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The program for an MPI, and a directory.
fn scene(mpi: &Mpi, name: &str) -> Result<(PathBuf, PathBuf)> {
    let scratch = scratch();
    let program = compile(mpi, &root().join("tests/programs/several-mistakes.c"), &scratch)?;
    Ok((program, scratch.join(format!("selection-{name}-{}", mpi.name))))
}

#[test]
fn the_user_chooses_what_is_reported() -> Result<()> {
    for mpi in mpi::required() {
        let (program, dir) = scene(&mpi, "run")?;
        let job = mpi.job(2, &program, &[]);
        // Severities and order: serious are all but notes.
        let options = words("--no-check * --check MV1xx,wrong-data-type,MV507 --severity MV5=note,MV1=warning");
        let vetted = vet_with(&options, &job, &dir, LIMIT)?;
        let mut found: Vec<String> =
            vetted.report.findings.iter().map(|f| format!("{} {}", f.severity, f.check)).collect();
        found.dedup();
        let expected = ["error wrong-data-type", "warning unfinished-send", "note diff-reductions"];
        ensure!(found == expected, "{}: {found:?}\n{}", mpi.name, vet::last_words(&vetted.outcome));
        ensure!(vetted.outcome.code == Some(1), "{}: exit code {:?}", mpi.name, vetted.outcome.code);

        // The trace of the same run, looked at in other ways.
        let (all, code) = analyze_with(&[], &vetted.trace)?;
        let expected = "6 errors, 0 warnings, 0 notes";
        ensure!(code == 1 && all.contains(expected) && !all.contains("not shown"), "{}: {code}\n{all}", mpi.name);

        let (none, code) = analyze_with(&words("--no-check *"), &vetted.trace)?;
        ensure!(code == 0 && none.contains("no errors found"), "{}: {code}\n{none}", mpi.name);

        let (milder, code) = analyze_with(&words("--severity *=warning"), &vetted.trace)?;
        ensure!(code == 0 && milder.contains("0 errors, 6 warnings"), "{}: {code}\n{milder}", mpi.name);
        let (_, code) = analyze_with(&words("--severity *=warning --fail-on warning"), &vetted.trace)?;
        ensure!(code == 1, "{}: --fail-on warning gives {code}", mpi.name);

        let (few, code) = analyze_with(&words("--max-findings 1"), &vetted.trace)?;
        let said = |text: &str| few.contains(text);
        ensure!(
            code == 1
                && said(expected)
                && few.matches("\nerror[").count() == 2
                && said("rank 0: 3 more findings are not shown; --max-findings 1\n")
                && said("collective operations: 1 more finding is not shown; --max-findings 1\n"),
            "{}: {code}\n{few}",
            mpi.name
        );
    }
    Ok(())
}

#[test]
fn the_process_says_which_words_mean_nothing() -> Result<()> {
    let mpi = &mpi::required()[0];
    let (program, dir) = scene(mpi, "words")?;
    _ = std::fs::remove_dir_all(&dir);
    let job = mpi.job(2, &program, &[]);
    let mut command = Command::new(&job[0]);
    command.args(&job[1..]).env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so"));
    command.env("MPIVET_DIR", &dir).env("MPIVET_CHECKS", "-wrong-root,wrong-rot").env("MPIVET_MAX_FINDINGS", "few");
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    for word in ["there is no check `wrong-rot`; did you mean wrong-root?", "`few` is not a number of findings"] {
        let times = outcome.stderr.matches(word).count();
        ensure!(times == 2, "`{word}` {times} times, not once a rank\n{}", outcome.stderr);
    }
    ensure!(outcome.code == Some(0), "{outcome:?}");
    Ok(())
}
