//! Annotations of GitHub, which GitHub shows beside the lines of a pull request when a step of a workflow prints them
//! (<https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>).

use crate::places::{calls, relative};
use crate::plural::plural;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::view::FindingView;
use std::path::PathBuf;

/// The number of annotations of one kind that GitHub shows for a step.
const MOST: usize = 10;
/// Calls and notes told of a finding.
const MAX_CALLS: usize = 8;
const MAX_NOTES: usize = 8;
const MAX_WAYS: usize = 3;

pub(crate) const FORMAT: Rendering = Rendering {
    name: "github",
    help: Some("Annotations of GitHub, and a table on the page of the step"),
    extension: "github",
    render: |report, _| render(report),
    failure,
    needs: Needs::FINDINGS,
};

fn render(report: &Report) -> String {
    let mut text = String::new();
    let mut more = Vec::new();
    // Paths are those of the repository.
    let root = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from).filter(|path| path.is_absolute());
    for (severity, command) in [("error", "error"), ("warning", "warning"), ("note", "notice")] {
        let findings: Vec<&FindingView> = report.findings.iter().filter(|f| f.severity == severity).collect();
        for finding in findings.iter().take(MOST) {
            text += &annotation(report, finding, command, root.as_ref().unwrap_or(&report.directory));
        }
        if findings.len() > MOST {
            more.push(plural(findings.len() - MOST, severity));
        }
    }
    if !more.is_empty() {
        text +=
            &format!("mpivet: {} more, since GitHub shows {MOST} of a kind; --report has all\n", more.join(" and "));
    }
    if !report.task.defects.is_empty() {
        let what: Vec<String> = report.defects().into_iter().take(MAX_NOTES).collect();
        let message = format!("the trace is incomplete, and so is this report:\n{}", what.join("\n"));
        let kind = if report.is_incomplete() { "error" } else { "warning" };
        text += &command(kind, &[("title", "mpivet".into())], &message);
    }
    let remarks = report.remarks();
    if !remarks.is_empty() {
        // Something must say why the step fails.
        let is_silent = report.was_stopped() && !report.findings.iter().any(|f| report.is_failure(f));
        let kind = if is_silent { "error" } else { "notice" };
        text += &command(kind, &[("title", "mpivet".into())], &remarks.join("\n"));
    }
    text
}

/// The text if there is no report.
fn failure(why: &str) -> String {
    command("error", &[("title", "mpivet".into())], why)
}

fn annotation(report: &Report, finding: &FindingView, kind: &str, root: &std::path::Path) -> String {
    let calls = calls(finding);
    let mut properties = Vec::new();
    let place = calls.first().and_then(|c| Some((c.site.file.as_deref()?, c.site.line?)));
    if let Some((file, line)) = place {
        properties.push(("file", relative(file, root).unwrap_or_else(|| file.to_owned())));
        properties.push(("line", line.to_string()));
        properties.push(("endLine", line.to_string()));
    }
    properties.push(("title", format!("{} {}", finding.code, finding.check)));
    let mut message = finding.message.trim_end().to_owned();
    if finding.count > 1 {
        message += &format!(" ({} times)", finding.count);
    }
    for calls in calls.iter().take(MAX_CALLS) {
        message += &format!("\n{}: {}", calls.place(root), calls.words(report.names_of(finding)));
    }
    if calls.len() > MAX_CALLS {
        message += &format!("\nand {} more", plural(calls.len() - MAX_CALLS, "call"));
    }
    for way in crate::call_paths::some(finding, report.names_of(finding), MAX_WAYS) {
        message += &format!("\n{way}");
    }
    for note in finding.notes.iter().take(MAX_NOTES) {
        message += &format!("\n{note}");
    }
    message += &format!("\nmore: mpivet explain {}", finding.check);
    command(kind, &properties, &message)
}

fn command(kind: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    format!("::{kind} {}::{}\n", properties.join(","), data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
