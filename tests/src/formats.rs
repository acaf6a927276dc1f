//! Reports in all formats, made of one trace, and the goldens of `tests/formats/`: `BLESS=1` writes them.

use crate::compile::compile;
use crate::expect::Program;
use crate::golden::is_blessing;
use crate::mpi::Mpi;
use crate::normalize::normalize;
use crate::run::{self, Outcome};
use crate::vet::{self, vet_with};
use crate::{root, scratch};
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace_format::several::{Started, Wrapped, launch_path};

/// The trace of a program of the source tree, in a directory of its own below `name`.
pub fn trace(mpi: &Mpi, source: &str, ranks: Option<usize>, name: &str) -> Result<PathBuf> {
    let program = Program::read(&root().join(source))?;
    let executable = compile(mpi, &program.path, &scratch())?;
    let job = mpi.job(ranks.unwrap_or(program.ranks), &executable, &program.args);
    let dir = scratch().join("formats").join(name);
    Ok(vet_with(&program.options, &job, &dir, program.timeout)?.trace)
}

/// A directory as `mpivet run --each` leaves it, made of traces, which move there: each with the name that its directory
/// gets behind `job-`, and who started it.
pub fn several(name: &str, command: &[&str], jobs: Vec<(PathBuf, &str, Started)>) -> Result<PathBuf> {
    let dir = scratch().join("formats").join(name).join("trace");
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Wrapped { command: command.iter().map(|word| (*word).to_owned()).collect() }.write(&dir)?;
    for (i, (trace, name, started)) in jobs.into_iter().enumerate() {
        let job = dir.join(format!("job-{name}"));
        std::fs::rename(&trace, &job)?;
        let started = Started { unix_ns: i as u64 + 1, ..started };
        std::fs::write(launch_path(&job), serde_json::to_string(&started)?)?;
    }
    Ok(dir)
}

/// `mpivet analyze` in the top directory, outside of any CI.
pub fn analyze(trace: &Path, options: &[&str], environment: &[(&str, &Path)]) -> Result<Outcome> {
    let mut command = vet::command()?;
    command.arg("analyze").args(options).arg(trace).current_dir(root());
    for variable in ["GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(variable);
    }
    command.envs(environment.iter().copied());
    run::run(command, Duration::from_secs(30))
}

/// Makes the report of a trace in several formats at once; a file of each, beside the trace.
pub fn render(trace: &Path, formats: &[(&str, &str)]) -> Result<Vec<PathBuf>> {
    let file = |(_, extension): &(&str, &str)| trace.with_file_name(format!("report.{extension}"));
    let files: Vec<PathBuf> = formats.iter().map(file).collect();
    let pairs = formats.iter().zip(&files);
    let options: Vec<String> =
        pairs.map(|((format, _), file)| format!("--report={format}:{}", file.display())).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let outcome = analyze(trace, &options, &[])?;
    if !matches!(outcome.code, Some(0 | 1)) {
        bail!("mpivet analyze: exit code {:?}\n{}", outcome.code, vet::last_words(&outcome));
    }
    Ok(files)
}

/// A report without what differs between runs, machines and versions. What is JSON stays JSON.
pub fn steady(format: &str, report: &str) -> Result<String> {
    Ok(match format {
        "json" | "sarif" => {
            let mut json: Value = serde_json::from_str(report).context("no JSON")?;
            steady_json(&mut json);
            format!("{json:#}\n")
        }
        "junit" => {
            // Which checks passed is another matter, and the same in all reports.
            let passed = |line: &&str| line.trim_start().starts_with("<testcase ") && line.ends_with("/>");
            let lines: Vec<&str> = report.lines().filter(|line| !passed(line)).collect();
            let text = normalize(&(lines.join("\n") + "\n"));
            let counts = regex::Regex::new("tests=\"\\d+\"")?;
            counts.replace_all(&text, "tests=\"<number>\"").into_owned()
        }
        // A line of the message on a line of its own.
        "github" => normalize(&report.replace("%0A", "%0A\n")),
        _ => normalize(report),
    })
}

fn steady_json(value: &mut Value) {
    match value {
        Value::String(text) => *text = normalize(text),
        Value::Array(list) => list.iter_mut().for_each(steady_json),
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "offset" | "ruleIndex" if value.is_number() => *value = json!(0),
                    // That of the form itself stays.
                    "version" if value == "2.1.0" => {}
                    "library" | "standard" | "version" | "semanticVersion" if value.is_string() => {
                        *value = json!(format!("<{key}>"));
                    }
                    // What the system and the MPI library do below the program.
                    "stack" => retain(value, |frame| !frame["line"].is_null()),
                    // The page of a check is no part of a report.
                    "rules" => retain(value, |_| false),
                    "uri" if value.as_str().is_some_and(|uri| uri.starts_with("file://")) => *value = json!("<uri>"),
                    _ => {}
                }
                steady_json(value);
            }
        }
        _ => {}
    }
}

fn retain(list: &mut Value, wanted: impl Fn(&Value) -> bool) {
    if let Value::Array(list) = list {
        list.retain(wanted);
    }
}

/// Fails with the differences if the report is not the one kept in `tests/formats/`.
pub fn compare(file: &str, report: &str) -> Result<()> {
    let path = root().join("tests/formats").join(file);
    if is_blessing() {
        return Ok(std::fs::write(path, report)?);
    }
    let Ok(kept) = std::fs::read_to_string(&path) else {
        bail!("no report is kept in {}: BLESS=1 writes it. It would be\n{report}", path.display());
    };
    if kept != report {
        let diff = TextDiff::from_lines(kept.as_str(), report);
        let diff = diff.unified_diff().context_radius(3).header("kept", "now").to_string();
        bail!("{file} is not the report that is kept (BLESS=1 accepts it):\n{diff}");
    }
    Ok(())
}
