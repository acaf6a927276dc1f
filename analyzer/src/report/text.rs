//! The text report, for people: a summary, then each finding with the source line of every rank involved.

use super::build::MISSING;
use super::view::{Ended, FindingView, Frame, Site, Task};
use super::{Colour, Report, plural};
use crate::worlds::Names;
use std::fmt::Write as _;

/// Places of a finding that are shown in full.
const MAX_PLACES: usize = 8;
/// Different stacks shown at one place.
const MAX_STACKS: usize = 4;
/// Calls shown with one stack.
const MAX_CALLS: usize = 4;
/// Frames shown of a stack.
const MAX_FRAMES: usize = 8;
/// Defects of the trace that are listed.
const MAX_DEFECTS: usize = 20;

pub(super) fn render(report: &Report, colour: Colour) -> String {
    let mut page = Page { text: String::new(), names: report.names.clone(), colour };
    page.summary(report);
    for finding in &report.findings {
        page.finding(finding);
    }
    page.hidden(report);
    page.queues(report);
    page.end(report);
    page.text
}

/// One finding, as it is in the report.
pub(super) fn finding(finding: &FindingView, names: &Names) -> String {
    let mut page = Page { text: String::new(), names: names.clone(), colour: Colour::Plain };
    page.finding(finding);
    page.text.trim_start().to_owned()
}

/// What is to be told of the report itself: damage of the trace, advice.
pub(super) fn remarks(report: &Report) -> String {
    let mut page = Page { text: String::new(), names: report.names.clone(), colour: Colour::Plain };
    page.end(report);
    page.text.trim_start().to_owned()
}

#[derive(Clone, Copy)]
enum Ink {
    Red,
    Yellow,
    Cyan,
    Blue,
    Bold,
}

struct Page {
    text: String,
    names: Names,
    colour: Colour,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn ink(&self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Red => "1;31",
            Ink::Yellow => "1;33",
            Ink::Cyan => "1;36",
            Ink::Blue => "34",
            Ink::Bold => "1",
        };
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    fn end(&mut self, report: &Report) {
        self.defects(&report.task);
        for hint in &report.hints {
            self.line(&format!("hint: {hint}"));
        }
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
        let head = self.ink(Ink::Bold, &head);
        self.line(&head);
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
        let set_aside = report.set_aside() > 0;
        if report.findings.is_empty() && task.stopped && !set_aside {
            self.line("  the check that says why is off");
        } else if report.findings.is_empty() && !set_aside {
            let verdict = format!("  no errors found in {looked_at}");
            self.line(&verdict);
        } else {
            let (errors, warnings) = (plural(task.errors, "error"), plural(task.warnings, "warning"));
            let notes = plural(task.notes, "note");
            self.line(&format!("  {errors}, {warnings}, {notes} in {looked_at}"));
        }
        for line in report.gate_lines() {
            self.line(&format!("  {line}"));
        }
        let dir = report.exploration.as_ref().map_or(&task.trace_dir, |explored| &explored.dir);
        self.line(&format!("  trace: {dir}"));
        for note in report.samples.iter().filter_map(|s| s.note.as_deref()) {
            self.line(&format!("  {note}"));
        }
        for line in report.exploration.iter().flat_map(|explored| explored.lines()) {
            self.line(&format!("  {line}"));
        }
    }

    fn finding(&mut self, f: &FindingView) {
        let ink = match f.severity {
            "error" => Ink::Red,
            "warning" => Ink::Yellow,
            _ => Ink::Cyan,
        };
        let label = self.ink(ink, &format!("{}[{}]", f.severity, f.code));
        let mut message = format!("{}: {}", f.check, f.message);
        if f.count > 1 {
            _ = write!(message, " ({} times)", f.count);
        }
        // Some libraries explain an error in several lines.
        let message = self.ink(Ink::Bold, &message.trim_end().replace('\n', "\n    "));
        self.line("");
        self.line(&format!("{label} {message}"));
        let places = groups(f.sites.iter(), same_place);
        for place in places.iter().take(MAX_PLACES) {
            self.place(place);
        }
        let hidden: Vec<i32> = places.iter().skip(MAX_PLACES).flat_map(|p| p.iter().map(|s| s.process)).collect();
        if !hidden.is_empty() {
            self.line(&format!("  ... and at other places {}", self.names.list(&sorted(hidden))));
        }
        let mark = self.ink(Ink::Blue, "=");
        if let (Some(run), Some(under)) = (f.run, &f.under) {
            self.line(&format!("  {mark} first seen in run {run}, under {under}"));
        }
        if let Some(run) = f.came_true {
            self.line(&format!("  {mark} came true in run {run}"));
        }
        let chain = super::graph::chain(f, &self.names);
        if !chain.is_empty() {
            self.line(&format!("  {mark} who waits for whom:"));
        }
        for line in chain {
            self.line(&format!("      {line}"));
        }
        for note in &f.notes {
            self.line(&format!("  {mark} {}", note.replace('\n', "\n    ")));
        }
        self.line(&format!("  {mark} more: mpivet explain {}", f.check));
    }

