//! The wait-for graph of a finding: as an indented chain for the terminal, and in the language of Graphviz.

use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::view::{FindingView, Waits};
use engine::worlds::Names;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// Limit of the indentation of a chain.
const MAX_DEPTH: usize = 8;

/// The wait-for graph as a chain, each below the one that waits for it; nothing where the calls themselves say it all.
pub(super) fn chain(finding: &FindingView, names: &Names) -> Vec<String> {
    let order = order(&finding.waits);
    let indented = |&(at, depth): &(usize, usize)| {
        format!("{}{}", "  ".repeat(depth.min(MAX_DEPTH)), line(&finding.waits[at], names))
    };
    order.iter().map(indented).collect()
}

/// The calls, each behind the one that waits for it, and how deep it is below the first one.
pub(super) fn order(waits: &[Waits]) -> Vec<(usize, usize)> {
    if waits.len() < 2 {
        return Vec::new();
    }
    let of = by_process(waits);
    let (mut order, mut shown) = (Vec::new(), vec![false; waits.len()]);
    for first in 0..waits.len() {
        // Without recursion: a cycle may have many ranks.
        let mut open = vec![(first, 0)];
        while let Some((at, depth)) = open.pop() {
            if std::mem::replace(&mut shown[at], true) {
                continue;
            }
            let w = &waits[at];
            order.push((at, depth));
            let next = w.processes.iter().rev().flat_map(|p| of.get(p).into_iter().flatten().rev());
            open.extend(next.filter(|n| !shown[**n]).map(|n| (*n, depth + 1)));
        }
    }
    order
}

/// The calls of each process: there may be as many edges as there are pairs of ranks.
fn by_process(waits: &[Waits]) -> FxHashMap<i32, Vec<usize>> {
    let mut of: FxHashMap<i32, Vec<usize>> = FxHashMap::default();
    for (at, waits) in waits.iter().enumerate() {
        of.entry(waits.process).or_default().push(at);
    }
    of
}

pub(super) fn line(w: &Waits, names: &Names) -> String {
    let mut text = names.list(&[w.process]);
    if w.thread != 0 {
        _ = write!(text, " thread {}", w.thread);
    }
    _ = write!(text, " in {}", w.function);
    if let Some(line) = w.line {
        let file = w.short.rsplit('/').next().unwrap_or_default();
        _ = write!(text, " ({file}:{line})");
    }
    match w.processes[..] {
        [] => text.push_str(" waits for a call that no rank makes"),
        _ => _ = write!(text, " waits for {}{}", if w.any { "any of " } else { "" }, names.list(&w.processes)),
    }
    text
}

pub(crate) const FORMAT: Rendering = Rendering {
    name: "dot",
    help: Some("The wait-for graphs of the findings, for `dot -Tsvg` of Graphviz"),
    extension: "dot",
    render: |report, _| dot(report),
    failure,
    needs: Needs::FINDINGS,
};

/// The graphs of all findings that have one.
fn dot(report: &Report) -> String {
    let mut text = String::from("digraph mpivet {\n  node [shape=box, fontname=\"sans-serif\"];\n  rankdir=LR;\n");
    for (i, finding) in report.findings.iter().enumerate().filter(|(_, f)| !f.waits.is_empty()) {
        _ = writeln!(text, "  subgraph cluster_{i} {{");
        _ = writeln!(
            text,
            "    label={};",
            quoted(&format!("{} {}: {}", finding.code, finding.check, finding.message))
        );
        let (names, of) = (report.names_of(finding), by_process(&finding.waits));
        let mut others: Vec<i32> = Vec::new();
        for (n, w) in finding.waits.iter().enumerate() {
            let place = w.line.map(|line| format!("\n{}:{line}", w.short)).unwrap_or_default();
            let thread = if w.thread == 0 { String::new() } else { format!(" thread {}", w.thread) };
            let label = format!("{}{thread}\n{}{place}", names.list(&[w.process]), w.function);
            _ = writeln!(text, "    f{i}_{n} [label={}];", quoted(&label));
            others.extend(w.processes.iter().filter(|p| !of.contains_key(p)));
        }
        others.sort_unstable();
        others.dedup();
        for p in &others {
            let label = quoted(&names.list(&[*p]));
            _ = writeln!(text, "    f{i}_r{p} [label={label}, style=dotted];");
        }
        for (n, w) in finding.waits.iter().enumerate() {
            // Where one of several is enough, the line is dashed.
            let style = if w.any { " [style=dashed, label=\"any of\"]" } else { "" };
            for p in &w.processes {
                for to in of.get(p).into_iter().flatten() {
                    _ = writeln!(text, "    f{i}_{n} -> f{i}_{to}{style};");
                }
                if !of.contains_key(p) {
                    _ = writeln!(text, "    f{i}_{n} -> f{i}_r{p}{style};");
                }
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// The text if there is no report.
fn failure(why: &str) -> String {
    format!("digraph mpivet {{\n  label={};\n}}\n", quoted(&format!("no report: {why}")))
}

/// A string of Graphviz.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
