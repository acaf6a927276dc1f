//! Python programs with mpi4py: findings name the lines of the program.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::python::{self, Python};
use mpivet_tests::{run, vet};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn script(name: &str) -> PathBuf {
    mpivet_tests::root().join("tests/programs/python").join(name)
}

/// The number of the line with this mark.
fn marked(script: &Path, mark: &str) -> Result<usize> {
    let text = std::fs::read_to_string(script)?;
    let at = text.lines().position(|l| l.ends_with(&format!("# mark: {mark}")));
    Ok(1 + at.with_context(|| format!("no mark `{mark}` in {}", script.display()))?)
}

fn each(mut test: impl FnMut(&Python, &Mpi, &Path) -> Result<()>, name: &str) -> Result<()> {
    for python in python::required()? {
        for mpi in mpi::required() {
            let case = format!("{name}-{}-{}", python.version, mpi.name);
            let dir = mpivet_tests::scratch().join("python").join(&case);
            test(&python, &mpi, &dir).context(case)?;
        }
    }
    Ok(())
}

#[test]
fn a_deadlock_is_found_on_its_python_line() -> Result<()> {
    let (bug, fixed) = (script("halo_bug.py"), script("halo_fixed.py"));
    let (send, caller) = (marked(&bug, "send")?, marked(&bug, "caller")?);
    each(
        |python, mpi, dir| {
            let clean = vet::vet(&python.job(mpi, 2, &fixed), dir, LIMIT)?;
            ensure!(clean.outcome.code == Some(0), "{}", vet::last_words(&clean.outcome));
            ensure!(clean.report.findings.is_empty(), "{:?}", clean.report.findings);

            let vetted = vet::vet(&python.job(mpi, 2, &bug), dir, LIMIT)?;
            let [finding] = &vetted.report.findings[..] else {
                anyhow::bail!("not one finding but {:?}", vetted.report.findings)
            };
            ensure!(finding.check == "real-deadlock" && finding.ranks == [0, 1], "{finding}");
            let text = vet::analyze(&vetted.trace)?;
            if python.has_lines() {
                for site in &finding.sites {
                    ensure!((site.file.as_str(), site.line) == ("halo_bug.py", send), "{finding}");
                    ensure!(site.source.contains("self.comm.Ssend(self.border"), "{finding}");
                }
                let stack = Regex::new(&format!(
                    r"Halo\.exchange \(\S*halo_bug\.py:{send}\) < solve \(\S*halo_bug\.py:{caller}\) < <module> \("
                ))?;
                ensure!(stack.is_match(&text), "no stack of Python functions in\n{text}");
            } else {
                ensure!(text.contains("MPI."), "the frame of the extension module is not named in\n{text}");
            }
            Ok(())
        },
        "deadlock",
    )
}

#[test]
fn every_call_is_on_the_line_that_the_interpreter_says() -> Result<()> {
    each(
        |python, mpi, dir| {
            if !python.has_lines() {
                return Ok(());
            }
            let vetted = vet::vet(&python.job(mpi, 1, &script("lines.py")), dir, LIMIT)?;
            ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
            ensure!(vetted.report.serious().next().is_none(), "{:?}", vetted.report.findings);
            let mut print = vet::command()?;
            print.arg("print").arg(&vetted.trace);
            let printed = run::run(print, LIMIT)?.stdout;
            let call = Regex::new(r"MPI_Iprobe\(.* tag=(\d+),.* @ \S*?(\w+\.py):(\d+)$")?;
            let mut calls = 0;
            for line in printed.lines().filter(|l| l.contains("MPI_Iprobe(")) {
                let found = call.captures(line).with_context(|| format!("no place: {line}"))?;
                ensure!(found[1] == found[3], "{line}");
                let generated = found[1].parse::<usize>()? > 1000;
                ensure!(&found[2] == if generated { "generated.py" } else { "lines.py" }, "{line}");
                calls += 1;
            }
            // Polls at one place are counted in one record.
            ensure!(calls > 300, "{calls} calls");
            Ok(())
        },
        "lines",
    )
}