    /// One source line and the calls that ranks made there.
    fn place(&mut self, sites: &[&Site]) {
        let site = sites[0];
        match (&site.source, site.line) {
            (Some(source), Some(line)) => {
                let arrow = self.ink(Ink::Blue, "-->");
                self.line(&format!("  {arrow} {}:{line}", site.short));
                let width = line.to_string().len();
                let bar = self.ink(Ink::Blue, "|");
                let before = site.before.as_deref().filter(|b| !b.trim().is_empty());
                if let Some(before) = before {
                    let number = self.ink(Ink::Blue, &format!("{:>width$}", line - 1));
                    self.line(&format!("   {number} {bar} {}", untab(before)));
                }
                let number = self.ink(Ink::Blue, &format!("{line:>width$}"));
                self.line(&format!("   {number} {bar} {}", untab(source)));
            }
            (None, Some(line)) => {
                let arrow = self.ink(Ink::Blue, "-->");
                self.line(&format!("  {arrow} {}:{line} (the source file is not there)", site.short));
            }
            _ if !site.stack.is_empty() => {
                let arrow = self.ink(Ink::Blue, "-->");
                self.line(&format!("  {arrow} {}", frame(&site.stack[site.user])));
            }
            _ => {}
        }
        let stacks = groups(sites.iter().copied(), |a, b| a.stack == b.stack);
        for sites in stacks.iter().take(MAX_STACKS) {
            self.calls(sites);
            let stack = stack(sites[0]);
            if !stack.is_empty() {
                self.line(&format!("     stack: {stack}"));
            }
        }
        let hidden: Vec<i32> = stacks.iter().skip(MAX_STACKS).flatten().map(|s| s.process).collect();
        if !hidden.is_empty() {
            self.line(&format!("     and with other stacks {}", self.names.list(&hidden)));
        }
    }

