//! A report, before it has a form: what it holds, and what follows from that.

use crate::clean::{Clean as _, clean_lines};
use crate::damage::Damage;
use crate::plural::plural;
use crate::protocol_data::Protocol;
use crate::samples::Samples;
use crate::schema::SCHEMA;
use crate::statistics::Statistics;
use crate::timeline::Timeline;
use crate::view::{
    BaselineView, Defect, Exploration, FindingView, JobView, Mpi, QueueView, RunEnd, STOPPED, SampleView,
    SuppressedView, Task, UnusedView,
};
use engine::Queued;
use engine::limit::Hidden;
use engine::worlds::Names;
use serde::Serialize;
use std::path::PathBuf;
use trace_format::catalogue::CheckInfo;

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
    pub mpi: trace_format::run::job::Mpi,
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
    /// The signal by which the user ended the analysis, before it had read everything.
    pub cut: Option<i32>,
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
    pub(crate) schema: &'static str,
    pub(crate) version: String,
    /// The reason why there is no report: the other fields are empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    pub(crate) mpi: Mpi,
    pub(crate) task: Task,
    pub(crate) findings: Vec<FindingView>,
    /// The message queues at the end of a run that did not come to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) queues: Vec<QueueView>,
    /// Readings of performance variables, with `--pvars`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) samples: Vec<SampleView>,
    /// The report is of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exploration: Option<Exploration>,
    /// Findings that somebody has accepted: they count nowhere else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) suppressed: Vec<SuppressedView>,
    /// Suppressions that covered nothing, if all was seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unused_suppressions: Vec<UnusedView>,
    /// The findings of an earlier report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline: Option<BaselineView>,
    /// The run in numbers, if they were asked for. Not in the JSON report: `mpivet stats --format json` has it.
    #[serde(skip)]
    pub statistics: Option<Statistics>,
    /// The report is of several jobs, and `task` of the command that has started them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) jobs: Vec<JobView>,
    /// The states of the ranks over time, for the formats that show them.
    #[serde(skip)]
    pub timeline: Option<Timeline>,
    /// Parts that were not checked, and why; advice for a better report.
    #[serde(rename = "remarks", skip_serializing_if = "Vec::is_empty")]
    pub(crate) hints: Vec<String>,
    /// Limit of the findings of a rank that are shown.
    #[serde(skip)]
    pub(crate) max_findings: Option<u64>,
    #[serde(skip)]
    pub(crate) names: Names,
    /// Further data for [`crate::Format::Protocol`].
    #[serde(skip)]
    pub(crate) protocol: Option<Protocol>,
    /// The phases of the analysis and how many seconds each took. No two runs have the same: not in the JSON.
    #[serde(skip)]
    pub phases: Vec<(&'static str, f64)>,
    /// Calls in laps that repeat the laps before them, so that they were only counted.
    #[serde(skip)]
    pub leapt: u64,
    /// The checks that were made.
    #[serde(skip)]
    pub(crate) checks: Vec<&'static CheckInfo>,
    #[serde(skip)]
    pub(crate) directory: PathBuf,
    #[serde(skip)]
    pub(crate) fail_on: FailOn,
    #[serde(skip)]
    pub(crate) incomplete: Incomplete,
    /// The traces have more than reports show: the program's own arrays, or readings of performance variables.
    #[serde(skip)]
    pub(crate) has_more: bool,
    /// The signal by which the user ended the analysis, before it had read everything.
    #[serde(skip)]
    pub(crate) cut: Option<i32>,
}

impl Report {
    /// The report in the place of one that could not be made.
    pub(crate) fn failed(why: &str) -> Report {
        Report { failure: Some(why.to_owned()), ..Report::empty(String::new(), &[]) }
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

    /// Is a part of the trace missing, which nobody accepts, or was not read? Undetected mistakes may be there.
    pub fn is_incomplete(&self) -> bool {
        self.cut.is_some() || self.has_gaps() && self.incomplete == Incomplete::Fail
    }

    /// Missing parts of the trace of a job that is over, unless the user wanted it so. More of a running job will
    /// follow.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = &Defect> {
        let is_running = self.task.ended.iter().any(|rank| rank.end == "running");
        self.task.defects.iter().filter(move |defect| !is_running && !defect.is_wanted)
    }

    pub(crate) fn has_gaps(&self) -> bool {
        self.gaps().next().is_some()
    }

    /// The missing parts of the trace, in one line.
    pub(crate) fn missing(&self) -> Option<String> {
        let first = self.gaps().next()?.words(&self.names);
        let more = match self.gaps().count() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        Some(format!("the trace is incomplete: {first}{more}"))
    }

