//! `--each`: all MPI jobs that a command starts are watched, each by itself, and are in one report.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::vet::{self, Vetted, vet_with};
use mpivet_tests::{root, scratch, share};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// A script in which `$run N ARGS` starts a job of `tests/programs/each.c`, and `$program` is that program.
fn script(mpi: &Mpi, text: &str) -> Result<Vec<String>> {
    let program = compile(mpi, &root().join("tests/programs/each.c"), &scratch())?;
    let head = format!(
        "program={}\nrun() {{ n=$1; shift; '{}' -n \"$n\" \"$program\" \"$@\"; }}\n",
        program.display(),
        mpi.mpiexec.display()
    );
    Ok(["sh", "-c", &(head + text)].map(str::to_owned).into())
}

fn dir(mpi: &Mpi, name: &str) -> PathBuf {
    scratch().join(format!("each-{name}-{}", mpi.name))
}

fn each(mpi: &Mpi, name: &str, text: &str) -> Result<Vetted> {
    let vetted = vet_with(&["--each".to_owned()], &script(mpi, text)?, &dir(mpi, name), LIMIT)?;
    ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
    Ok(vetted)
}

fn said(vetted: &Vetted) -> String {
    vet::last_words(&vetted.outcome)
}

/// The work of each job, and its result.
fn jobs(vetted: &Vetted) -> Vec<(String, bool, u64)> {
    let of = |job: &Value| {
        let words: Vec<&str> = job["command"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let what = words.iter().position(|w| w.ends_with("/each")).and_then(|at| words.get(at + 1));
        let task = &job["task"];
        (what.unwrap_or(&"").to_string(), task["stopped"] == true, task["ranks"].as_u64().unwrap_or(0))
    };
    vetted.report.jobs.as_array().into_iter().flatten().map(of).collect()
}

/// The data of the HTML report of the jobs.
fn page(vetted: &Vetted) -> Result<Value> {
    let mut command = vet::command()?;
    command.args(["analyze", "--format", "html"]).arg(&vetted.trace);
    Mpi::prepare(&mut command);
    let page = run::run(command, LIMIT)?.stdout;
    let data = page.split_once("id=\"data\">").and_then(|(_, data)| data.split_once("</script>"));
    Ok(serde_json::from_str(data.context("no data in the page")?.0)?)
}

fn found(vetted: &Vetted) -> Vec<(&str, Vec<u64>)> {
    vetted.report.findings.iter().map(|f| (f.check.as_str(), f.jobs.clone())).collect()
}

/// Runs mpivet without expecting a report.
fn outcome(mpi: &Mpi, name: &str, text: &str) -> Result<(Outcome, PathBuf)> {
    let dir = dir(mpi, name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let mut command = vet::command()?;
    command.args(["run", "--each", "--dir"]).arg(dir.join("trace")).arg("--").args(script(mpi, text)?);
    Mpi::prepare(&mut command);
    Ok((run::run(command, LIMIT)?, dir.join("trace")))
}

#[test]
fn jobs_in_turn_are_told_apart() -> Result<()> {
    for mpi in share::mpis("jobs_in_turn_are_told_apart") {
        let text = "run 2 clean\nPYTEST_CURRENT_TEST='test_it.py::test_type (call)' run 2 type\nrun 3 type\nrun 2 deadlock\n\
                    \"$program\" clean\n";
        let vetted = each(&mpi, "turn", text)?;
        let job = |what: &str, stopped: bool, ranks: u64| (what.to_owned(), stopped, ranks);
        let expected = [
            job("clean", false, 2),
            job("type", false, 2),
            job("type", false, 3),
            job("deadlock", true, 2),
            // A job without a launcher.
            job("clean", false, 1),
        ];
        ensure!(jobs(&vetted) == expected, "{}: {:?}\n{}", mpi.name, jobs(&vetted), said(&vetted));
        let expected = [("real-deadlock", vec![4]), ("wrong-data-type", vec![2, 3])];
        ensure!(found(&vetted) == expected, "{}: {:?}\n{}", mpi.name, found(&vetted), said(&vetted));
        ensure!(vetted.outcome.code == Some(1), "{}: {:?}", mpi.name, vetted.outcome.code);
        let lines = [
            " -n 2 ",
            "each type (test_it.py::test_type): 1 error\n",
            "each deadlock: 1 error, stopped, because it could never have gone on\n",
            "each clean: no errors found\n",
            "  = in jobs 2,3\n",
            "  = in job 4: ",
            "  2 errors, 0 warnings, 0 notes in ",
            "deadlock: stopped, because it could never have gone on; the report comes at the end\n",
        ];
        for line in lines {
            ensure!(vetted.outcome.stderr.contains(line), "{}: no `{line}`\n{}", mpi.name, said(&vetted));
        }
        // Each rank came to its end, or was stopped.
        let tasks = vetted.report.jobs.as_array().into_iter().flatten();
        let ends: Vec<&Value> = tasks.flat_map(|j| j["task"]["ended"].as_array().into_iter().flatten()).collect();
        let of = |end: &str| ends.iter().filter(|e| e["end"] == end).count();
        ensure!((of("normal"), of("stopped"), ends.len()) == (8, 2, 10), "{}: {ends:?}", mpi.name);

        // The page has the queues of the one that hangs.
        let queues = page(&vetted)?["queues"].to_string();
        ensure!(queues.contains("\"rank\":\"1 of job 4\""), "{}: {queues}", mpi.name);

        // The traces say the same.
        let from_summary = |text: &str| text.find(" jobs\n").map(|at| text[at..].to_owned());
        let again = vet::analyze(&vetted.trace)?;
        ensure!(from_summary(&again).is_some(), "{again}");
        ensure!(from_summary(&vetted.outcome.stderr) == from_summary(&again), "{}\n{again}", said(&vetted));
        // And one of them alone says its own.
        let dir = vetted.report.jobs[1]["dir"].as_str().context("no directory")?.to_owned();
        let alone = vet::analyze(&vetted.trace.join(dir))?;
        ensure!(alone.contains("[MV406] wrong-data-type") && !alone.contains("real-deadlock"), "{alone}");
    }
    Ok(())
}

#[test]
fn jobs_at_the_same_time_are_told_apart() -> Result<()> {
    for mpi in share::mpis("jobs_at_the_same_time_are_told_apart") {
        let vetted = each(&mpi, "at-once", "run 2 clean 500 &\nrun 2 deadlock 500 &\nwait\n")?;
        let mut all = jobs(&vetted);
        let deadlock = all.iter().position(|j| j.0 == "deadlock").context("no deadlock")? as u64 + 1;
        all.sort_unstable();
        let expected = [("clean".to_owned(), false, 2), ("deadlock".to_owned(), true, 2)];
        ensure!(all == expected, "{}: {all:?}\n{}", mpi.name, said(&vetted));
        ensure!(found(&vetted) == [("real-deadlock", vec![deadlock])], "{}: {}", mpi.name, said(&vetted));
        ensure!(vetted.outcome.code == Some(1), "{}: {:?}", mpi.name, vetted.outcome.code);
    }
    Ok(())
}

#[test]
fn without_findings_the_status_of_the_command_is_passed_on() -> Result<()> {
    for mpi in share::mpis("without_findings_the_status_of_the_command_is_passed_on") {
        let vetted = each(&mpi, "status", "run 2 clean\nexit 7\n")?;
        ensure!(found(&vetted).is_empty() && jobs(&vetted).len() == 1, "{}: {}", mpi.name, said(&vetted));
        ensure!(vetted.outcome.code == Some(7), "{}: {:?}", mpi.name, vetted.outcome.code);
        let vetted = each(&mpi, "fine", "run 2 clean\n")?;
        ensure!(vetted.outcome.code == Some(0), "{}: {}", mpi.name, said(&vetted));
        // Findings that do not count leave it alone, too.
        let options = ["--each", "--fail-on", "never"].map(str::to_owned);
        let vetted = vet_with(&options, &script(&mpi, "run 2 type\nexit 7\n")?, &dir(&mpi, "never"), LIMIT)?;
        ensure!(found(&vetted) == [("wrong-data-type", vec![1])], "{}: {}", mpi.name, said(&vetted));
        ensure!(vetted.outcome.code == Some(7), "{}: {:?}", mpi.name, vetted.outcome.code);
    }
    Ok(())
}

#[test]
fn a_command_without_a_job_is_no_success() -> Result<()> {
    let mpi = &mpi::required()[0];
    let (outcome, trace) = outcome(mpi, "none", "true\n")?;
    let message = "mpivet: nothing to analyze: no process that `sh -c";
    ensure!(outcome.code == Some(3) && outcome.stderr.starts_with(message), "{outcome:?}");
    ensure!(!trace.exists(), "an empty directory is left");
    let (outcome, _) = self::outcome(mpi, "none", "exit 4\n")?;
    ensure!(outcome.code == Some(4), "{outcome:?}");
    ensure!(outcome.stderr.contains("ended with code 4 and started no MPI job"), "{outcome:?}");
    Ok(())
}

#[test]
fn spawned_ranks_stay_with_their_job() -> Result<()> {
    // Debian's MPICH cannot spawn.
    for mpi in mpi::required().into_iter().filter(|mpi| mpi.name == "openmpi") {
        let vetted = each(&mpi, "spawn", "run 1 spawn\n\"$program\" clean\n\"$program\" spawn\n")?;
        let expected = ["spawn", "clean", "spawn"].map(|what| (what.to_owned(), false, 1));
        ensure!(jobs(&vetted) == expected, "{}: {:?}\n{}", mpi.name, jobs(&vetted), said(&vetted));
        ensure!(found(&vetted) == [("wrong-data-type", vec![1, 3])], "{}: {}", mpi.name, said(&vetted));
        ensure!(vetted.report.findings[0].message.contains("world 1 rank 0"), "{}", said(&vetted));
        let data = page(&vetted)?;
        let finding = &data["findings"][0];
        ensure!(finding["who"] == "world 1 ranks 0,1" && data["jobs"] == 3, "{}: {finding}", mpi.name);
        let ranks: Vec<&Value> = finding["sites"].as_array().into_iter().flatten().map(|site| &site["rank"]).collect();
        ensure!(
            ranks.iter().all(|rank| rank.as_str().is_some_and(|r| r.starts_with("w1."))),
            "{}: {ranks:?}",
            mpi.name
        );
        let remarks = data["remarks"].to_string();
        ensure!(remarks.contains("job 3: ") && remarks.contains("1 error, 0 warnings"), "{}: {remarks}", mpi.name);
    }
    Ok(())
}

/// A launcher's name of a job comes again one day.
#[test]
fn jobs_of_the_same_name_are_told_apart() -> Result<()> {
    for mpi in mpi::required().into_iter().filter(|mpi| mpi.name == "mpich") {
        let launcher = "dir=$(mktemp -d)\nprintf '#!/bin/sh\\n\"$@\"\\n' > $dir/mpiexec\nchmod +x $dir/mpiexec\n";
        let text = format!(
            "{launcher}export PMIX_NAMESPACE=again\n$dir/mpiexec \"$program\" type\n$dir/mpiexec \"$program\" clean\n\
             rm -r $dir\n"
        );
        let vetted = each(&mpi, "names", &text)?;
        let expected = [("type".to_owned(), false, 1), ("clean".to_owned(), false, 1)];
        ensure!(jobs(&vetted) == expected, "{}: {:?}\n{}", mpi.name, jobs(&vetted), said(&vetted));
        let dirs: Vec<_> = vetted.report.jobs.as_array().into_iter().flatten().map(|j| j["dir"].clone()).collect();
        ensure!(dirs == ["job-again", "job-again.1"], "{dirs:?}");
    }
    Ok(())
}

/// As under `srun`: ranks are children of a daemon, and no process below mpivet has started them.
#[test]
fn jobs_that_a_daemon_starts_are_found() -> Result<()> {
    for mpi in share::mpis("jobs_that_a_daemon_starts_are_found") {
        let text = "setsid --fork \"$program\" type\nsetsid --fork \"$program\" clean\nsleep 3\n";
        let vetted = each(&mpi, "daemon", text)?;
        ensure!(vetted.report.jobs.as_array().is_some_and(|j| j.len() == 2), "{}: {}", mpi.name, said(&vetted));
        ensure!(found(&vetted).len() == 1 && vetted.outcome.code == Some(1), "{}: {}", mpi.name, said(&vetted));
        ensure!(vetted.outcome.stderr.contains("each type: 1 error\n"), "{}: {}", mpi.name, said(&vetted));
    }
    Ok(())
}
