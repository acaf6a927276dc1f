//! `--explore`: what only another order of messages shows is found, and the report says how much was explored.
//! With `MPIVET_TEST_TURN=N` (`mpivet_tests::share`) each test is run under one MPI, with N+1 under the other.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::report::Report;
use mpivet_tests::terminal::{CTRL_C, OnTerminal};
use mpivet_tests::vet::{self, Vetted, vet_with};
use mpivet_tests::{root, scratch, share};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(120);

fn program(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    compile(mpi, &root().join("tests/programs").join(name), &scratch())
}

/// Explores a program; `options` besides.
fn explore(mpi: &Mpi, options: &[&str], ranks: usize, program: &Path, args: &[&str]) -> Result<Vetted> {
    let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let stem = program.file_stem().unwrap_or_default().display();
    let kind = args.first().copied().unwrap_or_default();
    let dir = scratch().join(format!("explore-{}-{stem}-{kind}{}", mpi.name, options.concat()));
    let options = owned(&[&["--explore"], options].concat());
    let vetted = vet_with(&options, &mpi.job(ranks, program, &owned(args)), &dir, LIMIT)?;
    ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
    Ok(vetted)
}

fn said(vetted: &Vetted) -> String {
    vet::last_words(&vetted.outcome)
}

fn found(vetted: &Vetted) -> Vec<(&str, Option<u64>)> {
    vetted.report.findings.iter().map(|f| (f.check.as_str(), f.run)).collect()
}

/// The ends of the runs.
fn ends(vetted: &Vetted) -> Vec<String> {
    let runs = vetted.report.exploration["runs"].as_array().cloned().unwrap_or_default();
    runs.iter().map(|run| run["end"].as_str().unwrap_or_default().to_owned()).collect()
}

fn is_complete(vetted: &Vetted) -> bool {
    vetted.report.exploration["complete"] == Value::Bool(true)
}

#[test]
fn a_mistake_on_another_path_is_found() -> Result<()> {
    for mpi in share::mpis("a_mistake_on_another_path_is_found") {
        let program = program(&mpi, "second-level.c")?;
        // One run says nothing: the other branches of the ranks are unknown.
        let dir = scratch().join(format!("explore-{}-single", mpi.name));
        let single = vet_with(&[], &mpi.job(3, &program, &[]), &dir, LIMIT)?;
        ensure!(single.report.findings.is_empty() && single.outcome.code == Some(0), "{}", said(&single));
        ensure!(single.report.exploration.is_null(), "{}", single.report.exploration);

        let vetted = explore(&mpi, &[], 3, &program, &[])?;
        let run = vetted.report.findings.first().and_then(|f| f.run);
        ensure!(found(&vetted) == [("real-deadlock", run)], "{:?}\n{}", vetted.report.findings, said(&vetted));
        ensure!(run.is_some_and(|run| run > 2) && vetted.outcome.code == Some(1), "{run:?} {}", said(&vetted));
        ensure!(is_complete(&vetted), "{}", vetted.report.exploration);
        let line = format!("= first seen in run {}, under run-", run.unwrap_or(0));
        ensure!(vetted.outcome.stderr.contains(&line), "{}", said(&vetted));
        // The message that makes the difference.
        let cause = "= seen where MPI_Recv of rank 0 at programs/second-level.c:";
        ensure!(vetted.outcome.stderr.contains(cause), "{}", said(&vetted));
        // The trace of the run is there, and what it did can be done again.
        let dir = vetted.trace.join(format!("run-{}", run.unwrap_or(0)));
        ensure!(vet::analyze(&dir)?.contains("[MV601] real-deadlock"), "{}", dir.display());
        let under = vetted.outcome.stderr.split(&line).nth(1).and_then(|rest| rest.lines().next());
        let witness = vetted.trace.join(format!("run-{}", under.context("no witness")?));
        let options = ["--replay".to_owned(), witness.display().to_string()];
        let dir = scratch().join(format!("explore-{}-again", mpi.name));
        let again = vet_with(&options, &mpi.job(3, &program, &[]), &dir, LIMIT)?;
        ensure!(found(&again) == [("real-deadlock", None)], "{}", said(&again));
    }
    Ok(())
}

