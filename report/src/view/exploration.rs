//! The runs of one program (`mpivet run --explore`).

use crate::plural::plural;
use serde::Serialize;
use std::fmt::Write as _;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    Ended,
    /// Stopped, because it could never have gone on.
    Stopped,
    /// Its wildcards did not take the messages of the witness.
    Astray,
    /// It did not end in time and was stopped.
    Late,
    /// The user ended it.
    Interrupted,
    /// No rank left a trace.
    NoTrace,
}

/// One run of an exploration.
#[derive(Debug, Clone, Serialize)]
pub struct RunView {
    /// Number, from 1.
    pub run: usize,
    /// Directory of its trace, in that of the exploration.
    pub dir: String,
    /// The witness whose messages its wildcards took.
    pub under: Option<String>,
    pub end: RunEnd,
    /// The launcher's exit code; `None`: mpivet stopped the job.
    pub exit_code: Option<u8>,
    /// Findings that no run before had.
    pub new_findings: usize,
}

/// The result of an exploration.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Exploration {
    pub dir: String,
    pub runs: Vec<RunView>,
    /// Messages that wildcard calls took, each in each state of its process once.
    pub matchings: usize,
    /// Witnesses that are known and were not tried.
    pub left: usize,
    /// No choice is left, and none is unknown.
    pub complete: bool,
    /// Why not all was explored.
    pub why: Option<String>,
}

impl Exploration {
    /// The result in lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let runs = plural(self.runs.len(), "run");
        let matchings = match self.matchings {
            0 => "no wildcards".to_owned(),
            n => plural(n, "matching"),
        };
        let end = match &self.why {
            None => "none left".to_owned(),
            Some(why) => format!("not all: {why}"),
        };
        let mut lines = vec![format!("explored: {runs}, {matchings}, {end}")];
        lines.extend(self.runs.iter().filter_map(RunView::line));
        lines
    }
}

impl RunView {
    /// A line on the run, if it was special.
    fn line(&self) -> Option<String> {
        let mut what = match self.end {
            RunEnd::Ended => String::new(),
            RunEnd::Stopped => "stopped, because it could never have gone on".into(),
            RunEnd::Astray => "the program took another way than the witness".into(),
            RunEnd::Late => "stopped, because it did not end in time; nothing of it is reported".into(),
            RunEnd::Interrupted => "ended from outside".into(),
            RunEnd::NoTrace => "no rank called MPI_Init".into(),
        };
        let mut add = |more: String| {
            let comma = if what.is_empty() { "" } else { "; " };
            _ = write!(what, "{comma}{more}");
        };
        if let Some(code) = self.exit_code.filter(|code| *code != 0) {
            add(format!("exit code {code}"));
        }
        if self.new_findings > 0 && self.run > 1 {
            add(plural(self.new_findings, "new finding"));
        }
        let under = self.under.as_ref().map(|u| format!(", under {u}")).unwrap_or_default();
        (!what.is_empty()).then(|| format!("  run {}{under}: {what}", self.run))
    }
}
