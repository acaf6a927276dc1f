//! Reports: findings and what is known of the run in, one of several formats out. Nothing here knows how a finding was made.
//! [`Report`] is what all formats render; its serialized form is the JSON report (`report/schema/report.schema.json`).

#![forbid(unsafe_code)]

mod build;
mod clean;
pub mod csv;
mod damage;
mod debuginfod;
mod exploration;
mod fingerprint;
mod format;
pub mod gate;
mod github;
mod graph;
mod groups;
mod html;
mod jobs;
mod json;
mod junit;
mod look;
mod markdown;
mod marks;
mod order;
pub mod paths;
mod places;
mod protocol;
mod queues;
pub mod samples;
mod sarif;
mod set_aside;
mod source;
pub mod stages;
mod statement;
pub mod statistics;
mod subject;
pub mod symbols;
mod text;
pub mod timeline;
mod trail;
mod view;
mod ways;

use crate::samples::Samples;
use crate::statistics::Statistics;
use crate::timeline::Timeline;
use clean::Clean as _;
use engine::Queued;
use engine::limit::Hidden;
use engine::worlds::Names;
use jobs::JobView;
use queues::QueueView;
use serde::Serialize;
use set_aside::{BaselineView, SuppressedView, UnusedView};
use std::path::PathBuf;
use trace_format::catalogue::CheckInfo;
use view::{FindingView, Mpi, SampleView, Task};

pub use clean::{line as clean_line, lines as clean_text};
pub use damage::Damage;
pub use exploration::{Exploration, Potential, RunEnd, RunView};
pub use fingerprint::FindingKey;
pub(crate) use fingerprint::VERSION as FINGERPRINT_VERSION;
pub use jobs::{JobReport, command_line};
pub use json::{SCHEMA, SCHEMA_FILE};
pub use look::{Colour, Look, When};
pub use marks::Mark;
pub use protocol::Seen;
pub use protocol::{FRAGMENTS, environment};
pub use trail::{AFTER, BEFORE, ObjectNames, Passed, Place, Trail};

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
    /// The wait-for graphs of the findings, for `dot -Tsvg` of Graphviz
    Dot,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// JUnit XML: a test case for each check
    Junit,
    /// Annotations of GitHub, and a table on the page of the step
    Github,
    /// A short table, for people
    Markdown,
    /// Tables of everything: the task, each process, its errors with the calls around them, deadlocks, calls and times
    Protocol,
    /// A page for a browser, in one file: findings with their sources, a time line of all ranks
    Html,
}

impl Format {
    /// Is a report in this format about more than findings?
    pub fn needs_protocol(self) -> bool {
        self == Format::Protocol
    }

    /// Does a report in this format show statistics of the run?
    pub fn needs_statistics(self) -> bool {
        match self {
            Format::Text | Format::Json | Format::Dot => false,
            Format::Sarif | Format::Junit | Format::Github | Format::Markdown => false,
            Format::Protocol | Format::Html => true,
        }
    }

    /// Does it show the time line of the run?
    pub fn shows_timeline(self) -> bool {
        self == Format::Html
    }
}

/// From which severity on a finding makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Note,
    Never,
}

/// What is made of a report on a trace of which something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Incomplete {
    /// Without findings the exit code is 3: nobody knows whether there are none
    #[default]
    Fail,
    /// It is accepted
    Ok,
}

/// What is known of the run apart from its events.
#[derive(Debug, Clone, Default)]
pub struct RunInfo {
    pub mpi: trace_format::job::Mpi,
    pub program: String,
    pub arguments: Vec<String>,
    /// Ranks of MPI_COMM_WORLD.
    pub ranks: i32,
    pub missing: Vec<i32>,
    /// Ranks whose processes still live.
    pub running: Vec<i32>,
    /// mpivet stopped the job.
    pub stopped: bool,
    /// The signal by which the user ended the job.
    pub interrupted: Option<i32>,
    /// The program has put arrays of its own into the traces.
    pub has_dumps: bool,
    pub trace_dir: String,
    pub damage: Vec<Damage>,
    /// How many findings of a rank are shown; `None`: all.
    pub max_findings: Option<u64>,
    /// Findings that are not shown.
    pub hidden: Vec<Hidden>,
    /// The message queues at the end of a run that did not come to its end.
    pub queues: Vec<Queued>,
    /// What processes are called.
    pub names: Names,
    /// What was not checked, and why.
    pub remarks: Vec<String>,
    /// What performance variables said while it ran.
    pub samples: Samples,
    /// What was looked for.
    pub checks: Vec<&'static CheckInfo>,
    /// The working directory, from which paths of sources are told.
    pub directory: PathBuf,
}