#[test]
fn a_fatal_error_is_said_at_once_with_its_python_line() -> Result<()> {
    let script = script("fatal_error.py");
    let line = marked(&script, "send")?;
    each(
        |python, mpi, dir| {
            if !python.has_lines() {
                return Ok(());
            }
            let vetted = vet::vet(&python.job(mpi, 1, &script), dir, LIMIT)?;
            let finding = vetted.report.findings.iter().find(|f| f.sites.iter().any(|s| s.line == line));
            ensure!(finding.is_some(), "{:?}", vetted.report.findings);
            let said = &vetted.outcome.stderr;
            ensure!(said.contains(&format!("fatal_error.py:{line})")), "{}", vet::last_words(&vetted.outcome));
            ensure!(said.contains("| comm.Send(bytearray(4)"), "{}", vet::last_words(&vetted.outcome));
            // The frames of mpi4py between that line and MPI are told to those who want all.
            let text = |options: &[&str]| -> Result<String> {
                let mut command = vet::command()?;
                command.arg("analyze").args(options).arg(&vetted.trace);
                Ok(run::run(command, LIMIT)?.stdout)
            };
            let native = |text: &str| {
                text.lines().any(|line| {
                    line.trim_start().starts_with("stack: ")
                        && line.contains(".so+0x")
                        && line.contains(" < tell (fatal_error.py:")
                })
            };
            let (short, full) = (text(&[])?, text(&["--full"])?);
            ensure!(!native(&short) && native(&full), "{short}\n{full}");
            Ok(())
        },
        "fatal",
    )
}

#[test]
fn what_a_library_leaks_is_told_apart_and_on_the_line_of_the_program() -> Result<()> {
    let script = script("uses_library.py");
    let line = marked(&script, "first")?;
    each(
        |python, mpi, dir| {
            if !python.has_lines() {
                return Ok(());
            }
            let vetted = vet::vet(&python.job(mpi, 2, &script), dir, LIMIT)?;
            let [leak] = &vetted.report.findings[..] else { anyhow::bail!("{:?}", vetted.report.findings) };
            ensure!(leak.check == "leak-communicator" && leak.sites[0].line == line, "{leak}");
            let text = vet::analyze(&vetted.trace)?;
            let (_, section) = text.split_once("\n  in leaky, a library:\n").context("no section of the library")?;
            ensure!(section.contains(&format!("uses_library.py:{line}; by 1 call path more")), "{text}");
            // The proposed entry is accepted.
            let entry: Vec<&str> = section.lines().skip_while(|l| l.trim() != "[[suppress]]").take(4).collect();
            let file = dir.join("accepted.toml");
            std::fs::write(&file, entry.join("\n"))?;
            let mut command = vet::command()?;
            command.args(["analyze", "--fail-on", "note", "--suppressions"]).arg(&file).arg(&vetted.trace);
            let outcome = run::run(command, LIMIT)?;
            ensure!(outcome.code == Some(0), "{}", vet::last_words(&outcome));
            ensure!(outcome.stdout.contains("1 finding suppressed"), "{}", outcome.stdout);
            Ok(())
        },
        "library",
    )
}

#[test]
fn main_modules_of_mpi4pys_own_tests_end_alike_and_without_findings() -> Result<()> {
    const MODULES: [&str; 8] = [
        "test_p2p_obj",
        "test_cco_obj",
        "test_comm",
        "test_objmodel",
        "test_win",
        "test_file",
        "test_request",
        "test_status",
    ];
    let Some(python) = python::required()?.into_iter().next_back() else { return Ok(()) };
    let root = mpivet_tests::root();
    for mpi in mpi::required() {
        let mut driver = Command::new(&python.program);
        driver.arg(root.join("tests/applications/mpi4py_driver.py"));
        driver.args(["--mpi", mpi.name, "--ranks", "2"]).args(MODULES).env("MPIVET", vet::mpivet()?);
        let outcome = run::run(driver, Duration::from_secs(300))?;
        ensure!(outcome.code == Some(0), "{}: {}", mpi.name, vet::last_words(&outcome));
        ensure!(outcome.stdout.contains(" in all: "), "{}: {}", mpi.name, vet::last_words(&outcome));
    }
    Ok(())
}
