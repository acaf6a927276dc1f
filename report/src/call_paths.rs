//! The call paths to a finding, in words: which callers led to its lines.

use crate::plural::plural;
use crate::stack::stack_of;
use crate::view::{FindingView, PathView, Site};
use engine::worlds::Names;

/// Limit of the callers that are shown of a call path.
const MAX_CALLS: usize = 2;

/// The call paths besides the first: `relax (a.c:20) < main (a.c:33), ranks 0-3, 12 times`
pub(super) fn words(finding: &FindingView, names: &Names) -> Vec<String> {
    let known = callers(&finding.sites);
    finding.paths.iter().map(|path| way(path, &known, names)).collect()
}

fn way(path: &PathView, known: &[String], names: &Names) -> String {
    let all = callers(&path.sites);
    let new: Vec<&str> = all.iter().filter(|stack| !known.contains(stack)).map(String::as_str).collect();
    let told = if new.is_empty() { all.iter().map(String::as_str).collect() } else { new };
    let mut text = told[..told.len().min(MAX_CALLS)].join(" and ");
    if told.len() > MAX_CALLS {
        text += &format!(" and {} more", told.len() - MAX_CALLS);
    }
    if text.is_empty() {
        text.push_str("its caller");
    }
    if !path.processes.is_empty() {
        text += &format!(", {}", names.list(&path.processes));
    }
    if path.count > 1 {
        text += &format!(", {} times", path.count);
    }
    text
}

/// The callers of each call, each once.
fn callers(sites: &[Site]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for stack in sites.iter().map(|site| stack_of(site.callers())).filter(|stack| !stack.is_empty()) {
        if !all.contains(&stack) {
            all.push(stack);
        }
    }
    all
}

/// The words on call paths that were only counted.
pub(super) fn rest(finding: &FindingView) -> Option<String> {
    let more = finding.more_paths;
    let times = plural(more.count as usize, "time");
    (more.paths > 0).then(|| format!("and by {} that were only counted, {times}", plural(more.paths as usize, "way")))
}

/// The first call paths, for formats with little room, and how many there are besides.
pub(super) fn some(finding: &FindingView, names: &Names, most: usize) -> Vec<String> {
    let ways = words(finding, names);
    let mut lines: Vec<String> = ways.iter().take(most).map(|way| format!("also by way of {way}")).collect();
    let more = ways.len().saturating_sub(most) as u64 + finding.more_paths.paths;
    if more > 0 {
        lines.push(format!("and by {}", plural(more as usize, "other way")));
    }
    lines
}