/// A report, ready to be rendered.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    version: String,
    /// There is no report, for this reason: the rest says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    mpi: Mpi,
    task: Task,
    findings: Vec<FindingView>,
    /// The message queues at the end of a run that did not come to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueView>,
    /// What performance variables said, with `--pvars`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples: Vec<SampleView>,
    /// The report is of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    exploration: Option<Exploration>,
    /// Findings that somebody has accepted: they count nowhere else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<SuppressedView>,
    /// Suppressions that covered nothing, if all was seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unused_suppressions: Vec<UnusedView>,
    /// What an earlier report knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineView>,
    /// What the run did, in numbers, where somebody asked for it. Not in the JSON
    /// report: `mpivet stats --format json` has it.
    #[serde(skip)]
    pub statistics: Option<Statistics>,
    /// The report is of several jobs, and `task` of the command that has started them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<JobView>,
    /// What the ranks did when, for the formats that show it.
    #[serde(skip)]
    pub timeline: Option<Timeline>,
    /// What was not checked, and why; advice on the report itself: what would make it better.
    #[serde(rename = "remarks", skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    /// How many findings of a rank are shown.
    #[serde(skip)]
    max_findings: Option<u64>,
    #[serde(skip)]
    names: Names,
    /// What [`Format::Protocol`] needs besides.
    #[serde(skip)]
    protocol: Option<protocol::Protocol>,
    /// The stages of the analysis and how many seconds each took. No two runs have the same: not in the JSON.
    #[serde(skip)]
    pub stages: Vec<(&'static str, f64)>,
    /// Calls in laps that were as those before them, so that they were counted only.
    #[serde(skip)]
    pub leapt: u64,
    /// What was looked for.
    #[serde(skip)]
    checks: Vec<&'static CheckInfo>,
    #[serde(skip)]
    directory: PathBuf,
    #[serde(skip)]
    fail_on: FailOn,
    #[serde(skip)]
    incomplete: Incomplete,
    /// The traces have what no report shows: the program's own arrays, or what performance variables said.
    #[serde(skip)]
    has_more: bool,
}

impl Report {
    /// What is written in the place of a report that could not be made.
    fn failed(why: &str) -> Report {
        Report { failure: Some(why.to_owned()), ..jobs::empty(String::new(), &[]) }
    }

    /// Sets what makes the exit code 1, which formats for machines tell, too.
    pub fn gated(mut self, on: FailOn) -> Report {
        self.fail_on = on;
        self
    }

    /// Sets whether it is accepted that something is missing of the trace.
    pub fn accepting(mut self, incomplete: Incomplete) -> Report {
        self.incomplete = incomplete;
        self
    }

    /// Is something missing of the trace, which nobody accepts? What was not found may be there.
    pub fn is_incomplete(&self) -> bool {
        self.has_gaps() && self.incomplete == Incomplete::Fail
    }

    /// What is missing of the trace of a job that is over, unless the user wanted it so. A running job has more to say.
    fn gaps(&self) -> impl Iterator<Item = &view::Defect> {
        let is_running = self.task.ended.iter().any(|rank| rank.end == "running");
        self.task.defects.iter().filter(move |defect| !is_running && !defect.is_wanted)
    }

    fn has_gaps(&self) -> bool {
        self.gaps().next().is_some()
    }

    /// What is missing of the trace, in one line.
    fn missing(&self) -> Option<String> {
        let first = self.gaps().next()?.words(&self.names);
        let more = match self.gaps().count() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        Some(format!("the trace is incomplete: {first}{more}"))
    }

    /// Does the finding make the exit code 1?
    fn is_failure(&self, finding: &FindingView) -> bool {
        match self.fail_on {
            FailOn::Error => finding.severity == "error",
            FailOn::Warning => finding.severity != "note",
            FailOn::Note => true,
            FailOn::Never => false,
        }
    }

    /// Is there a finding that makes the exit code 1?
    pub fn fails(&self, on: FailOn) -> bool {
        let Task { errors, warnings, notes, .. } = self.task;
        match on {
            FailOn::Error => errors > 0,
            FailOn::Warning => errors + warnings > 0,
            FailOn::Note => errors + warnings + notes > 0,
            FailOn::Never => false,
        }
    }

