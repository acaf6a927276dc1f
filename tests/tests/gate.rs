//! The gate of a CI job: `--fail-on`, `--suppressions` and `--baseline`, and the fingerprints behind them. Each
//! version of a program runs once; its trace is looked at many times.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::formats::several;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::vet::{self, Vetted, command};
use mpivet_tests::{root, schema, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace_format::run::jobs::Started;

const LIMIT: Duration = Duration::from_secs(30);
const SOURCE: &str = "tests/programs/accepted-mistakes.c";

/// A version of the program that was run, and where its files are.
struct Version {
    dir: PathBuf,
    run: Vetted,
}

/// The output of `mpivet analyze` for a trace.
struct Gated {
    json: Value,
    text: String,
    code: i32,
}

impl Version {
    /// Changes the program by replacing texts, and runs it.
    fn run(mpi: &Mpi, name: &str, ranks: usize, changes: &[(&str, &str)]) -> Result<Version> {
        let dir = scratch().join(format!("gate-{name}-{}", mpi.name));
        let mut text = std::fs::read_to_string(root().join(SOURCE))?;
        for (old, new) in changes {
            ensure!(text.matches(old).count() == 1, "`{old}` is not once in {SOURCE}");
            text = text.replace(old, new);
        }
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let source = dir.join("mistakes.c");
        std::fs::write(&source, text)?;
        let program = compile(mpi, &source, &scratch())?;
        let run = vet::vet(&mpi.job(ranks, &program, &[]), &dir.join("run"), LIMIT)?;
        Ok(Version { dir, run })
    }

    fn write(&self, name: &str, text: &str) -> Result<String> {
        let path = self.dir.join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    }

    fn analyze(&self, options: &[&str]) -> Result<Gated> {
        let json = analyze(&self.run.trace, &[options, &["--format", "json"]].concat())?;
        let text = analyze(&self.run.trace, options)?;
        ensure!(json.code == text.code, "{options:?}: {:?} and {:?}", json.code, text.code);
        let code = text.code.context("a time limit")?;
        ensure!(matches!(code, 0 | 1 | 3), "{options:?}: {}", vet::last_words(&text));
        Ok(Gated { json: serde_json::from_str(&json.stdout)?, text: text.stdout, code })
    }

    /// Analyzes with a suppression file of this text.
    fn suppress(&self, text: &str) -> Result<Gated> {
        let file = self.write("accepted.toml", text)?;
        self.analyze(&["--suppressions", &file])
    }

    /// The complaint about a suppression file of this text; mpivet must not look at anything then.
    fn refuses(&self, text: &str) -> Result<String> {
        let file = self.write("wrong.toml", text)?;
        self.refuses_options(&["--suppressions", &file])
    }

    fn refuses_options(&self, options: &[&str]) -> Result<String> {
        let outcome = analyze(&self.run.trace, options)?;
        ensure!(outcome.code == Some(2) && outcome.stdout.is_empty(), "{options:?}: {}", vet::last_words(&outcome));
        Ok(outcome.stderr.replace(&format!("{}/", self.dir.display()), ""))
    }

    /// The JSON report as a baseline.
    fn baseline(&self) -> String {
        self.dir.join("run/report.json").display().to_string()
    }
}

fn analyze(trace: &Path, options: &[&str]) -> Result<Outcome> {
    let mut command = command()?;
    command.arg("analyze").args(options).arg(trace);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

/// The checks of findings, in the order of the report, at a place in it.
fn checks(report: &Value, at: &str) -> Vec<String> {
    let list = report.pointer(at).and_then(Value::as_array).cloned().unwrap_or_default();
    let finding = |f: &Value| f.get("finding").unwrap_or(f)["check"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<String> = list.iter().map(finding).collect();
    all.sort_unstable();
    all
}

fn fingerprints(report: &Value) -> Vec<String> {
    let list = report["findings"].as_array().cloned().unwrap_or_default();
    list.iter().map(|f| f["fingerprint"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Sorted.
const ALL: [&str; 4] = ["leak-communicator", "unfinished-send", "unfinished-send", "wrong-data-type"];
const ONE_SEND: [&str; 3] = ["leak-communicator", "unfinished-send", "wrong-data-type"];
const NO_SEND: [&str; 2] = ["leak-communicator", "wrong-data-type"];

fn main_mpi() -> Result<Mpi> {
    mpi::first().context("no MPI")
}

#[test]
fn suppressions_take_what_they_name() -> Result<()> {
    let version = Version::run(&main_mpi()?, "suppressions", 2, &[])?;
    let plain = version.analyze(&[])?;
    ensure!(checks(&plain.json, "/findings") == ALL && plain.code == 1, "{}", plain.text);
    let sends = NO_SEND;
    let but_type = ["leak-communicator", "unfinished-send", "unfinished-send"];
    let but_leak = ["unfinished-send", "unfinished-send", "wrong-data-type"];
    for (selector, left) in [
        ("check = 'unfinished-send'", &sends[..]),
        ("check = 'MV101'", &sends),
        ("check = 'MV1xx, MV301'", &["wrong-data-type"]),
        ("check = 'leak-*'", &but_leak),
        ("check = 'MV509'", &ALL),
        // Functions of MPI, and those of the program that led to them.
        ("function = 'MPI_Isend'", &sends),
        ("function = 'MPI_*send'", &sends),
        ("function = 'lose'", &sends),
        ("function = 'MPI_Recv'", &but_type),
        ("function = 'main'", &[]),
        ("function = 'mainly'", &ALL),
        // Paths, in any directory or from the root.
        ("source = 'mistakes.c'", &[]),
        ("source = '**/gate-suppressions-*/*.c'", &[]),
        ("source = 'gate-*.c'", &ALL),
        ("source = '/mistakes.c'", &ALL),
        ("communicator = 'halo'", &but_type),
        ("communicator = 'MPI_COMM_*'", &sends),
        ("communicator = 'hal'", &ALL),
        // All parts of an entry must fit.
        ("check = 'wrong-data-type'\nfunction = 'lose'", &ALL),
        ("function = 'lose'\ncommunicator = 'MPI_COMM_WORLD'\nsource = '*.c'", &sends),
        ("function = 'lose'\ncommunicator = 'halo'", &ALL),
    ] {
        let gated = version.suppress(&format!("[[suppress]]\nreason = 'ticket 12'\n{selector}\n"))?;
        ensure!(checks(&gated.json, "/findings") == left, "{selector}\n{}", gated.text);
        let errors = left.iter().filter(|check| !check.starts_with("leak")).count();
        ensure!(gated.json["task"]["errors"] == errors && gated.code == i32::from(errors > 0), "{selector}");
        let taken = ALL.len() - left.len();
        ensure!(checks(&gated.json, "/suppressed").len() == taken, "{selector}\n{}", gated.json);
        let said = match taken {
            0 => "suppression ".to_owned(),
            1 => "1 finding suppressed (".to_owned(),
            n => format!("{n} findings suppressed ("),
        };
        ensure!(gated.text.contains(&said) && gated.text.contains("ticket 12"), "{selector}\n{}", gated.text);
        let unused = gated.json["unused_suppressions"].as_array().map_or(0, Vec::len);
        ensure!(unused == usize::from(taken == 0), "{selector}\n{}", gated.json);
        if left.is_empty() {
            ensure!(gated.text.contains("0 errors, 0 warnings"), "{selector}\n{}", gated.text);
        }
    }
    // Accepted is not the same as not there, in any format.
    let file = version.write("accepted.toml", "[[suppress]]\nsource = 'mistakes.c'\nreason = 'all of it'\n")?;
    for format in ["text", "markdown", "protocol", "junit", "github", "sarif"] {
        let report = analyze(&version.run.trace, &["--suppressions", &file, "--format", format])?.stdout;
        ensure!(report.contains("4 findings suppressed ("), "{format}: {report}");
        ensure!(!report.to_lowercase().contains("no errors found"), "{format}: {report}");
    }
    let page = analyze(&version.run.trace, &["--suppressions", &file, "--format", "html"])?.stdout;
    ensure!(page.contains("\"found_nothing\":false") && page.contains("4 findings suppressed ("), "the page");
    let one = version.suppress("[[suppress]]\nreason = 'it is so'\ncheck = 'leak-*'\n")?;
    let by = &one.json["suppressed"][0];
    let at = by["by"].as_str().unwrap_or_default();
    ensure!(by["reason"] == "it is so" && at.ends_with("accepted.toml:1"), "{by}");
    Ok(())
}

#[test]
fn suppressions_have_limits() -> Result<()> {
    let version = Version::run(&main_mpi()?, "limits", 2, &[])?;
    let entry = |more: &str| format!("[[suppress]]\ncheck = 'unfinished-send'\nreason = 'as planned'\n{more}\n");
    let left = |gated: &Gated| checks(&gated.json, "/findings");

    let two = version.suppress(&entry("count = 2"))?;
    ensure!(left(&two) == NO_SEND, "{}", two.text);
    let one = version.suppress(&entry("count = 1"))?;
    ensure!(left(&one) == ONE_SEND && one.code == 1, "{}", one.text);
    ensure!(one.text.contains("= not suppressed: ") && one.text.contains("accepted.toml:1 is for 1 finding at most"));
    // A finding that one entry does not cover may be covered by the next.
    let both = version.suppress(&(entry("count = 1") + &entry("count = 1")))?;
    ensure!(left(&both) == NO_SEND && !both.text.contains("not suppressed"), "{}", both.text);

    let over = version.suppress(&entry("until = 2025-02-28"))?;
    ensure!(left(&over) == ALL && over.text.contains("accepted.toml:1 ended on 2025-02-28"), "{}", over.text);
    ensure!(over.json.get("unused_suppressions").is_none(), "it would be used\n{}", over.text);
    let long = version.suppress(&entry("until = 9999-12-31"))?;
    ensure!(left(&long) == NO_SEND, "{}", long.text);

    // Accepted findings take no place of those that are shown. Before, one of three sends would have been.
    let file = version.write("accepted.toml", &entry(""))?;
    let few = version.analyze(&["--max-findings", "1"])?;
    ensure!(few.json["task"]["hidden"][0]["findings"] == 3, "{}", few.text);
    let gated = version.analyze(&["--max-findings", "1", "--suppressions", &file])?;
    ensure!(left(&gated) == ["wrong-data-type"] && gated.json["task"]["warnings"] == 1, "{}", gated.text);
    ensure!(gated.text.contains("rank 0: 1 more finding is not shown; --max-findings 1"), "{}", gated.text);

    // Several files.
    let other = version.write("other.toml", "[[suppress]]\ncheck = 'MV4'\nreason = 'later'\n")?;
    let both = version.analyze(&["--suppressions", &file, "--suppressions", &other])?;
    ensure!(left(&both) == ["leak-communicator"] && both.code == 0, "{}", both.text);
    for (severity, code) in [("error", 0), ("warning", 1), ("note", 1), ("never", 0)] {
        let gated = version.analyze(&["--suppressions", &file, "--suppressions", &other, "--fail-on", severity])?;
        ensure!(gated.code == code, "--fail-on {severity}: {}\n{}", gated.code, gated.text);
    }
    Ok(())
}

#[test]
fn an_unused_suppression_is_named_only_if_all_was_seen() -> Result<()> {
    let version = Version::run(&main_mpi()?, "unused", 2, &[])?;
    let unused = "[[suppress]]\ncheck = 'abort'\nreason = 'long ago'\n";
    let gated = version.suppress(unused)?;
    ensure!(gated.text.contains("accepted.toml:1 covers nothing any more: long ago"), "{}", gated.text);
    // The check was off.
    let file = version.write("accepted.toml", unused)?;
    let off = version.analyze(&["--suppressions", &file, "--no-check", "abort"])?;
    ensure!(!off.text.contains("covers nothing"), "{}", off.text);
    let gone = version.analyze(&["--baseline", &version.baseline(), "--no-check", "MV1"])?;
    ensure!(gone.json["baseline"]["gone"] == 2, "{}", gone.text);
    // A trace without its end.
    let trace = version.run.trace.join("rank-1.mpv");
    let bytes = std::fs::read(&trace)?;
    std::fs::write(&trace, &bytes[..bytes.len() - bytes.len() / 3])?;
    let damaged = version.suppress(unused)?;
    ensure!(damaged.code == 3, "{}", damaged.text);
    ensure!(!damaged.json["task"]["defects"].as_array().is_none_or(Vec::is_empty), "not damaged");
    ensure!(damaged.json.get("unused_suppressions").is_none() && !damaged.text.contains("covers nothing"));
    let gone = version.analyze(&["--baseline", &version.baseline()])?;
    ensure!(gone.json["baseline"]["gone"].is_null(), "{}", gone.text);
    Ok(())
}

#[test]
fn what_means_nothing_is_refused_with_its_place() -> Result<()> {
    let version = Version::run(&main_mpi()?, "refused", 2, &[])?;
    let said = version.refuses("[[suppress]]\nchek = 'abort'\ncheck = 'real-deadlok'\nfunction = 'MPI_Sned'\n")?;
    for line in [
        "wrong.toml:2:1: there is no key `chek`; did you mean check?",
        "wrong.toml:3:9: there is no check `real-deadlok`; did you mean real-deadlock?",
        "wrong.toml:4:12: there is no MPI function `MPI_Sned`; did you mean MPI_Send",
        "wrong.toml:1:1: the entry has no `reason`",
    ] {
        ensure!(said.contains(line), "no `{line}` in\n{said}");
    }
    let said = version.refuses("[[suppress]]\nreason = 'all'\n")?;
    ensure!(said.contains("wrong.toml:1:1: the entry would cover every finding"), "{said}");
    let said = version.refuses_options(&["--suppressions", "/nowhere/at/all"])?;
    ensure!(said.contains("cannot read /nowhere/at/all: No such file"), "{said}");

    let report = version.analyze(&[])?.json.to_string();
    for (text, why) in [
        ("[1, 2", "it is not JSON"),
        ("[1, 2]", "it is not a JSON report of mpivet (--format json)"),
        (&report.replace("mpivet-report-1", "mpivet-report-0"), "its form is mpivet-report-0, and this mpivet reads"),
        (&report.replace("\"v1-", "\"v0-"), "its findings have no fingerprints of the form v1-"),
        (&report.replace("fingerprint", "print"), "its findings have no fingerprints of the form v1-"),
    ] {
        let file = version.write("baseline.json", text)?;
        let said = version.refuses_options(&["--baseline", &file])?;
        ensure!(said.contains("baseline.json is no baseline: ") && said.contains(why), "{why}\n{said}");
    }
    let few = version.analyze(&["--max-findings", "1"])?.json.to_string();
    let file = version.write("baseline.json", &few)?;
    let said = version.refuses_options(&["--baseline", &file])?;
    ensure!(said.contains("3 findings were left out of it; make it with --max-findings 0"), "{said}");
    Ok(())
}

const LOST: &str = "        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);
        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);\n";
const LOST_ONE: &str = "        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);
        MPI_Send(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);\n";

#[test]
fn a_baseline_knows_mistakes_and_not_lines() -> Result<()> {
    let mpi = main_mpi()?;
    let old = Version::run(&mpi, "old", 2, &[])?;
    let baseline = old.baseline();
    let known = |gated: &Gated| checks(&gated.json, "/baseline/known");
    let new = |gated: &Gated| checks(&gated.json, "/findings");

    let same = old.analyze(&["--baseline", &baseline, "--fail-on", "note"])?;
    ensure!(known(&same) == ALL && new(&same).is_empty() && same.code == 0, "{}", same.text);
    ensure!(same.text.contains("4 known findings of the baseline are not shown ("), "{}", same.text);
    ensure!(same.text.contains("  0 errors, 0 warnings, 0 notes in") && !same.text.contains("error["), "{}", same.text);

    // Lines above, another directory, another indentation, more ranks: the same mistakes.
    let moved = [
        ("// Integers are received", "// Some more words.\n\n// Integers are received"),
        ("        MPI_Send(data, 4", "\t    MPI_Send(data, 4"),
        ("// A communicator that", "#include <stdio.h>\n\n// A communicator that"),
    ];
    let moved = Version::run(&mpi, "moved", 3, &moved)?;
    let gated = moved.analyze(&["--baseline", &baseline])?;
    ensure!(known(&gated) == ALL && gated.code == 0 && gated.json["baseline"]["gone"] == 0, "{}", gated.text);

    // A mistake less.
    let fewer = Version::run(&mpi, "fewer", 2, &[(LOST, LOST_ONE)])?;
    let gated = fewer.analyze(&["--baseline", &baseline])?;
    ensure!(known(&gated) == ONE_SEND && gated.code == 0, "{}", gated.text);
    ensure!(gated.text.contains("3 known findings of the baseline are not shown, 1 finding of the baseline is gone ("));

    // One of two equal mistakes is known.
    let gated = old.analyze(&["--baseline", &fewer.baseline()])?;
    ensure!(new(&gated) == ["unfinished-send"] && gated.code == 1, "{}", gated.text);
    ensure!(gated.text.contains("1 error, 0 warnings, 0 notes"), "{}", gated.text);

    // Another mistake, and what --fail-on makes of it.
    let leak = (
        "    MPI_Comm_set_name(*comm, \"halo\");\n",
        "    MPI_Comm_set_name(*comm, \"halo\");\n    MPI_Comm second;\n    MPI_Comm_dup(MPI_COMM_SELF, &second);\n",
    );
    let more = Version::run(&mpi, "more", 2, &[leak])?;
    for (severity, code) in [("error", 0), ("warning", 1), ("note", 1), ("never", 0)] {
        let gated = more.analyze(&["--full", "--baseline", &baseline, "--fail-on", severity])?;
        ensure!(new(&gated) == ["leak-communicator"] && gated.code == code, "{severity}\n{}", gated.text);
        ensure!(gated.text.contains("MPI_COMM_SELF, &second"), "{}", gated.text);
    }

    // An accepted finding is not gone, and needs no baseline.
    let file = old.write("accepted.toml", "[[suppress]]\ncheck = 'MV1'\nreason = 'later'\n")?;
    let gated = old.analyze(&["--baseline", &baseline, "--suppressions", &file])?;
    ensure!(known(&gated) == NO_SEND && gated.json["baseline"]["gone"] == 0 && gated.code == 0, "{}", gated.text);

    // The next baseline: the report may go where the old one is.
    let next = fewer.write("next.json", &std::fs::read_to_string(&baseline)?)?;
    let options = ["--baseline", &next, "--format", "json", "--report", &next];
    let outcome = analyze(&fewer.run.trace, &options)?;
    ensure!(outcome.code == Some(0), "{}", vet::last_words(&outcome));
    let gated = old.analyze(&["--baseline", &next])?;
    ensure!(new(&gated) == ["unfinished-send"], "{}", gated.text);
    Ok(())
}

/// Both sends in one line.
const IN_A_LINE: &str = "        MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost); \
                         MPI_Isend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &lost);\n";

/// Findings with severity and jobs, in the order of the report.
fn of_jobs(report: &Value) -> Vec<(String, Value)> {
    let list = report["findings"].as_array().cloned().unwrap_or_default();
    list.iter().map(|f| (f["check"].as_str().unwrap_or_default().to_owned(), f["jobs"].clone())).collect()
}

#[test]
fn no_finding_of_a_job_is_taken_for_another_one() -> Result<()> {
    let mpi = main_mpi()?;
    let version = Version::run(&mpi, "one-line", 2, &[(LOST, IN_A_LINE)])?;
    let alone = version.analyze(&[])?;
    ensure!(checks(&alone.json, "/findings") == ALL, "{}", alone.text);
    let source = version.dir.join("mistakes.c");
    let second = vet::vet(&mpi.job(2, &compile(&mpi, &source, &scratch())?, &[]), &version.dir.join("second"), LIMIT)?;
    let job = |trace: &Path, name| (trace.to_owned(), name, Started::default());
    let traces = vec![job(&version.run.trace, "a"), job(&second.trace, "b")];
    let dir = several("gate-one-line", &["make", "check"], traces)?;
    let outcome = analyze(&dir, &["--format", "json"])?;
    let json: Value = serde_json::from_str(&outcome.stdout)?;
    let (found, both) = (of_jobs(&json), serde_json::json!([1, 2]));
    ensure!(checks(&json, "/findings") == ALL && found.iter().all(|(_, jobs)| *jobs == both), "{found:?}");
    let of_one = json["jobs"][0]["task"]["errors"].as_u64();
    ensure!(of_one == alone.json["task"]["errors"].as_u64() && of_one == Some(3), "{json}");
    Ok(())
}

#[test]
fn each_job_has_a_limit_of_its_own() -> Result<()> {
    let mpi = main_mpi()?;
    let first = Version::run(&mpi, "first-job", 2, &[])?;
    let other =
        Version::run(&mpi, "other-job", 2, &[("// A communicator that", "// More.\n\n// A communicator that")])?;
    let job = |version: &Version, name| (version.run.trace.clone(), name, Started::default());
    let dir = several("gate-jobs", &["make", "check"], vec![job(&first, "a"), job(&other, "b")])?;
    let unused = first.write("accepted.toml", "[[suppress]]\ncheck = 'abort'\nreason = 'none'\n")?;
    for gate in [&[][..], &["--suppressions", &unused]] {
        let options = [&["--max-findings", "1"], gate].concat();
        let text = analyze(&dir, &options)?.stdout;
        let outcome = analyze(&dir, &[&options[..], &["--format", "json"]].concat())?;
        let json: Value = serde_json::from_str(&outcome.stdout)?;
        schema::check_report(&outcome.stdout)?;
        // Any of the four will do.
        let jobs: Vec<Value> = of_jobs(&json).into_iter().map(|(_, jobs)| jobs).collect();
        ensure!(jobs == [serde_json::json!([1]), serde_json::json!([2])], "{gate:?}: {text}");
        ensure!(json["task"]["errors"] == 6 && json["task"]["warnings"] == 2, "{gate:?}: {text}");
        for number in 1..=2 {
            let hidden = &json["jobs"][number - 1]["task"]["hidden"];
            ensure!(*hidden == serde_json::json!([{ "rank": 0, "findings": 3 }]), "{gate:?}: {hidden}");
            let line = format!("hint: job {number}: 3 more findings are not shown; --max-findings 1\n");
            ensure!(text.contains(&line), "{gate:?}: {text}");
        }
        // Such a report is incomplete: no baseline.
        let few = first.write("few.json", &outcome.stdout)?;
        let refused = analyze(&dir, &["--baseline", &few])?;
        let said = "6 findings were left out of it; make it with --max-findings 0";
        ensure!(refused.code == Some(2) && refused.stderr.contains(said), "{gate:?}: {}", refused.stderr);
    }
    Ok(())
}

#[test]
fn fingerprints_tell_mistakes_apart_and_not_libraries() -> Result<()> {
    let mut seen: Option<Vec<String>> = None;
    for mpi in mpi::required() {
        let version = Version::run(&mpi, "library", 2, &[])?;
        let all = fingerprints(&version.analyze(&[])?.json);
        let mut once = all.clone();
        once.sort();
        once.dedup();
        ensure!(once.len() == ALL.len() && all.iter().all(|f| f.starts_with("v1-") && f.len() == 19), "{all:?}");
        ensure!(seen.as_ref().is_none_or(|before| *before == all), "{}: {all:?}, before {seen:?}", mpi.name);
        seen = Some(all);
    }
    Ok(())
}

#[test]
fn runs_and_explorations_pass_the_gate() -> Result<()> {
    let mpi = main_mpi()?;
    let program = compile(&mpi, &root().join(SOURCE), &scratch())?;
    let dir = scratch().join("gate-run");
    std::fs::create_dir_all(&dir)?;
    let file = dir.join("accepted.toml");
    std::fs::write(&file, "[[suppress]]\nsource = 'tests/programs/*.c'\nreason = 'all of it'\n")?;
    let accepted = ["--suppressions".to_owned(), file.display().to_string()];
    let explore = ["--explore".to_owned()];
    for (explored, code) in [(false, 1), (true, 1), (false, 0), (true, 0)] {
        let explore = if explored { &explore[..] } else { &[] };
        let all = [explore, if code == 0 { &accepted } else { &[] }].concat();
        let run = vet::vet_with(&all, &mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
        ensure!(run.outcome.code == Some(code), "{all:?}: {}", vet::last_words(&run.outcome));
        let json: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("run/report.json"))?)?;
        let at = if code == 0 { "/suppressed" } else { "/findings" };
        ensure!(checks(&json, at) == ALL && json["exploration"].is_object() == explored, "{all:?}: {json}");
    }
    Ok(())
}

#[test]
fn a_job_that_was_stopped_fails_whatever_is_accepted() -> Result<()> {
    let mpi = main_mpi()?;
    let program = compile(&mpi, &root().join("examples/real-deadlock/bug.c"), &scratch())?;
    let dir = scratch().join("gate-stopped");
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let file = dir.join("accepted.toml");
    std::fs::write(
        &file,
        "[[suppress]]\ncheck = 'MV6'\nreason = 'known'\n[[suppress]]\ncheck = 'abort'\nreason = 'none'\n",
    )?;
    let report = |format: &str| dir.join(format!("report.{format}"));
    let formats = ["junit", "github", "markdown", "sarif"];
    let reports = formats.map(|format| format!("--report={format}:{}", report(format).display()));
    let options = [&["--suppressions".to_owned(), file.display().to_string()][..], &reports].concat();
    let stopped = vet::vet_with(&options, &mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
    ensure!(stopped.outcome.code == Some(1), "{}", vet::last_words(&stopped.outcome));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("run/report.json"))?)?;
    ensure!(checks(&json, "/suppressed") == ["real-deadlock"] && checks(&json, "/findings").is_empty(), "{json}");
    ensure!(json["task"]["stopped"] == true && json.get("unused_suppressions").is_none(), "{json}");
    ensure!(!stopped.outcome.stderr.contains("the check that says why is off"), "{}", stopped.outcome.stderr);
    // No format for machines is green.
    let why = "mpivet stopped the job, because it could never have gone on";
    for (format, said) in [
        ("junit", format!("<failure message=\"{why}\" type=\"analysis\">")),
        ("junit", " failures=\"1\" ".to_owned()),
        ("github", format!("::error title=mpivet::{why}%0A1 finding suppressed (")),
        ("markdown", format!("\n- {why}\n")),
        ("sarif", "\"exitCode\": 1".to_owned()),
    ] {
        let text = std::fs::read_to_string(report(format))?;
        ensure!(text.contains(&said) && !text.contains("No errors found"), "no `{said}` in {format}:\n{text}");
    }
    schema::check_junit(&report("junit"))?;
    Ok(())
}

/// Known findings of libraries are counted, do not count, and can be asked for. The same mistakes in the program do
/// count.
#[test]
fn what_is_known_of_libraries_is_accepted() -> Result<()> {
    let mpi = main_mpi()?;
    let dir = scratch().join("gate-shipped");
    std::fs::create_dir_all(&dir)?;
    let (source, library) = (root().join("tests/programs/shipped.c"), dir.join("MPI.cpython-311.so"));
    compile_to(&mpi, &library, &mpi.mpicc, &["-g", "-shared", "-fPIC", "-DLIBRARY"], &source)?;
    let program = dir.join("shipped");
    let linked = library.display().to_string();
    compile_to(&mpi, &program, &mpi.mpicc, &["-g", &linked], &source)?;
    let run = vet::vet(&mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
    ensure!(run.outcome.code == Some(0) && run.report.findings.is_empty(), "{}", vet::last_words(&run.outcome));
    for said in ["1 finding suppressed (shipped with mpivet:", "mpi4py", "BLACS"] {
        ensure!(run.outcome.stderr.contains(said), "{said}: {}", vet::last_words(&run.outcome));
    }
    let known = json(&analyze(&run.trace, &["--format", "json"])?)?;
    ensure!(checks(&known, "/suppressed") == ["leak-keyval", "overlapping"], "{known:#}");
    ensure!(known["unused_suppressions"].as_array().is_none_or(Vec::is_empty), "{known:#}");
    let asked = analyze(&run.trace, &["--no-shipped-suppressions", "--format", "json"])?;
    ensure!(
        checks(&json(&asked)?, "/findings") == ["leak-keyval", "overlapping"] && asked.code == Some(1),
        "{}",
        asked.stdout
    );
    // An entry of the user is the user's.
    let file = dir.join("own.toml");
    std::fs::write(&file, "[[suppress]]\ncheck = 'leak-keyval'\nlibrary = 'MPI.cpython-311.so'\nreason = 'mine'\n")?;
    let own = json(&analyze(&run.trace, &["--suppressions", &file.display().to_string(), "--format", "json"])?)?;
    let reasons: Vec<_> = own["suppressed"].as_array().context("suppressed")?.iter().map(|s| &s["reason"]).collect();
    ensure!(reasons.len() == 2 && reasons.contains(&&Value::from("mine")), "{own:#}");
    let other = vet::vet(&mpi.job(2, &program, &["more".into()]), &dir.join("other"), LIMIT)?;
    let left = json(&analyze(&other.trace, &["--format", "json"])?)?;
    ensure!(checks(&left, "/findings") == ["leak-keyval"] && left["findings"][0]["sites"][0]["line"] == 37, "{left:#}");
    // The list can be read as a file of one's own.
    let mut command = command()?;
    command.arg("suppressions");
    let list = run::run(command, LIMIT)?;
    std::fs::write(&file, &list.stdout)?;
    let listed = analyze(&run.trace, &["--no-shipped-suppressions", "--suppressions", &file.display().to_string()])?;
    ensure!(list.code == Some(0) && listed.code == Some(0), "{}{}", list.stderr, listed.stdout);
    Ok(())
}

fn json(outcome: &Outcome) -> Result<Value> {
    Ok(serde_json::from_str(&outcome.stdout)?)
}