#[test]
fn where_all_matchings_are_fine_none_is_left() -> Result<()> {
    for mpi in share::mpis("where_all_matchings_are_fine_none_is_left") {
        let program = program(&mpi, "alternatives.c")?;
        // All orders of three messages, since the master takes another branch after each.
        for (how, matchings) in [("gather", 9), ("master", 15)] {
            let vetted = explore(&mpi, &[], 4, &program, &[how])?;
            let explored = &vetted.report.exploration;
            ensure!(vetted.report.findings.is_empty() && vetted.outcome.code == Some(0), "{how}: {}", said(&vetted));
            ensure!(is_complete(&vetted) && explored["matchings"] == matchings, "{how}: {explored}");
            let runs = ends(&vetted).len();
            let line = format!("explored: {runs} runs, {matchings} matchings, none left");
            ensure!(runs > 1 && vetted.outcome.stderr.contains(&line), "{how}: {}", said(&vetted));
        }
        // There is nothing to explore.
        let vetted = explore(&mpi, &[], 2, &self::program(&mpi, "head-to-head.c")?, &["send", "10"])?;
        ensure!(found(&vetted) == [("potential-deadlock", None)] && is_complete(&vetted), "{}", said(&vetted));
        ensure!(vetted.outcome.stderr.contains("explored: 1 run, no wildcards, none left"), "{}", said(&vetted));
    }
    Ok(())
}

#[test]
fn a_limit_that_ends_the_search_is_told() -> Result<()> {
    for mpi in share::mpis("a_limit_that_ends_the_search_is_told") {
        let program = program(&mpi, "alternatives.c")?;
        let vetted = explore(&mpi, &["--explore-runs", "2"], 4, &program, &["gather"])?;
        let explored = &vetted.report.exploration;
        let left = explored["left"].as_u64().unwrap_or(0);
        let line = format!("not all: {left} witnesses are left; --explore-runs 5 goes on");
        ensure!(vetted.outcome.stderr.contains(&line) && left > 1, "{}", said(&vetted));
        ensure!(!is_complete(&vetted) && ends(&vetted).len() == 2 && vetted.outcome.code == Some(0), "{explored}");

        let vetted = explore(&mpi, &["--explore-time", "0"], 4, &program, &["gather"])?;
        ensure!(ends(&vetted).len() == 1 && !is_complete(&vetted), "{}", said(&vetted));
        ensure!(vetted.outcome.stderr.contains("are left; --explore-time 60 goes on"), "{}", said(&vetted));
    }
    Ok(())
}

#[test]
fn a_finding_of_several_runs_is_one() -> Result<()> {
    for mpi in share::mpis("a_finding_of_several_runs_is_one") {
        let program = program(&mpi, "alternatives.c")?;
        let vetted = explore(&mpi, &[], 4, &program, &["mistake"])?;
        let stopped = ends(&vetted).iter().filter(|end| *end == "stopped").count();
        ensure!(stopped > 1 && is_complete(&vetted), "{:?}\n{}", ends(&vetted), said(&vetted));
        let run = vetted.report.findings.first().and_then(|f| f.run);
        ensure!(found(&vetted) == [("real-deadlock", run)] && run.is_some(), "{}", said(&vetted));
        // Another end of the program is found, too.
        let vetted = explore(&mpi, &[], 4, &program, &["exit"])?;
        ensure!(found(&vetted) == [("missing-finalize", vetted.report.findings[0].run)], "{}", said(&vetted));
        ensure!(vetted.report.findings[0].run > Some(1) && vetted.outcome.code == Some(1), "{}", said(&vetted));
    }
    Ok(())
}

#[test]
fn a_potential_finding_comes_true() -> Result<()> {
    for mpi in share::mpis("a_potential_finding_comes_true") {
        let program = program(&mpi, "lucky-order.c")?;
        for how in ["recv", "irecv", "mprobe"] {
            let vetted = explore(&mpi, &[], 3, &program, &[how])?;
            let all = [("real-deadlock", Some(2)), ("potential-deadlock", None)];
            ensure!(found(&vetted) == all && vetted.outcome.code == Some(1), "{how}: {}", said(&vetted));
            ensure!(vetted.report.findings[1].came_true == Some(2), "{how}: {}", said(&vetted));
            ensure!(vetted.outcome.stderr.contains("= came true in run 2\n"), "{how}: {}", said(&vetted));
            ensure!(is_complete(&vetted), "{how}: {}", vetted.report.exploration);
        }
        // A single run does not find it, since the process continues with the rank that the probe names.
        for how in ["probe", "iprobe"] {
            let vetted = explore(&mpi, &[], 3, &program, &[how])?;
            ensure!(found(&vetted) == [("real-deadlock", Some(2))], "{how}: {}", said(&vetted));
        }
    }
    Ok(())
}

