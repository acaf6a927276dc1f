//! One mistake is one finding, however often and by whatever callers it is made, and one line while the program runs.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, Vetted};
use mpivet_tests::{root, run, scratch};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

fn job(mpi: &Mpi, name: &str, ranks: usize) -> Result<(Vec<String>, PathBuf)> {
    let program = compile(mpi, &root().join("tests/programs").join(name), &scratch())?;
    let dir = scratch().join("one-finding").join(format!("{name}-{}", mpi.name));
    Ok((mpi.job(ranks, &program, &[]), dir))
}

fn vetted(mpi: &Mpi, name: &str, ranks: usize) -> Result<Vetted> {
    let (job, dir) = job(mpi, name, ranks)?;
    vet::vet(&job, &dir, LIMIT)
}

fn analyze(vetted: &Vetted, options: &[&str]) -> Result<String> {
    let mut command = vet::command()?;
    command.arg("analyze").args(options).arg(&vetted.trace);
    Ok(run::run(command, LIMIT)?.stdout)
}

/// The findings of this check that processes have printed by themselves: the lines that begin a finding.
fn printed(stderr: &str, check: &str) -> usize {
    let label = format!("] {check}: ");
    stderr.lines().filter(|line| line.starts_with("mpivet: rank ") && line.contains(&label)).count()
}

/// Functions that called the wrong one, way by way, with the number of times: of one call of each way.
fn ways(finding: &Value) -> Vec<(Vec<String>, u64)> {
    let of = |path: &Value| {
        let stack = path["sites"][0]["stack"].as_array().cloned().unwrap_or_default();
        let functions = stack.iter().filter_map(|frame| frame["function"].as_str()).skip(1).map(str::to_owned);
        let known = ["main", "north", "south", "twice", "deeper", "many_paths"];
        let known = |name: &String| known.iter().any(|k| name.ends_with(k)) && !name.starts_with("__libc");
        (functions.filter(known).collect(), path["count"].as_u64().unwrap_or_default())
    };
    finding["paths"].as_array().into_iter().flatten().map(of).collect()
}

fn of_check<'a>(report: &'a Value, check: &str) -> Vec<&'a Value> {
    report["findings"].as_array().into_iter().flatten().filter(|f| f["check"] == check).collect()
}

