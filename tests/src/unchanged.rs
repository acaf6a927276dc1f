//! Examples under options that must change nothing of what they do, nor of what is found.

use crate::examples::is_bug;
use crate::expect::Program;
use crate::mpi::Mpi;
use crate::{compile, root, scratch, vet};
use anyhow::{Result, ensure};
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);

/// Under a further option, an example has the findings that it announces; a correct one says what it says without mpivet.
///
/// # Errors
/// It has others, or says something else.
pub fn gives_the_same(mpi: &Mpi, program: &Program, option: &str, dir: &Path) -> Result<()> {
    let name = program.path.strip_prefix(root().join("examples"))?.display().to_string();
    let executable = compile::compile(mpi, &program.path, &scratch())?;
    let job = mpi.job(program.ranks, &executable, &program.args);
    let options = [program.options.clone(), vec![option.to_owned()]].concat();
    let dir = dir.join(format!("{}-{}", mpi.name, name.replace('/', "-")));
    let vetted = vet::vet_with(&options, &job, &dir, LIMIT)?;
    let mut complaints = program.complaints(&vetted.report);
    if is_bug(program) {
        let text = std::fs::read_to_string(dir.join("report.json"))?;
        complaints.retain(|complaint| !is_of_access(complaint, &text));
    }
    ensure!(complaints.is_empty(), "{name} under {}: {complaints:?}\n{}", mpi.name, vet::last_words(&vetted.outcome));
    if !is_bug(program) {
        let plain = vet::run_plain(&job, LIMIT)?;
        let sorted = |text: &str| {
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let (plain, said) = (sorted(&plain.stdout), sorted(&vetted.outcome.stdout));
        ensure!(plain == said, "{name} says something else with {option}");
    }
    Ok(())
}

/// Is the complaint that an access was found itself (`--precise`), and what is found without that option as what follows from it?
fn is_of_access(complaint: &str, report: &str) -> bool {
    match complaint.strip_prefix("missing: ") {
        Some(check) => report.contains(&format!("follows from it: {}:", check.split(' ').next().unwrap_or(check))),
        None => complaint.contains(" access-in-flight ranks "),
    }
}
