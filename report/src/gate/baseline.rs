//! Baselines: the findings of an earlier report are known, and only new ones fail. A baseline is a JSON report.

use super::GateError;
use crate::fingerprint::VERSION as FINGERPRINT_VERSION;
use crate::schema::SCHEMA;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The findings of an earlier report.
#[derive(Debug, Default)]
pub struct Baseline {
    /// The file.
    pub name: String,
    /// Fingerprints of findings that are alike are numbered: two known ones cover two.
    pub fingerprints: BTreeSet<String>,
}

/// The fields of a JSON report that are read; others do not matter.
#[derive(Deserialize)]
struct Report {
    task: Task,
    findings: Vec<Finding>,
    baseline: Option<OlderBaseline>,
    #[serde(default)]
    jobs: Vec<Job>,
}

/// One of several jobs: its list has the findings that were left out of it.
#[derive(Deserialize)]
struct Job {
    task: Task,
}

#[derive(Deserialize)]
struct Task {
    #[serde(default)]
    hidden: Vec<Hidden>,
}

#[derive(Deserialize)]
struct Hidden {
    findings: u64,
}

#[derive(Deserialize)]
struct Finding {
    fingerprint: Option<String>,
}

/// The findings that were known when the baseline was made.
#[derive(Deserialize)]
struct OlderBaseline {
    known: Vec<Finding>,
}

impl Baseline {
    pub fn read(file: &Path) -> Result<Baseline, GateError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|why| GateError::Unreadable { file: name.clone(), why })?;
        Baseline::parse(&name, &text)
    }

    pub fn parse(name: &str, text: &str) -> Result<Baseline, GateError> {
        let fingerprints = fingerprints(text).map_err(|why| GateError::NoBaseline { file: name.to_owned(), why })?;
        Ok(Baseline { name: name.to_owned(), fingerprints })
    }
}

fn fingerprints(text: &str) -> Result<BTreeSet<String>, String> {
    let json: serde_json::Value = serde_json::from_str(text).map_err(|e| format!("it is not JSON ({e})"))?;
    match json.get("schema").and_then(serde_json::Value::as_str) {
        None => return Err("it is not a JSON report of mpivet (--format json)".into()),
        Some(SCHEMA) => {}
        Some(other) => return Err(format!("its form is {other}, and this mpivet reads {SCHEMA}; make it anew")),
    }
    if json.get("failure").is_some() {
        return Err("it says only why there was no report".into());
    }
    let report: Report = serde_json::from_value(json).map_err(|e| format!("it is damaged ({e})"))?;
    let tasks = report.jobs.iter().map(|job| &job.task).chain([&report.task]);
    let hidden: u64 = tasks.flat_map(|task| &task.hidden).map(|h| h.findings).sum();
    if hidden > 0 {
        return Err(format!("{hidden} findings were left out of it; make it with --max-findings 0"));
    }
    let known = report.baseline.map(|b| b.known).unwrap_or_default();
    let all: Option<BTreeSet<String>> =
        report.findings.into_iter().chain(known).map(|finding| finding.fingerprint).collect();
    all.filter(|all| all.iter().all(|one| one.starts_with(FINGERPRINT_VERSION)))
        .ok_or_else(|| format!("its findings have no fingerprints of the form {FINGERPRINT_VERSION}...; make it anew"))
}
