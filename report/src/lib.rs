//! Reports: from findings and facts of the run to one of several formats. Nothing here knows how a finding was made.
//! [`Report`] is rendered by all formats; its serialized form is the JSON report
//! (`report/schema/report.schema.json`).

#![forbid(unsafe_code)]

mod build;
mod call_context;
mod callers;
mod clean;
pub mod csv;
mod damage;
mod debuginfod;
mod exploration;
mod finding_calls;
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
mod markdown;
pub mod merge;
mod order;
pub mod phases;
mod places;
mod protocol;
mod queues;
pub mod samples;
mod sarif;
mod set_aside;
mod source;
mod statement;
pub mod statistics;
mod style;
mod subject;
pub mod symbols;
mod text;
pub mod timeline;
mod view;

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

pub use call_context::{AFTER, BEFORE, CallContext, ObjectNames, Passed, Place};
pub use clean::{line as clean_line, lines as clean_text};
pub use damage::Damage;
pub use exploration::{Exploration, Potential, RunEnd, RunView};
pub use finding_calls::FindingCall;
pub use fingerprint::FindingKey;
pub(crate) use fingerprint::VERSION as FINGERPRINT_VERSION;
pub use jobs::{JobReport, command_line};
pub use json::{SCHEMA, SCHEMA_FILE};
pub use protocol::ProtocolListener;
pub use protocol::{FRAGMENTS, environment};
pub use style::{Colour, Style, When};

/// The format of a report.
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

/// The least severity of a finding that makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Note,
    Never,
}

/// The outcome of a report on a trace of which a part is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Incomplete {
    /// Without findings the exit code is 3: nobody knows whether there are none
    #[default]
    Fail,
    /// It is accepted
    Ok,
}

/// Facts of the run apart from its events.
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
    /// Limit of the findings of a rank that are shown; `None`: all.
    pub max_findings: Option<u64>,
    /// Findings that are not shown.
    pub hidden: Vec<Hidden>,
    /// The message queues at the end of a run that did not come to its end.
    pub queues: Vec<Queued>,
    /// Names of the processes.
    pub names: Names,
    /// Parts that were not checked, and why.
    pub remarks: Vec<String>,
    /// Readings of performance variables while it ran.
    pub samples: Samples,
    /// The checks that were made.
    pub checks: Vec<&'static CheckInfo>,
    /// The working directory, to which paths of sources are relative.
    pub directory: PathBuf,
}

/// A report, ready to be rendered.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    version: String,
    /// The reason why there is no report: the other fields are empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    mpi: Mpi,
    task: Task,
    findings: Vec<FindingView>,
    /// The message queues at the end of a run that did not come to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueView>,
    /// Readings of performance variables, with `--pvars`.
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
    /// The findings of an earlier report.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineView>,
    /// The run in numbers, if they were asked for. Not in the JSON report: `mpivet stats --format json` has it.
    #[serde(skip)]
    pub statistics: Option<Statistics>,
    /// The report is of several jobs, and `task` of the command that has started them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<JobView>,
    /// The states of the ranks over time, for the formats that show them.
    #[serde(skip)]
    pub timeline: Option<Timeline>,
    /// Parts that were not checked, and why; advice for a better report.
    #[serde(rename = "remarks", skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    /// Limit of the findings of a rank that are shown.
    #[serde(skip)]
    max_findings: Option<u64>,
    #[serde(skip)]
    names: Names,
    /// Further data for [`Format::Protocol`].
    #[serde(skip)]
    protocol: Option<protocol::Protocol>,
    /// The phases of the analysis and how many seconds each took. No two runs have the same: not in the JSON.
    #[serde(skip)]
    pub phases: Vec<(&'static str, f64)>,
    /// Calls in laps that were as those before them, so that they were only counted.
    #[serde(skip)]
    pub leapt: u64,
    /// The checks that were made.
    #[serde(skip)]
    checks: Vec<&'static CheckInfo>,
    #[serde(skip)]
    directory: PathBuf,
    #[serde(skip)]
    fail_on: FailOn,
    #[serde(skip)]
    incomplete: Incomplete,
    /// The traces have more than reports show: the program's own arrays, or readings of performance variables.
    #[serde(skip)]
    has_more: bool,
}

