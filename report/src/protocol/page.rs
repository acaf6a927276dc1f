//! The text of a protocol while it grows, and what all of its parts write.

use super::table::Table;
use crate::clean;
use crate::protocol_data::Protocol;
use crate::report::Report;
use crate::view::{FindingView, Frame, Site};
use engine::worlds::Names;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use trace_format::catalogue::{POTENTIAL_DEADLOCK, POTENTIAL_HANG_UP, REAL_DEADLOCK, REAL_HANG_UP};
use trace_format::ranks::Ranks;

/// Frames shown of a stack.
const MAX_FRAMES: usize = 16;

pub(super) struct Page<'a> {
    pub(super) text: String,
    pub(super) report: &'a Report,
    pub(super) protocol: Option<&'a Protocol>,
}

impl<'a> Page<'a> {
    pub(super) fn new(report: &'a Report) -> Page<'a> {
        Page { text: String::new(), report, protocol: report.protocol.as_ref() }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(clean::line(text).trim_end());
        self.text.push('\n');
    }

    /// A heading of a part.
    pub(super) fn heading(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.line("");
        }
        self.line(title);
        self.line(&"=".repeat(title.len()));
    }

    /// A table with its own heading.
    pub(super) fn table(&mut self, title: &str, table: &Table) {
        self.line("");
        self.line(&format!("{title}:"));
        self.line("");
        self.text.push_str(&table.to_string());
    }

    pub(super) fn names(&self) -> &'a Names {
        &self.report.names
    }

    /// `0-63, 65`, `0, w1.0-2`
    pub(super) fn list(&self, processes: &[i32]) -> String {
        let mut worlds: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
        for process in processes {
            let (world, rank) = self.names().of(*process);
            worlds.entry(world).or_default().push(rank);
        }
        let mut parts = Vec::new();
        for (world, mut ranks) in worlds {
            ranks.sort_unstable();
            ranks.dedup();
            let ranks = ranks.into_iter().collect::<Ranks>().to_string();
            parts.extend(ranks.split(',').map(|r| if world == 0 { r.to_owned() } else { format!("w{world}.{r}") }));
        }
        parts.join(", ")
    }

    /// The statement of a call, the line behind it, and the way to it.
    pub(super) fn source(&mut self, site: &Site, indent: &str) {
        for line in snippet(site) {
            self.line(&format!("{indent}{line}"));
        }
        let stack = stack(site);
        if !stack.is_empty() {
            self.line(&format!("{indent}stack: {stack}"));
        }
    }
}

/// `src = demo.f(34)`; of code without line numbers where it is.
pub(super) fn src(site: &Site) -> String {
    match (site.line, site.stack.get(site.user)) {
        (Some(line), _) => format!("src = {}({line})", site.short),
        (None, Some(frame)) => format!("src = {}", frame.bare()),
        (None, None) => "src unknown".to_owned(),
    }
}

/// Line and file, for tables.
pub(super) fn line_and_file(site: &Site) -> (String, String) {
    match (site.line, site.stack.get(site.user)) {
        (Some(line), _) => (line.to_string(), site.short.clone()),
        (None, Some(frame)) => (String::new(), frame.bare()),
        (None, None) => (String::new(), String::new()),
    }
}

/// The whole statement and the line behind it, no further to the right than needs be.
fn snippet(site: &Site) -> Vec<String> {
    let mut lines: Vec<String> = match &site.statement {
        Some(statement) => statement.lines.iter().chain(&statement.after).cloned().collect(),
        None => site.source.iter().cloned().collect(),
    };
    lines.iter_mut().for_each(|l| *l = l.replace('\t', "    ").trim_end().to_owned());
    let margin = |l: &String| l.len() - l.trim_start().len();
    let least = lines.iter().filter(|l| !l.is_empty()).map(margin).min().unwrap_or(0);
    lines.iter().filter(|l| !l.is_empty()).map(|l| l[least..].to_owned()).collect()
}

/// `exchange (halo.c:12) < main (halo.c:40)`, if it is longer than 1.
pub(super) fn stack(site: &Site) -> String {
    let frames: Vec<String> = site.frames().iter().map(frame).collect();
    match frames.len() {
        0 | 1 => String::new(),
        n if n > MAX_FRAMES => format!("{} < ... {} more", frames[..MAX_FRAMES].join(" < "), n - MAX_FRAMES),
        _ => frames.join(" < "),
    }
}

fn frame(f: &Frame) -> String {
    let mut text = f.function.clone().unwrap_or_else(|| "?".to_owned());
    match f.line {
        Some(line) => _ = write!(text, " ({}:{line})", f.short.rsplit('/').next().unwrap_or_default()),
        None => _ = write!(text, " ({})", f.bare()),
    }
    text
}

/// The section of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Error,
    /// A deadlock or hang-up that happened.
    Real,
    /// A deadlock that could happen.
    Potential,
}

pub(super) fn sort_of(finding: &FindingView) -> Sort {
    let is = |checks: [&trace_format::catalogue::CheckInfo; 2]| checks.iter().any(|c| c.name == finding.check);
    match () {
        () if is([&REAL_DEADLOCK, &REAL_HANG_UP]) => Sort::Real,
        () if is([&POTENTIAL_DEADLOCK, &POTENTIAL_HANG_UP]) => Sort::Potential,
        () => Sort::Error,
    }
}

/// `err`, `warn`, `note`
pub(super) fn severity(finding: &FindingView) -> &'static str {
    match finding.severity {
        "error" => "err",
        "warning" => "warn",
        _ => "note",
    }
}