    /// Does the finding make the exit code 1?
    pub(crate) fn is_failure(&self, finding: &FindingView) -> bool {
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

    /// Did mpivet stop the job, or one of several runs or jobs? That is a failure, whichever checks are on and findings
    /// accepted.
    pub(crate) fn was_stopped(&self) -> bool {
        let mut runs = self.exploration.iter().flat_map(|explored| &explored.runs);
        self.task.stopped || runs.any(|run| run.end == RunEnd::Stopped)
    }

    /// Did the user end the job before its time?
    pub fn was_interrupted(&self) -> bool {
        self.task.interrupted.is_some()
    }

    /// The signal by which the user ended the analysis, before it had read everything.
    pub fn cut_by(&self) -> Option<i32> {
        self.cut
    }

    /// The interruption in words.
    pub(crate) fn interruption(&self) -> Option<String> {
        self.task.interrupted.as_ref().map(|signal| format!("interrupted by {signal}"))
    }

    /// There is no finding, neither one that counts nor one that was set aside, and no job had to be stopped.
    pub(crate) fn found_nothing(&self) -> bool {
        self.findings.is_empty() && self.set_aside() == 0 && !self.was_stopped()
    }

    /// The verdict if no finding counts, of so many calls or runs.
    pub(crate) fn verdict_without_findings(&self, looked_at: &str) -> String {
        match self.set_aside() {
            0 if self.was_stopped() => "the check that says why is off".to_owned(),
            0 if self.has_gaps() => format!("the recorded part, {looked_at}, has no errors"),
            0 => format!("no errors found in {looked_at}"),
            _ => format!("no errors besides those that were accepted in {looked_at}"),
        }
    }

    /// Lines besides findings and defects: jobs that were stopped, findings that were set aside, runs that were
    /// explored.
    pub(crate) fn circumstances(&self) -> Vec<String> {
        let stopped = self.task.stopped && self.jobs.is_empty();
        let stopped = stopped.then(|| "mpivet stopped the job, because it could never have gone on".to_owned());
        let explored = self.exploration.iter().flat_map(|explored| explored.lines());
        let explored = explored.map(|line| line.trim_start().to_owned());
        let stopped = stopped.or_else(|| Some(format!("the run was {}", self.interruption()?)));
        let mut all: Vec<String> =
            stopped.into_iter().chain(self.stopped_lines()).chain(self.gate_lines()).chain(explored).collect();
        // A suppression file may say anything, too.
        all.clean();
        all
    }

    /// These lines, and advice on the report itself.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.circumstances().into_iter().chain(self.hints.iter().cloned()).collect()
    }

    /// Findings that count nowhere, and are not in the list of findings.
    pub(crate) fn set_aside(&self) -> usize {
        self.suppressed.len() + self.baseline.as_ref().map_or(0, |b| b.known.len())
    }

    /// Lines on the findings that were set aside.
    pub(crate) fn gate_lines(&self) -> Vec<String> {
        let mut reasons: Vec<(&str, &str, usize)> = Vec::new();
        for s in &self.suppressed {
            match reasons.iter_mut().find(|(by, ..)| *by == s.by) {
                Some((.., times)) => *times += 1,
                None => reasons.push((&s.by, &s.reason, 1)),
            }
        }
        let suppressed = |(by, reason, times)| format!("{} suppressed ({by}): {reason}", plural(times, "finding"));
        let mut lines: Vec<String> = reasons.into_iter().map(suppressed).collect();
        let unused = |u: &UnusedView| format!("suppression {} covers nothing any more: {}", u.at, u.reason);
        lines.extend(self.unused_suppressions.iter().map(unused));
        lines.extend(self.baseline.as_ref().and_then(BaselineView::line));
        lines
    }

    /// A report without findings, of no run.
    pub(crate) fn empty(dir: String, command: &[String]) -> Report {
        let task = Task {
            program: command.first().cloned().unwrap_or_default(),
            arguments: command.iter().skip(1).cloned().collect(),
            ranks: 0,
            ended: Vec::new(),
            errors: 0,
            warnings: 0,
            notes: 0,
            stopped: false,
            interrupted: None,
            trace_dir: dir,
            defects: Vec::new(),
            hidden: Vec::new(),
        };
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            failure: None,
            mpi: Mpi { family: String::new(), library: String::new(), standard: String::new() },
            task,
            findings: Vec::new(),
            queues: Vec::new(),
            samples: Vec::new(),
            exploration: None,
            jobs: Vec::new(),
            suppressed: Vec::new(),
            unused_suppressions: Vec::new(),
            baseline: None,
            statistics: None,
            timeline: None,
            hints: Vec::new(),
            max_findings: None,
            names: Names::default(),
            protocol: None,
            checks: Vec::new(),
            directory: PathBuf::new(),
            fail_on: FailOn::Error,
            incomplete: Incomplete::default(),
            has_more: false,
            cut: None,
            phases: Vec::new(),
            leapt: 0,
        }
    }

    /// A line for each job that mpivet stopped.
    fn stopped_lines(&self) -> impl Iterator<Item = String> {
        let stopped = self.jobs.iter().filter(|job| job.task.stopped);
        stopped.map(|job| format!("{}: {STOPPED}", job.name()))
    }

    /// Makes everything that came from the trace fit to be shown.
    pub(crate) fn clean(&mut self) {
        let Report { mpi, task, findings, queues, samples, hints, jobs, .. } = self;
        mpi.family.clean();
        mpi.standard.clean();
        clean_lines(&mut mpi.library);
        task.program.clean();
        task.arguments.clean();
        task.trace_dir.clean();
        task.ended.iter_mut().for_each(|ended| ended.current.clean());
        task.defects.iter_mut().for_each(|defect| defect.what.clean());
        findings.clean();
        queues.clean();
        hints.clean();
        jobs.clean();
        samples.iter_mut().for_each(|sample| {
            sample.variable.clean();
            sample.note.clean();
        });
    }
}
