//! Findings of a process by itself, which it prints at once on standard error: rank, class and message, then the line
//! of the program and that line's text. If several find the same at one place, one of them prints; leaks are not
//! printed.

use crate::expect::Program;
use crate::report::Report;
use std::collections::BTreeMap;
use trace_format::catalogue::{self, CheckInfo, Side};
use trace_format::finding::Severity;

/// The findings that the processes of `program` should have printed and have not. `report` names the ranks that made
/// a finding where the program does not.
pub fn complaints(program: &Program, report: &Report, stderr: &str) -> Vec<String> {
    // prterun ends what it says with a zero, and no line.
    let stderr = &stderr.replace('\0', "");
    let mut complaints = Vec::new();
    for expected in program.expected.iter().filter(|e| !program.not_at_once.contains(&e.check)) {
        let Some(check) = catalogue::by_name(&expected.check).filter(|c| c.side == Side::Dynamic) else { continue };
        let reported = || report.findings.iter().filter(|f| f.check == expected.check).flat_map(|f| f.ranks.clone());
        let ranks = expected.ranks.clone().unwrap_or_else(|| reported().collect());
        if is_leak(check) {
            continue;
        }
        let missing: Option<Vec<_>> =
            ranks.iter().map(|rank| Some((rank, missing(program, check, *rank, stderr)?))).collect();
        let missing = missing.unwrap_or_default().into_iter().take(1);
        complaints.extend(missing.map(|(rank, what)| format!("rank {rank} does not print {what} of {}", check.name)));
    }
    complaints.extend(leaks(stderr));
    complaints.extend(repeated(stderr));
    complaints
}

/// Is it found when MPI is over?
fn is_leak(check: &CheckInfo) -> bool {
    check.name.starts_with("leak-") && check.name != "leak-growth"
}

/// Leaks that a process has printed: they belong into the report.
fn leaks(stderr: &str) -> Vec<String> {
    let said = |check: &&&CheckInfo| {
        let label = format!("[{}] {}: ", check.code, check.name);
        stderr.lines().any(|line| line.starts_with("mpivet: rank ") && line.contains(&label))
    };
    let said = catalogue::CHECKS.iter().filter(|check| is_leak(check)).filter(said);
    said.map(|check| format!("{} is printed at once", check.name)).collect()
}

/// Findings that several processes have printed for the same places.
fn repeated(stderr: &str) -> Vec<String> {
    let mut all: Vec<Vec<&str>> = Vec::new();
    let said = stderr.lines().filter_map(|line| line.strip_prefix("mpivet: rank ")?.split_once(": "));
    for (_, line) in said {
        match all.last_mut() {
            Some(finding) if line.starts_with("  at ") => finding.push(line),
            Some(_) if line.starts_with("  ") => {}
            _ => all.push(vec![line.split_once(": ").map_or(line, |(label, _)| label)]),
        }
    }
    all.retain(|finding| finding.len() > 1);
    let mut times: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    all.into_iter().for_each(|finding| *times.entry(finding).or_default() += 1);
    let twice = times.into_iter().filter(|(_, times)| *times > 1);
    twice.map(|(finding, times)| format!("printed {times} times: {}", finding.join(" "))).collect()
}

/// The missing parts of the finding that this rank should have printed.
fn missing(program: &Program, check: &CheckInfo, rank: i64, stderr: &str) -> Option<String> {
    let prefix = format!("mpivet: rank {rank}: ");
    // The severity may change later: a receive beyond its memory is a warning before it is an error.
    let head = format!("[{}] {}: ", check.code, check.name);
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    let is_head =
        |line: &str| severities.iter().any(|s| line.strip_prefix(s.name()).is_some_and(|l| l.starts_with(&head)));
    let lines: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix(&prefix)).collect();
    let findings: Vec<&[&str]> = (0..lines.len())
        .filter(|at| is_head(lines[*at]))
        .map(|at| {
            let more = lines[at + 1..].iter().take_while(|line| line.starts_with("  ")).count();
            &lines[at..=at + more]
        })
        .collect();
    if findings.is_empty() {
        return Some("a line".to_owned());
    }
    let places: Vec<usize> =
        findings.iter().flat_map(|finding| finding.windows(2)).filter_map(|p| place(program, p)).collect();
    let mut marked = program.marks.iter().filter(|mark| mark.check == check.name).peekable();
    let good =
        if marked.peek().is_some() { marked.any(|mark| places.contains(&mark.line)) } else { !places.is_empty() };
    (!good).then(|| "the line of the program with its text".to_owned())
}

/// The line of the program that two lines of a finding name and quote.
fn place(program: &Program, pair: &[&str]) -> Option<usize> {
    let at = pair[0].trim_start().strip_prefix("at ")?;
    let quoted = pair[1].trim_start().strip_prefix("| ")?;
    let (_, number) = at.split_once(&format!("{}:", program.file_name()))?;
    let line: usize = number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    (program.lines.get(line.checked_sub(1)?)?.trim() == quoted).then_some(line)
}
