//! The task as a whole: its state, where its processes are, which errors it has and where.

use super::page::{Page, line_and_file, severity};
use super::table::Table;
use crate::groups::groups;
use crate::plural::plural;
use crate::protocol_data::processes;
use crate::view::{FindingView, Site};
use std::collections::BTreeSet;

impl Page<'_> {
    pub(super) fn task(&mut self) {
        let task = &self.report.task;
        self.heading("Task state");
        let words = std::iter::once(&task.program).chain(&task.arguments);
        self.line(&words.cloned().collect::<Vec<_>>().join(" "));
        self.line("");
        let ended = |ends: &[&str]| task.ended.iter().filter(|e| ends.contains(&e.end)).count();
        let (abend, abort, normal) = (ended(&["abend"]), ended(&["abort", "stopped"]), ended(&["normal"]));
        let unknown = task.ended.len() - abend - abort - normal;
        let sends: u64 = task.ended.iter().map(|e| e.unfinished_sends).sum();
        let recvs: u64 = task.ended.iter().map(|e| e.unfinished_recvs).sum();
        let counts = [task.ended.len(), abend, abort, normal, unknown, task.errors, task.warnings];
        let heads = ["Nproc", "abend", "abort", "normal", "unknown", "Nerr", "Nwarn", "NPsend", "NPrecv"];
        let mut table = Table::new(&heads);
        table.row(counts.iter().map(usize::to_string).chain([sends.to_string(), recvs.to_string()]).collect());
        self.text.push_str(&table.to_string());
        let mut remarks = Vec::new();
        if task.notes > 0 {
            remarks.push(format!("besides, there are {}", plural(task.notes, "note")));
        }
        let hidden: u64 = task.hidden.iter().map(|h| h.findings).sum();
        if hidden > 0 {
            let what = plural(hidden as usize, "finding");
            remarks.push(format!("{what} beyond the limit of --max-findings are counted here and not shown below"));
        }
        let defects = self.report.defects().into_iter();
        remarks.extend(defects.map(|d| format!("the trace is incomplete, and so is this protocol: {d}")));
        remarks.extend(self.report.remarks());
        if self.report.exploration.is_some() {
            remarks.push("states, calls and times are those of the first run".to_owned());
        }
        if !remarks.is_empty() {
            self.line("");
        }
        remarks.iter().for_each(|r| self.line(r));
    }

    /// The places of the processes.
    pub(super) fn current(&mut self) {
        let Some(protocol) = self.protocol else { return };
        let what = |is_open: bool| if is_open { "call" } else { "ret" };
        let mut table = Table::new(&["N", "function", "Nproc", "Nsrc"]);
        for group in groups(protocol.last.values(), |l| (l.function, l.is_open)) {
            let points: BTreeSet<usize> = group.iter().map(|l| l.point).collect();
            let function = format!("{} {}", what(group[0].is_open), group[0].function);
            let n = (table.len() + 1).to_string();
            table.row(vec![n, function, group.len().to_string(), points.len().to_string()]);
        }
        self.table("Current functions", &table);
        let mut table = Table::new(&["N", "line", "file", "Nproc", "function"]);
        for group in groups(protocol.last.values(), |l| (l.point, l.is_open)) {
            let Some(point) = protocol.points.get(group[0].point) else { continue };
            let (line, file) = line_and_file(&point.site);
            let function = format!("{} {}", what(group[0].is_open), group[0].function);
            let n = (table.len() + 1).to_string();
            table.row(vec![n, line, file, group.len().to_string(), function]);
        }
        self.table("Current source code points (src)", &table);
    }

    /// The kinds of errors, and their places.
    pub(super) fn kinds(&mut self) {
        let findings = &self.report.findings;
        if findings.is_empty() {
            self.line("");
            let calls: u64 = self.report.task.ended.iter().map(|e| e.calls).sum();
            let verdict = self.report.verdict_without_findings(&plural(calls as usize, "MPI call"));
            self.line(&sentence(&verdict));
            return;
        }
        let kinds = groups(findings, |f| (f.code, f.severity));
        let heads = ["N", "error code", "", "error name", "Nerr", "Ntimes", "Nproc", "Nsrc"];
        let mut table = Table::new(&heads);
        for kind in &kinds {
            let first = kind[0];
            let times: u64 = kind.iter().map(|f| f.count).sum();
            let concerned: BTreeSet<i32> = kind.iter().flat_map(|f| f.processes(self.names())).collect();
            let points = points(kind).len();
            let (n, name) = ((table.len() + 1).to_string(), first.check.to_owned());
            let counts = [kind.len().to_string(), times.to_string(), concerned.len().to_string(), points.to_string()];
            let cells = [n, first.code.to_owned(), severity(first).to_owned(), name];
            table.row(cells.into_iter().chain(counts).collect());
        }
        self.table("All errors/warnings", &table);
        self.points_of("all errors/warnings", &findings.iter().collect::<Vec<_>>());
        for kind in &kinds {
            self.points_of(&format!("{} {}", kind[0].code, kind[0].check), kind);
        }
    }

    fn points_of(&mut self, what: &str, findings: &[&FindingView]) {
        let mut table = Table::new(&["N", "line", "file", "Nproc", "function"]);
        for sites in points(findings) {
            let concerned: BTreeSet<i32> = sites.iter().map(|s| s.process).collect();
            let (line, file) = line_and_file(sites[0]);
            let (n, function) = ((table.len() + 1).to_string(), sites[0].function.clone());
            table.row(vec![n, line, file, concerned.len().to_string(), function]);
        }
        if table.is_empty() {
            return;
        }
        self.table(&format!("Source code points of {what}"), &table);
    }

    /// `2 processes: 0, 1`
    pub(super) fn who(&self, ranks: &[i32]) -> String {
        format!("{}: {}", processes(ranks.len()), self.list(ranks))
    }
}

/// Adds a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(rest).chain(['.']).collect()
}

/// The places in the sources that findings name, in their order.
fn points<'a>(findings: &[&'a FindingView]) -> Vec<Vec<&'a Site>> {
    let known = findings.iter().flat_map(|f| &f.sites).filter(|s| s.line.is_some() || !s.stack.is_empty());
    let offset = |s: &Site| s.stack.get(s.user).map(|f| f.offset).filter(|_| s.line.is_none());
    let mut points = groups(known, |s| (s.file.clone(), s.line, offset(s), s.function.clone()));
    points.sort_by_key(|sites| (sites[0].file.clone(), sites[0].line));
    points
}
