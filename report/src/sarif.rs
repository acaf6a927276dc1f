//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>), which code scanning and editors
//! read. Sources are told from the working directory, `%SRCROOT%`.

mod places;
mod rules;

use crate::graph;
use crate::places::{Calls, calls};
use crate::plural::plural;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::view::FindingView;
use engine::worlds::Names;
use places::Sources;
use serde_json::{Value, json};
use std::fmt::Write as _;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Limits of the related locations of a result, of the links in its message, and of its stacks: viewers have limits,
/// and nobody reads a thousand.
const MAX_RELATED: usize = 100;
const MAX_LINKS: usize = 8;
const MAX_STACKS: usize = 16;
/// Other ways to a finding that its message tells.
const MAX_WAYS: usize = 3;
/// Steps of a code flow.
const MAX_STEPS: usize = 1000;

pub(crate) const FORMAT: Rendering = Rendering {
    name: "sarif",
    help: Some("SARIF 2.1.0, for code scanning and editors"),
    extension: "sarif",
    render: |report, _| render(report),
    failure,
    needs: Needs::FINDINGS,
};

fn render(report: &Report) -> String {
    let sources = Sources { directory: &report.directory };
    let results = crate::set_aside::all(report).map(|(finding, state)| {
        let mut result = result(report, finding, &sources);
        state.tell(&mut result);
        result
    });
    let results: Vec<Value> = results.collect();
    // A job that could never have gone on is a failure, whatever is looked for.
    let exit_code = match report.fails(report.fail_on) || report.was_stopped() {
        _ if let Some(signal) = report.cut_by() => 128 + signal,
        true => 1,
        false if report.is_incomplete() => 3,
        false => 0,
    };
    let mut invocation = json!({
        "executionSuccessful": !report.is_incomplete(),
        "exitCode": exit_code,
        "toolExecutionNotifications": notifications(report),
    });
    let mut run = json!({
        "tool": tool(),
        "results": results,
        "columnKind": "unicodeCodePoints",
        "properties": {
            "program": report.task.program, "arguments": report.task.arguments, "ranks": report.task.ranks,
            "mpi": report.mpi, "stopped": report.task.stopped, "traceDirectory": report.task.trace_dir,
        },
    });
    if let Some(root) = sources.root() {
        invocation["workingDirectory"] = json!({ "uri": root });
        run["originalUriBaseIds"] = json!({ places::ROOT: { "uri": root } });
    }
    run["invocations"] = json!([invocation]);
    document(&run)
}

/// The text if there is no report.
fn failure(why: &str) -> String {
    let notification = json!({ "level": "error", "message": { "text": why } });
    let invocation = json!({
        "executionSuccessful": false, "exitCode": 3, "toolExecutionNotifications": [notification],
    });
    document(&json!({ "tool": tool(), "invocations": [invocation], "results": [] }))
}

fn document(run: &Value) -> String {
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    format!("{document:#}\n")
}

fn tool() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    json!({ "driver": {
        "name": "mpivet", "version": version, "semanticVersion": version,
        "shortDescription": { "text": "Finds mistakes in MPI programs while they run" },
        "rules": rules::all(),
    }})
}

fn notifications(report: &Report) -> Vec<Value> {
    let of = |level: &str, text: String| json!({ "level": level, "message": { "text": text } });
    let defect = |d: String| of("warning", format!("the trace is incomplete, and so is this report: {d}"));
    let hidden: u64 = report.task.hidden.iter().map(|h| h.findings).sum();
    let hidden = (hidden > 0).then(|| of("note", format!("{} not shown", plural(hidden as usize, "finding"))));
    let remarks = report.remarks().into_iter().map(|remark| of("note", remark));
    report.defects().into_iter().map(defect).chain(hidden).chain(remarks).collect()
}

fn result(report: &Report, finding: &FindingView, sources: &Sources) -> Value {
    let calls = calls(finding);
    let names = report.names_of(finding);
    let related = related(names, &calls, sources);
    let mut result = json!({
        "ruleId": finding.code,
        "level": finding.severity,
        "message": { "text": message(report, finding, &calls) },
        "properties": {
            "check": finding.check, "ranks": finding.ranks, "count": finding.count, "notes": finding.notes,
        },
    });
    result["partialFingerprints"] = json!({ "mpivetFinding/v1": finding.fingerprint });
    if let Some(index) = rules::index(finding.code) {
        result["ruleIndex"] = index.into();
    }
    if !finding.others.is_empty() {
        result["properties"]["others"] = json!(finding.others);
    }
    if let Some(first) = calls.first() {
        result["locations"] = json!([sources.call(first, names)]);
        result["stacks"] = calls.iter().take(MAX_STACKS).map(|c| sources.stack(c, names)).collect();
    }
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if let Some(flow) = flow(report, finding, sources) {
        result["codeFlows"] = json!([flow]);
    }
    result
}

/// The calls behind the first one, with the numbers that messages call them by.
fn related(names: &Names, calls: &[Calls], sources: &Sources) -> Vec<Value> {
    let location = |(i, calls): (usize, &Calls)| {
        let mut location = sources.call(calls, names);
        location["id"] = i.into();
        location
    };
    calls.iter().enumerate().skip(1).take(MAX_RELATED).map(location).collect()
}

/// The message; programs show the related locations that it links.
fn message(report: &Report, finding: &FindingView, calls: &[Calls]) -> String {
    let names = report.names_of(finding);
    let mut text = plain(finding.message.trim_end());
    if finding.count > 1 {
        _ = write!(text, " ({} times)", finding.count);
    }
    for (i, calls) in calls.iter().enumerate().take(MAX_LINKS + 1) {
        let words = plain(&calls.words(names));
        let words = words.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        match i {
            0 => _ = write!(text, "\n{}", plain(&calls.words(names))),
            i => _ = write!(text, "\n[{words}]({i})"),
        }
    }
    if calls.len() > MAX_LINKS + 1 {
        _ = write!(text, "\nand {} more", plural(calls.len() - MAX_LINKS - 1, "call"));
    }
    for way in crate::call_paths::some(finding, names, MAX_WAYS) {
        _ = write!(text, "\n{}", plain(&way));
    }
    for note in &finding.notes {
        _ = write!(text, "\n{}", plain(note));
    }
    text
}

/// Text that has no links.
fn plain(text: &str) -> String {
    text.replace("](", "] (")
}

/// The wait-for graph as a chain, each rank behind the one that waits for it.
fn flow(report: &Report, finding: &FindingView, sources: &Sources) -> Option<Value> {
    let names = report.names_of(finding);
    let step = |(n, (at, depth)): (usize, &(usize, usize))| {
        let waits = &finding.waits[*at];
        json!({
            "executionOrder": n + 1,
            "nestingLevel": depth,
            "importance": "essential",
            "location": sources.waits(waits, &graph::line(waits, names)),
        })
    };
    let order = graph::order(&finding.waits);
    let steps: Vec<Value> = order.iter().take(MAX_STEPS).enumerate().map(step).collect();
    (!steps.is_empty())
        .then(|| json!({ "message": { "text": "who waits for whom" }, "threadFlows": [{ "locations": steps }] }))
}
