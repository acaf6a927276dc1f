//! Deadlocks and hang-ups: the chain in one line, then the call of each process in full.

use super::page::{Page, Sort, sort_of, src};
use crate::groups::groups;
use crate::view::{FindingView, Site, Waits};
use std::collections::{BTreeMap, BTreeSet};

/// Processes in a chain, and calls that are shown in full.
const MAX_CHAIN: usize = 64;
const MAX_CALLS: usize = 32;

impl Page<'_> {
    pub(super) fn deadlocks(&mut self) {
        self.deadlocks_of("Real deadlocks and hang-ups", Sort::Real);
        self.deadlocks_of("Potential deadlocks and hang-ups", Sort::Potential);
    }

    fn deadlocks_of(&mut self, title: &str, sort: Sort) {
        let report = self.report;
        let found: Vec<&FindingView> = report.findings.iter().filter(|f| sort_of(f) == sort).collect();
        self.heading(title);
        if found.is_empty() {
            self.line("none");
        }
        for (i, finding) in found.iter().enumerate() {
            let what = if finding.severity == "error" { "Error" } else { "Warning" };
            let number = format!("{what} {}", i + 1);
            self.line("");
            self.line(&number);
            self.line(&"=".repeat(number.len()));
            self.deadlock(finding);
        }
    }

    fn deadlock(&mut self, f: &FindingView) {
        let chain = self.chain(f);
        self.line(&chain);
        self.told(f);
        f.notes.iter().for_each(|note| self.line(&format!("  {note}")));
        let calls =
            groups(&f.sites, |s| (s.file.clone(), s.line, s.call.clone(), s.role.clone(), s.stack.len(), s.event));
        for call in calls.iter().take(MAX_CALLS) {
            self.line("");
            self.event(call);
        }
        let rest: Vec<i32> = calls.iter().skip(MAX_CALLS).flatten().map(|s| s.process).collect();
        if !rest.is_empty() {
            self.line("");
            self.line(&format!("and in other calls {}", self.who(&rest)));
        }
    }

    /// `0:MPI_Send   1:MPI_Send   deadlock !`
    fn chain(&self, f: &FindingView) -> String {
        let (order, end) = order(&f.waits);
        let calls: Vec<(i32, &str)> = match order[..] {
            [] => f.sites.iter().map(|s| (s.process, s.function.as_str())).collect(),
            _ => order.iter().map(|w| (w.process, w.function.as_str())).collect(),
        };
        let mut parts: Vec<String> = calls
            .iter()
            .take(MAX_CHAIN)
            .map(|(p, function)| format!("{}:{function}", self.names().short(*p)))
            .collect();
        if calls.len() > MAX_CHAIN {
            parts.push(format!("... {} more", calls.len() - MAX_CHAIN));
        }
        // The last one waits for a process that came to its end.
        if let Some(process) = end {
            let last = self.protocol.and_then(|p| p.last.get(&process)).map(|l| format!(":{}", l.function));
            let state = self.report.task.ended.iter().find(|e| e.process == process).map(|e| e.end);
            let (last, state) = (last.unwrap_or_default(), state.unwrap_or_default());
            parts.push(format!("{}{last} ({state})", self.names().short(process)));
        }
        let word = if f.check.ends_with("hang-up") { "hang-up !" } else { "deadlock !" };
        parts.push(word.to_owned());
        let mut text = parts.join("   ");
        let shown: BTreeSet<i32> = calls.iter().map(|(p, _)| *p).collect();
        let behind: Vec<i32> = f.waits.iter().map(|w| w.process).filter(|p| !shown.contains(p)).collect();
        if !behind.is_empty() {
            text.push_str(&format!("   (behind them {})", self.who(&behind)));
        }
        text
    }

    /// A call in full.
    fn event(&mut self, sites: &[&Site]) {
        let site = sites[0];
        let ranks: Vec<i32> = sites.iter().map(|s| s.process).collect();
        let passed = self.passed(site);
        let pass = passed.map(|p| format!(" ({})", p.pass)).unwrap_or_default();
        let time = passed.map(|p| format!(" time = {:.6} s", p.seconds)).unwrap_or_default();
        let thread = if site.thread == 0 { String::new() } else { format!(" thread={}", site.thread) };
        let event = if site.event == 0 { String::new() } else { format!(" event={}", site.event) };
        let head = format!("Proc={}{thread}{event} call {}{pass} {}", self.list(&ranks), site.function, src(site));
        self.line(&format!("{head}{time}"));
        self.source(site, "    ");
        if !site.call.is_empty() {
            self.line(&format!("    {}", site.call));
        }
        if !site.role.is_empty() {
            self.line(&format!("    {}", site.role));
        }
        self.communicator_of(site, "    ");
    }
}

/// Ranks that wait, each behind the one that waits for it: the circle, if there is one, from its smallest process on.
/// The second value is the process that the last one waits for if that does not wait itself.
fn order(waits: &[Waits]) -> (Vec<&Waits>, Option<i32>) {
    let by_process: BTreeMap<i32, &Waits> = waits.iter().rev().map(|w| (w.process, w)).collect();
    let Some(mut at) = by_process.values().next().copied() else { return (Vec::new(), None) };
    let mut chain: Vec<&Waits> = Vec::new();
    loop {
        if let Some(begin) = chain.iter().position(|w| w.process == at.process) {
            // A rank that is not in the circle waits behind it.
            let mut circle = chain.split_off(begin);
            let least = circle.iter().enumerate().min_by_key(|(_, w)| w.process).map_or(0, |(i, _)| i);
            circle.rotate_left(least);
            return (circle, None);
        }
        chain.push(at);
        let next = at.processes.iter().find_map(|p| by_process.get(p));
        match next {
            Some(next) => at = next,
            None => return (chain, at.processes.first().copied()),
        }
    }
}
