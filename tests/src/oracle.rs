//! Random programs that say how many of their accesses to memory are wrong, and what `--precise` reports of them.

use crate::mpi::Mpi;
use crate::vet;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);

/// The line that a finding names first, and how often it was found there.
pub type Reported = (u64, u64);

/// The findings of a report: code and place.
pub fn findings(report: &Path) -> Result<Vec<(String, Reported)>> {
    let json: Value = serde_json::from_str(&std::fs::read_to_string(report)?)?;
    let findings = json["findings"].as_array().context("no findings")?;
    let read = |finding: &Value| {
        let line = finding["sites"][0]["line"].as_u64().with_context(|| format!("no line: {finding}"))?;
        let code = finding["code"].as_str().context("no code")?;
        Ok((code.to_owned(), (line, finding["count"].as_u64().context("no count")?)))
    };
    findings.iter().map(read).collect()
}

/// The findings of one check.
pub fn reported(report: &Path, code: &str) -> Result<Vec<Reported>> {
    Ok(findings(report)?.into_iter().filter(|(other, _)| other == code).map(|(_, reported)| reported).collect())
}

/// A random program, whose lines that are wrong say so.
pub struct Program<'a> {
    /// The library that it was compiled for.
    pub mpi: &'a Mpi,
    pub executable: &'a Path,
    pub source: &'a [&'a str],
    /// Memory is closed by a key of the processor, where it has such; otherwise by the rights of pages.
    pub keys: bool,
}

impl Program<'_> {
    /// Runs it; how many accesses were wrong, and how many of them were found by a check. `dir`: for its files.
    pub fn run(&self, code: &str, (seed, rounds): (u64, u64), dir: &Path) -> Result<(u64, u64)> {
        let &Program { mpi, executable, source, keys } = self;
        let keys = format!("MPIVET_PRECISE_KEYS={}", if keys { "on" } else { "off" });
        let arguments = [keys, executable.display().to_string(), seed.to_string(), rounds.to_string()];
        let job = mpi.job(2, Path::new("/usr/bin/env"), &arguments);
        let vetted = vet::vet_with(&["--precise".to_owned()], &job, dir, LIMIT)?;
        let mut found = 0;
        for (line, count) in reported(&dir.join("report.json"), code)? {
            let text = source.get(line as usize - 1).copied().unwrap_or_default();
            ensure!(text.contains("a wrong "), "seed {seed}, {}: line {line} is reported: {text}", mpi.name);
            found += count;
        }
        let said: Vec<u64> = vetted.outcome.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        ensure!(said.len() == 2, "seed {seed}, {}:\n{}", mpi.name, vet::last_words(&vetted.outcome));
        Ok((said.iter().sum(), found))
    }
}
