//! The text report, for people: a summary, then each finding with the source line of every rank involved.

mod finding;
mod leaks;
mod line;
mod snippet;

use crate::plural::plural;
use crate::rank_ends::ends;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::style::Style;
use crate::view::{FindingView, Task, queue_lines};
use engine::worlds::Names;
use line::{Ink, Line};
use std::fmt::Write as _;

/// Defects of the trace that are listed.
const MAX_DEFECTS: usize = 20;

/// Limits of lists in a report.
#[derive(Clone, Copy)]
struct Limits {
    /// Places of a finding.
    places: usize,
    /// Different stacks at one place.
    stacks: usize,
    /// Other ways to a finding.
    ways: usize,
    /// Calls with one stack.
    calls: usize,
    /// Lines of who waits for whom.
    chain: usize,
    /// Lines of message queues.
    queues: usize,
    defects: usize,
}

impl Limits {
    /// The limits of the first view: a finding is not longer than a screen.
    const SHORT: Limits =
        Limits { places: 4, stacks: 4, ways: 3, calls: 4, chain: 8, queues: 12, defects: MAX_DEFECTS };
    const NONE: Limits = Limits {
        places: usize::MAX,
        stacks: usize::MAX,
        ways: usize::MAX,
        calls: usize::MAX,
        chain: usize::MAX,
        queues: usize::MAX,
        defects: usize::MAX,
    };
}

pub(crate) const FORMAT: Rendering = Rendering {
    name: "text",
    help: None,
    extension: "txt",
    render,
    failure: |why| format!("mpivet: no report: {why}\n"),
    needs: Needs::FINDINGS,
};

fn render(report: &Report, style: Style) -> String {
    let limits = if style.full { Limits::NONE } else { Limits::SHORT };
    let mut page = Page { text: String::new(), names: report.names.clone(), style, limits, is_cut: false };
    if report.jobs.is_empty() {
        page.summary(report);
    } else {
        page.jobs(report);
    }
    for finding in report.findings.iter().filter(|finding| !finding.is_leak()) {
        page.names.clone_from(report.names_of(finding));
        page.finding(finding);
    }
    page.leaks(report);
    page.names.clone_from(&report.names);
    page.hidden(report);
    page.queues(report);
    page.end(report);
    if page.is_cut {
        page.line("hint: --full shows what is left out here");
    }
    page.text
}

/// A finding, as in the report.
pub(super) fn finding(finding: &FindingView, names: &Names) -> String {
    let mut page = Page::plain(names);
    page.finding(finding);
    page.text.trim_start().to_owned()
}

/// Text besides findings: damage of the trace, jobs that were stopped, findings that were set aside, runs that were
/// explored, advice.
pub(super) fn remarks(report: &Report) -> String {
    let mut page = Page::plain(&report.names);
    report.circumstances().iter().for_each(|line| page.line(line));
    page.end(report);
    page.text.trim_start().to_owned()
}

struct Page {
    text: String,
    names: Names,
    style: Style,
    limits: Limits,
    /// Something was left out.
    is_cut: bool,
}

impl Page {
    fn plain(names: &Names) -> Page {
        let style = Style::of_file(false);
        Page { text: String::new(), names: names.clone(), style, limits: Limits::SHORT, is_cut: false }
    }

    fn end(&mut self, report: &Report) {
        self.defects(&report.task);
        for hint in &report.hints {
            self.line(&format!("hint: {hint}"));
        }
    }

    fn line(&mut self, text: &str) {
        self.push(Line::new(self.style).text(text));
    }

    fn push(&mut self, line: Line) {
        self.text.push_str(&line.finish());
    }

    /// A line that says what is left out.
    fn cut(&mut self, text: &str) {
        self.is_cut = true;
        self.line(text);
    }

