//! Reports in all formats, made of one trace.

use crate::compile::compile;
use crate::expect::Program;
use crate::mpi::Mpi;
use crate::run::{self, Outcome};
use crate::vet::{self, vet_with};
use crate::{root, schema, scratch};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace_format::run::jobs::{Started, Wrapped, launch_path};

/// Every format of a report but the text, and the ending of the file that is kept. A further one is a line.
pub const FORMATS: [(&str, &str); 8] = [
    ("json", "json"),
    ("sarif", "sarif"),
    ("junit", "xml"),
    ("github", "github"),
    ("markdown", "md"),
    ("dot", "dot"),
    ("protocol", "protocol"),
    ("html", "page.json"),
];

/// Fails if a report has not the published form of its format.
pub fn valid(format: &str, file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    match format {
        "json" => schema::check_report(&text),
        "sarif" => schema::check_sarif(&text),
        "junit" => schema::check_junit(file),
        _ => Ok(()),
    }
    .with_context(|| format!("{} ({format})", file.display()))
}

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
