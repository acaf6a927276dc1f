//! Reports: findings and what is known of the run in, text or JSON out. Nothing here knows how a finding was made.
//! [`Report`] is what all formats render; its serialized form is the JSON report (`analyzer/schema/report.schema.json`).

mod build;
mod exploration;
mod graph;
mod html;
mod json;
mod queues;
mod text;
mod view;

use crate::engine::Queued;
use crate::engine::limit::Hidden;
use crate::load::Damage;
use crate::samples::Samples;
use crate::timeline::Timeline;
use crate::worlds::Names;
use queues::QueueView;
use serde::Serialize;
use view::{FindingView, Mpi, SampleView, Task};

pub use exploration::{Exploration, FindingKey, Potential, RunEnd, RunView};
pub use json::SCHEMA;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
    /// The wait-for graphs of the findings, for `dot -Tsvg` of Graphviz
    Dot,
    /// A page for a browser, in one file: findings with their sources, a time line of all ranks
    Html,
}

impl Format {
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

/// Colours of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

impl Colour {
    /// Colours are for terminals, and only for people who want them (<https://no-color.org>).
    pub fn on(stream: &impl std::io::IsTerminal) -> Colour {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        if stream.is_terminal() && !unwanted { Colour::Ansi } else { Colour::Plain }
    }
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
}

/// A report, ready to be rendered.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    version: String,
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
    /// What the ranks did when, for the formats that show it.
    #[serde(skip)]
    pub(crate) timeline: Option<Timeline>,
    /// Advice on the report itself: what would make it better.
    #[serde(skip)]
    hints: Vec<String>,
    /// How many findings of a rank are shown.
    #[serde(skip)]
    max_findings: Option<u64>,
    #[serde(skip)]
    names: Names,
}

impl Report {
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

    /// Nothing was found, and nothing stood in the way of finding it.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.task.defects.is_empty()
    }

    /// The report as text for people.
    pub fn to_text(&self, colour: Colour) -> String {
        text::render(self, colour)
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        json::render(self)
    }

    /// The report in `format`; only text has colours.
    pub fn render(&self, format: Format, colour: Colour) -> String {
        match format {
            Format::Text => self.to_text(colour),
            Format::Json => self.to_json(),
            Format::Dot => graph::dot(self),
            Format::Html => html::render(self),
        }
    }
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