    fn calls(&mut self, sites: &[&Site]) {
        let same = |a: &Site, b: &Site| a.call == b.call && a.role == b.role && a.thread == b.thread;
        let calls = groups(sites.iter().copied(), same);
        for sites in calls.iter().take(MAX_CALLS) {
            let (site, ranks) = (sites[0], sites.iter().map(|s| s.process).collect::<Vec<_>>());
            let mut text = format!("     {}", self.names.list(&ranks));
            if site.thread != 0 {
                _ = write!(text, " thread {}", site.thread);
            }
            if !site.call.is_empty() {
                _ = write!(text, " in {}", site.call);
            } else if !site.function.is_empty() {
                _ = write!(text, " in {}", site.function);
            }
            if !site.role.is_empty() {
                _ = write!(text, ": {}", site.role);
            }
            self.line(&text);
        }
        let hidden = sorted(calls.iter().skip(MAX_CALLS).flatten().map(|s| s.process).collect());
        if !hidden.is_empty() {
            self.line(&format!("     and {} more: {}", hidden.len(), self.names.list(&hidden)));
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

    /// Of the processes that hang: those of others are as they happened to be.
    fn queues(&mut self, report: &Report) {
        let waiters = report.findings.iter().flat_map(|f| &f.waits).map(|w| w.process).collect();
        let lines = super::queues::lines(&report.queues, &waiters, &self.names);
        if !lines.is_empty() {
            self.line("");
            self.line(&self.ink(Ink::Bold, "message queues at the end:"));
        }
        for line in lines {
            self.line(&format!("  {line}"));
        }
    }

    fn defects(&mut self, task: &Task) {
        if task.defects.is_empty() {
            return;
        }
        let label = self.ink(Ink::Yellow, "warning");
        self.line("");
        self.line(&format!("{label}: the trace is incomplete, and so is this report:"));
        for d in task.defects.iter().take(MAX_DEFECTS) {
            let mut text = String::from("  ");
            if let Some(process) = d.process {
                text.push_str(&self.names.list(&[process]));
                if let Some(offset) = d.offset {
                    _ = write!(text, " at byte {offset}");
                }
                text.push_str(": ");
            }
            text.push_str(&d.what);
            self.line(&text);
        }
        if task.defects.len() > MAX_DEFECTS {
            self.line(&format!("  ... and {} more", task.defects.len() - MAX_DEFECTS));
        }
    }
}

/// The first words of what the library says of itself: the rest is its configuration.
fn library(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").replace('\t', " ");
    let line = line.split(',').next().unwrap_or("").trim();
    line.split_whitespace().filter(|word| *word != "Version:").collect::<Vec<_>>().join(" ")
}

/// Ranks by how they ended.
fn ends(ended: &[Ended]) -> Vec<(String, Vec<i32>)> {
    let mut groups: Vec<(String, Vec<i32>)> = Vec::new();
    for e in ended {
        let mut what = match (e.end, e.exit_status) {
            ("normal", None | Some(0)) => "ended normally".into(),
            ("normal", Some(status)) => format!("ended with exit status {status}"),
            ("abend", _) => "crashed".into(),
            ("abort", _) => "ended by MPI_Abort or from outside".into(),
            ("stopped", _) => "stopped".into(),
            ("running", _) => "still running".into(),
            (MISSING, _) => "no trace: MPI_Init was not called, or the trace is on another node".to_owned(),
            _ => "end unknown".into(),
        };
        if let Some(current) = e.current.as_ref().filter(|_| e.end != "normal") {
            _ = write!(what, " in {}", current.function);
            if let Some(line) = current.line {
                _ = write!(what, " ({}:{line})", current.short);
            }
        }
        match groups.iter_mut().find(|(w, _)| *w == what) {
            Some((_, ranks)) => ranks.push(e.process),
            None => groups.push((what, vec![e.process])),
        }
    }
    groups
}

/// Sites that are the same, in the order of the first of each group.
fn groups<'a>(sites: impl Iterator<Item = &'a Site>, same: impl Fn(&Site, &Site) -> bool) -> Vec<Vec<&'a Site>> {
    let mut groups: Vec<Vec<&Site>> = Vec::new();
    for site in sites {
        match groups.iter_mut().find(|g| same(g[0], site)) {
            Some(group) => group.push(site),
            None => groups.push(vec![site]),
        }
    }
    groups
}

/// Two calls at the same source line, or at the same address where lines are not known.
fn same_place(a: &Site, b: &Site) -> bool {
    match (a.line, b.line) {
        (Some(_), Some(_)) => a.line == b.line && a.file == b.file,
        (None, None) => !a.stack.is_empty() && a.stack == b.stack,
        _ => false,
    }
}

fn sorted(mut ranks: Vec<i32>) -> Vec<i32> {
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

fn untab(line: &str) -> String {
    line.replace('\t', "    ")
}

fn frame(f: &Frame) -> String {
    let function = f.function.as_deref().unwrap_or("?");
    match (f.line, f.module.as_deref()) {
        (Some(line), _) if f.file.is_some() => {
            format!("{function} ({}:{line})", f.short.rsplit('/').next().unwrap_or(""))
        }
        (_, Some(module)) => format!("{function} ({}+{:#x})", module.rsplit('/').next().unwrap_or(module), f.offset),
        _ => format!("{function} ({:#x})", f.offset),
    }
}

/// The user's frames, innermost first: `exchange (halo.c:12) < main (halo.c:40)`; empty where the source line says it all.
fn stack(site: &Site) -> String {
    // What called main is nobody's concern.
    let known = |f: &Frame| f.is_user && f.function.as_deref() != Some("_start");
    let end = site.stack.iter().rposition(known).map_or(0, |last| last + 1);
    let frames: Vec<&Frame> = site.stack[..end].iter().skip(site.user).collect();
    let trivial = match frames[..] {
        [] => true,
        [only] => site.line.is_none() || only.function.as_deref() == Some("main"),
        _ => false,
    };
    if trivial {
        return String::new();
    }
    let mut text = frames.iter().take(MAX_FRAMES).map(|f| frame(f)).collect::<Vec<_>>().join(" < ");
    if frames.len() > MAX_FRAMES {
        _ = write!(text, " < ... {} more", frames.len() - MAX_FRAMES);
    }
    text
}