    fn summary(&mut self, report: &Report) {
        let task = &report.task;
        let mut head = format!("mpivet: {}", task.program);
        for argument in &task.arguments {
            _ = write!(head, " {argument}");
        }
        _ = write!(head, ", {}", plural(task.ranks.max(0) as usize, "rank"));
        if !report.mpi.library.is_empty() {
            _ = write!(head, ", {}", library(&report.mpi.library));
        }
        if !report.mpi.standard.is_empty() {
            _ = write!(head, " (MPI {})", report.mpi.standard);
        }
        let mut head = self.new_line().ink(Ink::Bold, &head);
        for what in report.interruption().into_iter().chain(report.missing()) {
            head = head.text(": ").ink(Ink::Yellow, &what);
        }
        self.push(head);
        for (what, ranks) in ends(&task.ended) {
            self.line(&format!("  {}: {what}", self.names.list(&ranks)));
        }
        if task.stopped {
            self.line("  mpivet stopped the job, because it could never have gone on");
        }
        let calls: u64 = task.ended.iter().map(|e| e.calls).sum();
        let looked_at = match &report.exploration {
            Some(explored) => plural(explored.runs.len(), "run"),
            None => plural(calls as usize, "MPI call"),
        };
        if report.findings.is_empty() && report.set_aside() == 0 {
            self.line(&format!("  {}", report.verdict_without_findings(&looked_at)));
        } else {
            let (errors, warnings) = (plural(task.errors, "error"), plural(task.warnings, "warning"));
            let notes = plural(task.notes, "note");
            self.line(&format!("  {errors}, {warnings}, {notes} in {looked_at}"));
        }
        for line in report.gate_lines() {
            self.line(&format!("  {line}"));
        }
        let dir = report.exploration.as_ref().map_or(&task.trace_dir, |explored| &explored.dir);
        match dir.is_empty() {
            true => self.line("  trace: removed (--keep always keeps it)"),
            false => self.line(&format!("  trace: {dir}")),
        }
        for note in report.samples.iter().filter_map(|s| s.note.as_deref()) {
            self.line(&format!("  {note}"));
        }
        for line in report.exploration.iter().flat_map(|explored| explored.lines()) {
            self.line(&format!("  {line}"));
        }
    }

    /// The jobs of a command that started several.
    fn jobs(&mut self, report: &Report) {
        for (at, line) in crate::jobs::summary(report).iter().enumerate() {
            let ink = |line: &str, page: &Page| page.new_line().ink(Ink::Bold, line);
            if at == 0 { self.push(ink(line, self)) } else { self.line(line) }
        }
    }

    /// Findings beyond the limit.
    fn hidden(&mut self, report: &Report) {
        let Some(most) = report.max_findings else { return };
        let mut groups: Vec<(u64, Vec<i32>)> = Vec::new();
        let mut lines = Vec::new();
        for hidden in &report.task.hidden {
            match (hidden.process, groups.iter_mut().find(|g| g.0 == hidden.findings)) {
                (None, _) => lines.push(("collective operations".to_owned(), hidden.findings, "")),
                (Some(rank), Some(group)) => group.1.push(rank),
                (Some(rank), None) => groups.push((hidden.findings, vec![rank])),
            }
        }
        for (findings, ranks) in groups {
            lines.push((self.names.list(&ranks), findings, if ranks.len() == 1 { "" } else { " each" }));
        }
        if !lines.is_empty() {
            self.line("");
        }
        for (whose, findings, each) in lines {
            let (n, are) = (plural(findings as usize, "more finding"), if findings == 1 { "is" } else { "are" });
            self.line(&format!("{whose}: {n}{each} {are} not shown; --max-findings {most}"));
        }
    }

    /// The queues of the processes that hang: those of others are as they happened to be.
    fn queues(&mut self, report: &Report) {
        let waiters = |job: usize| {
            let of_job = report.findings.iter().filter(|f| job == 0 || f.jobs.first() == Some(&job));
            of_job.flat_map(|f| &f.waits).map(|w| w.process).collect()
        };
        let most = self.limits.queues;
        let own = (String::new(), queue_lines(&report.queues, &waiters(0), &self.names, most));
        let of_jobs = report.jobs.iter().map(|job| {
            let lines = queue_lines(&job.queues, &waiters(job.job), &job.names, most);
            (format!(" of job {}", job.job), lines)
        });
        for (whose, (lines, more)) in [own].into_iter().chain(of_jobs).filter(|(_, (lines, _))| !lines.is_empty()) {
            self.line("");
            let head = self.new_line().ink(Ink::Bold, &format!("message queues at the end{whose}:"));
            self.push(head);
            lines.iter().for_each(|line| self.line(&format!("  {line}")));
            if more > 0 {
                self.cut(&format!("  ... and {more} more"));
            }
        }
    }

    fn defects(&mut self, task: &Task) {
        if task.defects.is_empty() {
            return;
        }
        self.line("");
        let label = self.new_line().ink(Ink::Yellow, "warning");
        self.push(label.text(": the trace is incomplete, and so is this report:"));
        for d in task.defects.iter().take(self.limits.defects) {
            let text = format!("  {}", d.words(&self.names));
            self.line(&text);
        }
        let more = task.defects.len().saturating_sub(self.limits.defects);
        if more > 0 {
            self.cut(&format!("  ... and {more} more"));
        }
    }
}

/// The first words of what the library says of itself: the rest is its configuration.
fn library(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").replace('\t', " ");
    let line = line.split(',').next().unwrap_or("").trim();
    line.split_whitespace().filter(|word| *word != "Version:").collect::<Vec<_>>().join(" ")
}