    /// What the run did, in numbers, if that was asked for.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }

    /// The same, for somebody who wants nothing else.
    pub fn take_statistics(&mut self) -> Option<Statistics> {
        self.statistics.take()
    }

    /// The program that was run, and its arguments.
    pub fn command(&self) -> (&str, &[String]) {
        (&self.task.program, &self.task.arguments)
    }

    /// What of the traces could not be read, in words.
    pub fn defects(&self) -> Vec<String> {
        self.task.defects.iter().map(|defect| defect.words(&self.names)).collect()
    }

    /// Nothing was found, and nothing stood in the way of finding it.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.task.defects.is_empty() && !self.was_stopped()
    }

    /// Is there anything that somebody may want to look for in the traces?
    pub fn leaves_questions(&self) -> bool {
        !self.is_clean() || self.has_more || self.was_interrupted() || self.task.ended.iter().any(|r| r.end != "normal")
    }

    /// The traces are removed when this is told.
    pub fn forget_traces(&mut self) {
        self.task.trace_dir.clear();
        self.exploration.iter_mut().for_each(|explored| explored.dir.clear());
        self.jobs.iter_mut().for_each(|job| job.task.trace_dir.clear());
    }

    /// mpivet stopped the job, or a run or job of several: a failure, whatever is looked for and accepted.
    fn was_stopped(&self) -> bool {
        let mut runs = self.exploration.iter().flat_map(|explored| &explored.runs);
        self.task.stopped || runs.any(|run| run.end == RunEnd::Stopped)
    }

    /// Did the user end the job before its time?
    pub fn was_interrupted(&self) -> bool {
        self.task.interrupted.is_some()
    }

    /// The same in words.
    fn interruption(&self) -> Option<String> {
        self.task.interrupted.as_ref().map(|signal| format!("interrupted by {signal}"))
    }

    /// There is no finding, neither one that counts nor one that was set aside, and no job had to be stopped.
    fn found_nothing(&self) -> bool {
        self.findings.is_empty() && self.set_aside() == 0 && !self.was_stopped()
    }

    /// What is said where no finding counts, of so many calls or runs.
    fn verdict_without_findings(&self, looked_at: &str) -> String {
        match self.set_aside() {
            0 if self.was_stopped() => "the check that says why is off".to_owned(),
            0 if self.has_gaps() => format!("what is there, {looked_at}, has no errors"),
            0 => format!("no errors found in {looked_at}"),
            _ => format!("no errors besides those that were accepted in {looked_at}"),
        }
    }

    /// What is to be told besides findings and defects: what was stopped, set aside and explored.
    fn circumstances(&self) -> Vec<String> {
        let stopped = self.task.stopped && self.jobs.is_empty();
        let stopped = stopped.then(|| "mpivet stopped the job, because it could never have gone on".to_owned());
        let explored = self.exploration.iter().flat_map(|explored| explored.lines());
        let explored = explored.map(|line| line.trim_start().to_owned());
        let stopped = stopped.or_else(|| Some(format!("the run was {}", self.interruption()?)));
        let mut all: Vec<String> =
            stopped.into_iter().chain(jobs::stopped(self)).chain(self.gate_lines()).chain(explored).collect();
        // A suppression file may say anything, too.
        all.clean();
        all
    }

    /// The same, with advice on the report itself.
    fn remarks(&self) -> Vec<String> {
        self.circumstances().into_iter().chain(self.hints.iter().cloned()).collect()
    }

    /// The report as text for people.
    pub fn to_text(&self, look: impl Into<Look>) -> String {
        text::render(self, look.into())
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        json::render(self)
    }

    /// The report in `format`; only text has a look.
    pub fn render(&self, format: Format, look: impl Into<Look>) -> String {
        match format {
            Format::Text => self.to_text(look),
            Format::Json => self.to_json(),
            Format::Dot => graph::dot(self),
            Format::Protocol if !self.jobs.is_empty() => jobs::protocols(self),
            Format::Protocol => protocol::render(self),
            Format::Sarif => sarif::render(self),
            Format::Junit => junit::render(self),
            Format::Github => github::render(self),
            Format::Markdown => markdown::render(self),
            Format::Html => html::render(self),
        }
    }
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