impl Report {
    /// The report in the place of one that could not be made.
    fn failed(why: &str) -> Report {
        Report { failure: Some(why.to_owned()), ..jobs::empty(String::new(), &[]) }
    }

    /// Sets the severity that makes the exit code 1, which formats for machines show, too.
    pub fn gated(mut self, on: FailOn) -> Report {
        self.fail_on = on;
        self
    }

    /// Sets whether an incomplete trace is accepted.
    pub fn accepting(mut self, incomplete: Incomplete) -> Report {
        self.incomplete = incomplete;
        self
    }

    /// Is a part of the trace missing, which nobody accepts? Undetected mistakes may be there.
    pub fn is_incomplete(&self) -> bool {
        self.has_gaps() && self.incomplete == Incomplete::Fail
    }

    /// Missing parts of the trace of a job that is over, unless the user wanted it so. More of a running job will
    /// follow.
    fn gaps(&self) -> impl Iterator<Item = &view::Defect> {
        let is_running = self.task.ended.iter().any(|rank| rank.end == "running");
        self.task.defects.iter().filter(move |defect| !is_running && !defect.is_wanted)
    }

    fn has_gaps(&self) -> bool {
        self.gaps().next().is_some()
    }

    /// The missing parts of the trace, in one line.
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

    /// The run in numbers, if they were asked for.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }

    /// Takes the numbers out of the report.
    pub fn take_statistics(&mut self) -> Option<Statistics> {
        self.statistics.take()
    }

    /// The program that was run, and its arguments.
    pub fn command(&self) -> (&str, &[String]) {
        (&self.task.program, &self.task.arguments)
    }

    /// Parts of the traces that could not be read, in words.
    pub fn defects(&self) -> Vec<String> {
        self.task.defects.iter().map(|defect| defect.words(&self.names)).collect()
    }

    /// There are no findings, and nothing prevented finding them.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.task.defects.is_empty() && !self.was_stopped()
    }

    /// Is there anything in the traces that somebody may want to look for?
    pub fn leaves_questions(&self) -> bool {
        !self.is_clean() || self.has_more || self.was_interrupted() || self.task.ended.iter().any(|r| r.end != "normal")
    }

    /// Forgets the traces, which are removed.
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

    /// The interruption in words.
    fn interruption(&self) -> Option<String> {
        self.task.interrupted.as_ref().map(|signal| format!("interrupted by {signal}"))
    }

    /// There is no finding, neither one that counts nor one that was set aside, and no job had to be stopped.
    fn found_nothing(&self) -> bool {
        self.findings.is_empty() && self.set_aside() == 0 && !self.was_stopped()
    }

    /// The verdict if no finding counts, of so many calls or runs.
    fn verdict_without_findings(&self, looked_at: &str) -> String {
        match self.set_aside() {
            0 if self.was_stopped() => "the check that says why is off".to_owned(),
            0 if self.has_gaps() => format!("the recorded part, {looked_at}, has no errors"),
            0 => format!("no errors found in {looked_at}"),
            _ => format!("no errors besides those that were accepted in {looked_at}"),
        }
    }

    /// Lines besides findings and defects: jobs that were stopped, findings that were set aside, runs that were
    /// explored.
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

    /// These lines, and advice on the report itself.
    fn remarks(&self) -> Vec<String> {
        self.circumstances().into_iter().chain(self.hints.iter().cloned()).collect()
    }

    /// The report as text for people.
    pub fn to_text(&self, style: impl Into<Style>) -> String {
        text::render(self, style.into())
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        json::render(self)
    }

    /// The report in `format`; only text has a style.
    pub fn render(&self, format: Format, style: impl Into<Style>) -> String {
        match format {
            Format::Text => self.to_text(style),
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