#[test]
fn a_mistake_that_several_callers_lead_to_is_one_finding() -> Result<()> {
    for mpi in mpi::required() {
        let vetted = vetted(&mpi, "many-paths.c", 4)?;
        let report: Value = serde_json::from_str(&analyze(&vetted, &["--format", "json"])?)?;
        let all = of_check(&report, "wrong-data-type");
        let [finding] = all[..] else { anyhow::bail!("{}: {} findings", mpi.name, all.len()) };
        // Six calls of two pairs of ranks.
        ensure!(finding["count"] == 12 && finding["ranks"] == serde_json::json!([0, 1, 2, 3]), "{finding:#}");
        let expected = [
            (vec!["north", "main"], 2),
            (vec!["south", "main"], 2),
            (vec!["north", "twice", "main"], 4),
            (vec!["south", "twice", "main"], 2),
        ];
        let expected = expected.map(|(way, n)| (way.into_iter().map(str::to_owned).collect::<Vec<_>>(), n));
        ensure!(ways(finding) == expected, "{}: {:?}", mpi.name, ways(finding));
        // Sends and receives: each once, on whatever rank.
        ensure!(of_check(&report, "tag-portability").len() == 2, "{}: {report:#}", mpi.name);
        let told = printed(&vetted.outcome.stderr, "tag-portability");
        ensure!(told == 2, "{}: {told} lines\n{}", mpi.name, vetted.outcome.stderr);

        let text = analyze(&vetted, &[])?;
        let way = "= also by way of north (many-paths.c:15) < main (many-paths.c:34), ranks 0-3, 2 times";
        ensure!(text.contains(way), "{}: {text}", mpi.name);
        for (format, said) in [
            ("sarif", "also by way of north (many-paths.c:15)"),
            ("github", "also by way of south (many-paths.c:20)"),
            ("junit", "also by way of north (many-paths.c:15)"),
            ("html", "also by way of south (many-paths.c:20)"),
        ] {
            let text = analyze(&vetted, &["--format", format])?.replace("&lt;", "<");
            ensure!(text.contains(said), "{}, {format}: {text}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn callers_in_fortran_are_ways_to_one_finding() -> Result<()> {
    for mpi in mpi::required() {
        let vetted = vetted(&mpi, "many-paths.f90", 2)?;
        let [finding] = &vetted.report.findings[..] else {
            anyhow::bail!("{}: {:?}", mpi.name, vetted.report.findings)
        };
        ensure!(finding.check == "wrong-data-type", "{finding}");
        let report: Value = serde_json::from_str(&analyze(&vetted, &["--format", "json"])?)?;
        let finding = &report["findings"][0];
        let ways = ways(finding);
        ensure!(finding["count"] == 5 && ways.len() == 4 && ways.iter().all(|way| way.1 == 1), "{finding:#}");
        let short = analyze(&vetted, &[])?;
        ensure!(short.matches("= also by way of ").count() == 4, "{}: {short}", mpi.name);
    }
    Ok(())
}

#[test]
fn leaks_are_a_line_each_in_the_report_and_none_before() -> Result<()> {
    for mpi in mpi::required() {
        let vetted = vetted(&mpi, "many-leaks.c", 8)?;
        let stderr = &vetted.outcome.stderr;
        ensure!(printed(stderr, "leak-datatype") == 0, "{}: {stderr}", mpi.name);
        // Two callers of one line are one.
        let leaks: Vec<_> = vetted.report.findings.iter().filter(|f| f.check == "leak-datatype").collect();
        ensure!(leaks.len() == 8, "{}: {leaks:?}", mpi.name);
        let text = analyze(&vetted, &[])?;
        let (_, section) = text.split_once("\nnot freed at the end:\n").context("no section")?;
        let lines: Vec<&str> = section.lines().filter(|line| line.contains("] leak-datatype: ")).collect();
        ensure!(lines.len() == 8, "{}: {text}", mpi.name);
        ensure!(lines.iter().all(|line| line.contains("; the same on ranks 1-7")), "{}: {text}", mpi.name);
        let twice: Vec<_> = lines.iter().filter(|line| line.contains("; by 1 call path more")).collect();
        ensure!(twice.len() == 1 && twice[0].contains("many-leaks.c:7"), "{}: {text}", mpi.name);
        // Eight lines, a head of four, and at most as much again.
        ensure!(text.lines().count() < 20 && !text.contains("stack: "), "{}: {text}", mpi.name);
        let full = analyze(&vetted, &["--full"])?;
        ensure!(full.contains("stack: vector (many-leaks.c:7) < main (many-leaks.c:"), "{}: {full}", mpi.name);
    }
    Ok(())
}

#[test]
fn without_mpivet_run_one_process_of_each_job_says_it() -> Result<()> {
    for mpi in mpi::required() {
        let (job, dir) = job(&mpi, "many-paths.c", 4)?;
        let dir = dir.with_extension("preload");
        _ = std::fs::remove_dir_all(&dir);
        // A file of the first job in the directory does not make the second one silent.
        for _ in 0..2 {
            let mut command = Command::new("env");
            let library = vet::mpivet()?.with_file_name("libmpivet.so");
            command.arg(format!("MPIVET_DIR={}", dir.display())).arg("MPIVET_CHECKS=all");
            command.arg(format!("LD_PRELOAD={}", library.display())).args(&job);
            Mpi::prepare(&mut command);
            let outcome = run::run(command, LIMIT)?;
            let told = printed(&outcome.stderr, "tag-portability");
            ensure!(told == 2, "{}: {told} lines\n{}", mpi.name, outcome.stderr);
        }
    }
    Ok(())
}

/// A consequence of a mistake is a line of its finding, by whatever accident of time it shows.
#[test]
fn what_follows_from_a_mistake_is_no_second_one() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let program = compile(mpi, &root().join("tests/programs/consequences.c"), &scratch())?;
        let cases: [(&[&str], &str, &[&str]); 5] = [
            (&["count"], "invalid-count", &[]),
            (&["root"], "wrong-root", &[]),
            (&["own"], "wrong-recv-size", &[]),
            (&["op"], "invalid-op", &[]),
            // A rank that waits for the call that failed is told which it is.
            (&["refused", "return"], "invalid-count", &["collective-mismatch"]),
        ];
        for (arguments, cause, others) in cases {
            let words: Vec<String> = arguments.iter().map(|&word| word.into()).collect();
            let dir = scratch().join("one-finding").join(format!("{}-{}", arguments[0], mpi.name));
            let vetted = vet::vet(&mpi.job(3, &program, &words), &dir, LIMIT)?;
            let report: Value = serde_json::from_str(&analyze(&vetted, &["--format", "json"])?)?;
            let found = report["findings"].as_array().context("findings")?;
            let checks: Vec<&str> = found.iter().filter_map(|f| f["check"].as_str()).collect();
            ensure!(
                vetted.outcome.code == Some(1),
                "{}: {arguments:?}: {}",
                mpi.name,
                vet::last_words(&vetted.outcome)
            );
            let expected = |check: &&str| *check == cause || others.contains(check);
            ensure!(checks.contains(&cause) && checks.iter().all(expected), "{}: {arguments:?}: {checks:?}", mpi.name);
            for other in of_check(&report, "collective-mismatch") {
                let role = format!("failed before it took part: see {cause}");
                let sites = other["sites"].as_array().context("sites")?;
                ensure!(sites.iter().any(|site| site["role"] == role), "{}: {other:#}", mpi.name);
            }
        }
        Ok(())
    })
}
