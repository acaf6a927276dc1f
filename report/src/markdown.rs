//! A short table, as GitHub and GitLab show it.

use crate::places::calls;
use crate::plural::plural;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::view::FindingView;
use std::fmt::Write as _;
use std::path::Path;

/// Findings in the table: the page of a step has a limit.
const MAX_FINDINGS: usize = 100;

pub(crate) const FORMAT: Rendering = Rendering {
    name: "markdown",
    help: Some("A short table, for people"),
    extension: "md",
    render: |report, _| render(report),
    failure,
    needs: Needs::FINDINGS,
};

fn render(report: &Report) -> String {
    let task = &report.task;
    let program = task.program.rsplit('/').next().unwrap_or_default();
    let (errors, warnings) = (plural(task.errors, "error"), plural(task.warnings, "warning"));
    let mut text = format!("### mpivet: {}, {}\n\n", cell(program), plural(task.ranks.max(0) as usize, "rank"));
    if report.found_nothing() && report.is_clean() {
        text += "No errors found.\n";
    } else {
        _ = writeln!(text, "{errors}, {warnings}, {}", plural(task.notes, "note"));
    }
    if !report.findings.is_empty() {
        text += "\n| | check | finding | where |\n|---|---|---|---|\n";
    }
    for finding in report.findings.iter().take(MAX_FINDINGS) {
        text += &row(finding, &report.directory);
    }
    if report.findings.len() > MAX_FINDINGS {
        _ = writeln!(text, "\nand {}", plural(report.findings.len() - MAX_FINDINGS, "more finding"));
    }
    if let Some(first) = report.defects().first() {
        let more = match task.defects.len() - 1 {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        _ = writeln!(text, "\nThe trace is incomplete, and so is this report: {}{more}", cell(first));
    }
    let remarks = report.remarks();
    if !remarks.is_empty() {
        text.push('\n');
    }
    remarks.iter().for_each(|remark| _ = writeln!(text, "- {}", cell(remark)));
    text.push('\n');
    text
}

/// The text if there is no report.
fn failure(why: &str) -> String {
    format!("### mpivet: no report\n\n{}\n\n", cell(why))
}

fn row(finding: &FindingView, directory: &Path) -> String {
    let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
    let message = cell(&finding.message);
    let place = calls(finding).first().map(|c| cell(&c.place(directory))).unwrap_or_default();
    format!("| {} | {} {} | {message}{times} | {place} |\n", finding.severity, finding.code, finding.check)
}

/// Text in a cell: nothing in it is markup.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.trim_end().chars() {
        match c {
            '\n' => cell.push_str("<br>"),
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' | '@' => cell.extend(['\\', c]),
            c => cell.push(c),
        }
    }
    cell
}
