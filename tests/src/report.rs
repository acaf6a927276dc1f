//! The JSON report, as far as the tests look into it.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::fmt;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// The exploration, in a report of several runs; else null.
    pub exploration: Value,
    /// The jobs of `mpivet run --each`; else null.
    pub jobs: Value,
}

#[derive(Debug, Clone)]
pub struct Finding {
    pub check: String,
    pub code: String,
    pub severity: String,
    pub message: String,
    pub ranks: Vec<i64>,
    pub sites: Vec<Site>,
    /// The run of an exploration that showed it first, and the one in which it came true.
    pub run: Option<u64>,
    pub came_true: Option<u64>,
    /// The jobs of `mpivet run --each` that showed it.
    pub jobs: Vec<u64>,
}

/// A call that a finding names.
#[derive(Debug, Clone)]
pub struct Site {
    pub rank: i64,
    pub function: String,
    /// The name of the source file without its directory; empty if it is not known.
    pub file: String,
    pub line: usize,
    pub source: String,
}

impl Report {
    pub fn parse(text: &str) -> Result<Report> {
        let json: Value = serde_json::from_str(text).context("the report is not JSON")?;
        for key in ["findings", "task", "mpi", "version", "schema"] {
            ensure!(json.get(key).is_some(), "the report has no `{key}`");
        }
        let findings = json["findings"].as_array().context("`findings` is no list")?;
        let exploration = json["exploration"].clone();
        let findings = findings.iter().map(Finding::parse).collect::<Result<_>>()?;
        Ok(Report { findings, exploration, jobs: json["jobs"].clone() })
    }

    /// Findings that are more than notes.
    pub fn serious(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.severity != "note")
    }
}

impl Finding {
    fn parse(json: &Value) -> Result<Finding> {
        let string = |key: &str| json[key].as_str().map(str::to_owned).with_context(|| format!("no `{key}` in {json}"));
        let ranks = json["ranks"].as_array().with_context(|| format!("no `ranks` in {json}"))?;
        let sites = json["sites"].as_array().with_context(|| format!("no `sites` in {json}"))?;
        let finding = Finding {
            check: string("check")?,
            code: string("code")?,
            severity: string("severity")?,
            message: string("message")?,
            ranks: ranks.iter().filter_map(Value::as_i64).collect(),
            sites: sites.iter().map(Site::parse).collect(),
            run: json["run"].as_u64(),
            came_true: json["came_true"].as_u64(),
            jobs: json["jobs"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
        };
        ensure!(["error", "warning", "note"].contains(&finding.severity.as_str()), "severity `{}`", finding.severity);
        Ok(finding)
    }
}

impl Site {
    fn parse(json: &Value) -> Site {
        let string = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let file = string("file");
        Site {
            rank: json["rank"].as_i64().unwrap_or(-1),
            function: string("function"),
            file: Path::new(&file).file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
            line: json["line"].as_u64().unwrap_or(0) as usize,
            source: string("source"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ranks {:?}: {}", self.severity, self.check, self.ranks, self.message)?;
        self.sites
            .iter()
            .try_for_each(|s| write!(f, "\n      rank {} {} {}:{}  {}", s.rank, s.function, s.file, s.line, s.source))
    }
}