#[test]
fn findings_of_any_run_that_are_not_shown_are_counted() -> Result<()> {
    for mpi in share::mpis("findings_of_any_run_that_are_not_shown_are_counted") {
        let vetted = explore(&mpi, &["--max-findings", "1"], 3, &program(&mpi, "second-path.c")?, &[])?;
        ensure!(found(&vetted) == [("leak-communicator", Some(2))], "{}", said(&vetted));
        let text = std::fs::read_to_string(vetted.trace.with_file_name("report.json"))?;
        let json: Value = serde_json::from_str(&text)?;
        let hidden = &json["task"]["hidden"];
        ensure!(*hidden == serde_json::json!([{ "rank": 0, "findings": 2 }]), "{hidden}\n{}", said(&vetted));
        ensure!(json["task"]["warnings"] == 3, "{}", said(&vetted));
        let line = "rank 0: 2 more findings are not shown; --max-findings 1\n";
        ensure!(vetted.outcome.stderr.contains(line), "{}", said(&vetted));
    }
    Ok(())
}

#[test]
fn every_run_reads_the_input_from_its_beginning() -> Result<()> {
    for mpi in share::mpis("every_run_reads_the_input_from_its_beginning") {
        let dir = scratch().join(format!("explore-{}-input", mpi.name));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join("input"), "7\n")?;
        let mut command = vet::command()?;
        command.args(["run", "--explore", "--explore-runs", "3", "--dir"]).arg(dir.join("trace")).arg("--");
        command.args(mpi.job(4, &program(&mpi, "alternatives.c")?, &["input".into()]));
        Mpi::prepare(&mut command);
        let output = command.stdin(std::fs::File::open(dir.join("input"))?).output()?;
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(stdout.matches("read 7\n").count() == 3, "{}: {stdout}{stderr}", mpi.name);
    }
    Ok(())
}

#[test]
fn runs_that_take_another_way_are_named() -> Result<()> {
    for mpi in share::mpis("runs_that_take_another_way_are_named") {
        let program = program(&mpi, "alternatives.c")?;
        for (how, end, line) in [
            ("changes", "astray", "the program took another way than the witness"),
            // No library may receive what rank 2 sends in that order.
            ("overtakes", "astray", "the program took another way than the witness"),
            ("loses", "late", "stopped, because it did not end in time; nothing of it is reported"),
        ] {
            let file = scratch().join(format!("explore-{}-{how}-file", mpi.name));
            _ = std::fs::remove_file(&file);
            let file = file.display().to_string();
            let vetted = explore(&mpi, &["--explore-runs", "2"], 3, &program, &[how, &file])?;
            ensure!(ends(&vetted) == ["ended", end], "{how}: {:?}\n{}", ends(&vetted), said(&vetted));
            ensure!(vetted.report.findings.is_empty() && vetted.outcome.code == Some(0), "{how}: {}", said(&vetted));
            ensure!(vetted.outcome.stderr.contains(line), "{how}: {}", said(&vetted));
        }
    }
    Ok(())
}

/// An exploration that is ended in its second run: by a signal, or by Ctrl-C on its terminal.
fn interrupted(mpi: &Mpi, on_terminal: bool) -> Result<()> {
    let program = program(mpi, "alternatives.c")?;
    let dir = scratch().join(format!("explore-{}-interrupted-{on_terminal}", mpi.name));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let (file, report, trace) = (dir.join("file"), dir.join("report.json"), dir.join("trace"));
    let mut command = vet::command()?;
    command.args(["run", "--explore", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(&trace);
    command.arg("--").args(mpi.job(3, &program, &["slow".into(), file.display().to_string()]));
    Mpi::prepare(&mut command);
    let start = Instant::now();
    let under_way = || {
        while !trace.join("run-2/rank-1.mpv").exists() && start.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
    };
    if on_terminal {
        let mut process = OnTerminal::start(&command)?;
        under_way();
        process.type_in(CTRL_C)?;
        process.wait()?;
    } else {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        under_way();
        kill(Pid::from_raw(child.id() as i32), Signal::SIGINT)?;
        child.wait()?;
    }
    ensure!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    let text = std::fs::read_to_string(&report)?;
    let report = Report::parse(&text)?;
    ensure!(report.findings.is_empty(), "{:?}", report.findings);
    let runs = report.exploration["runs"].as_array().context("no runs")?;
    let ends: Vec<_> = runs.iter().map(|run| &run["end"]).collect();
    ensure!(ends == ["ended", "interrupted"] && report.exploration["left"].as_u64() > Some(0), "{text}");
    Ok(())
}

#[test]
fn an_interrupted_exploration_has_a_report() -> Result<()> {
    for mpi in share::mpis("an_interrupted_exploration_has_a_report") {
        for on_terminal in [false, true] {
            interrupted(&mpi, on_terminal).with_context(|| format!("{}, on a terminal: {on_terminal}", mpi.name))?;
        }
    }
    Ok(())
}
