//! Compares the findings of a report with accepted and known ones ([`crate::gate`]). Findings that are set aside are in
//! lists of their own: the list of findings has only those that count.

use crate::gate::{Call, Date, Entry, Gate};
use crate::order::order_of_several;
use crate::places::argument;
use crate::plural::plural;
use crate::report::Report;
use crate::view::{BaselineView, FindingView, Site, SuppressedView, UnusedView, hidden_view};
use engine::limit::{Hidden, limit_by};
use engine::worlds::Names;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use trace_format::finding::Severity;
use trace_format::mpi::{FnId, Function, kinds::Kind};

impl Report {
    /// Sets aside the findings that are accepted and those that are known; the others are limited, counted and shown.
    pub fn pass(&mut self, gate: &Gate) {
        self.pass_on(gate, Date::today());
    }

    fn pass_on(&mut self, gate: &Gate, today: Date) {
        // An exploration was not limited before.
        let is_limited = gate.is_open() && self.exploration.is_none();
        let is_shipped = |entry: &Entry| self.findings.iter().any(|finding| finding.is_covered_by(entry));
        if is_limited && !gate.shipped.iter().any(is_shipped) {
            return;
        }
        let whole = self.is_whole();
        self.suppress(gate, today, whole);
        self.set_known_aside(gate, whole);
        let count = |s: Severity| self.findings.iter().filter(|f| f.severity == s.name()).count();
        let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
        (self.task.errors, self.task.warnings, self.task.notes) = (errors, warnings, notes);
        if is_limited {
            return;
        }
        self.max_findings = gate.most;
        if let Some(most) = gate.most {
            self.limit(most);
        }
    }

    /// Limits the findings of each rank that are shown; each job has its own limit.
    fn limit(&mut self, most: u64) {
        let mut of_jobs: BTreeMap<Option<usize>, Vec<FindingView>> = BTreeMap::new();
        for finding in std::mem::take(&mut self.findings) {
            of_jobs.entry(finding.jobs.first().copied()).or_default().push(finding);
        }
        for (number, findings) in of_jobs {
            let (shown, hidden) = limit_by(findings, most, FindingView::facts);
            self.findings.extend(shown);
            let left_out: u64 = hidden.iter().map(Hidden::findings).sum();
            let view = |names: &Names| hidden.into_iter().map(|h| hidden_view(h, names)).collect();
            match number.and_then(|number| self.jobs.get_mut(number.wrapping_sub(1))) {
                Some(job) => {
                    job.task.hidden = view(&job.names);
                    let number = job.job;
                    self.tell_hidden(number, left_out as usize, most);
                }
                None => self.task.hidden = view(&self.names),
            }
        }
        if !self.jobs.is_empty() {
            self.findings.sort_by_key(order_of_several);
        }
    }

    /// Did the run come to its end, and was all of it seen? Then what is not in the traces did not happen.
    fn is_whole(&self) -> bool {
        let explored = self.exploration.as_ref().is_none_or(|e| e.complete);
        let task = &self.task;
        let mut ended = task.ended.iter().chain(self.jobs.iter().flat_map(|job| &job.task.ended));
        explored && !task.stopped && task.defects.is_empty() && ended.all(|e| e.end == "normal")
    }

    fn suppress(&mut self, gate: &Gate, today: Date, whole: bool) {
        let entries = || gate.entries.iter().chain(&gate.shipped);
        let mut used = vec![0u64; entries().count()];
        for mut finding in std::mem::take(&mut self.findings) {
            let (mut by, mut why_not) = (None, Vec::new());
            for (entry, used) in entries().zip(&mut used) {
                if !finding.is_covered_by(entry) {
                    continue;
                }
                *used += 1;
                let is_full = entry.count.is_some_and(|most| *used > most);
                if !is_full && !entry.has_ended(today) {
                    by = Some(entry);
                    break;
                }
                if !gate.shipped.iter().any(|shipped| std::ptr::eq(shipped, entry)) {
                    why_not.push(entry.why_not(is_full));
                }
            }
            match by {
                Some(entry) => {
                    let (reason, by) = (entry.reason.clone(), entry.at.clone());
                    let known = gate.baseline.as_ref().is_some_and(|b| b.fingerprints.contains(&finding.fingerprint));
                    self.suppressed.push(SuppressedView { reason, by, finding, known });
                }
                None => {
                    finding.notes.extend(why_not);
                    self.findings.push(finding);
                }
            }
        }
        // A check that is off finds nothing, whatever the program does.
        let looked_for = |entry: &Entry| entry.checks.as_ref().is_none_or(|c| c.iter().any(|c| gate.on.contains(c)));
        let unused = gate.entries.iter().zip(used).filter(|(entry, used)| whole && *used == 0 && looked_for(entry));
        let view = |(entry, _): (&Entry, u64)| UnusedView { at: entry.at.clone(), reason: entry.reason.clone() };
        self.unused_suppressions = unused.map(view).collect();
    }

    fn set_known_aside(&mut self, gate: &Gate, whole: bool) {
        let Some(baseline) = &gate.baseline else { return };
        let is_known = |f: &FindingView| baseline.fingerprints.contains(&f.fingerprint);
        let (known, new) = std::mem::take(&mut self.findings).into_iter().partition(is_known);
        self.findings = new;
        let known: Vec<FindingView> = known;
        let accepted = self.suppressed.iter().map(|s| &s.finding);
        let there: BTreeSet<&str> = known.iter().chain(accepted).map(|f| f.fingerprint.as_str()).collect();
        let gone = baseline.fingerprints.iter().filter(|f| !there.contains(f.as_str())).count();
        self.baseline = Some(BaselineView { file: baseline.name.clone(), known, gone: whole.then_some(gone) });
    }
}

impl Entry {
    /// Why it does not cover a finding that it is about.
    fn why_not(&self, is_full: bool) -> String {
        let why = match (self.count, self.until) {
            (Some(most), _) if is_full => format!("is for {} at most", plural(most as usize, "finding")),
            (_, Some(until)) => format!("ended on {until}"),
            _ => String::new(),
        };
        format!("not suppressed: {} {why}", self.at)
    }
}

impl FindingView {
    fn is_covered_by(&self, entry: &Entry) -> bool {
        let covers = |sites: &[Site]| {
            let calls: Vec<Call> = sites.iter().map(Site::as_call).collect();
            entry.covers(self.code, &calls)
        };
        // An entry that accepts one caller does not accept the others.
        covers(&self.sites) && self.paths.iter().all(|path| covers(&path.sites))
    }

    /// The properties that its limit depends on.
    fn facts(&self) -> (Option<i32>, Severity, &'static str) {
        let severity = Severity::by_name(self.severity).unwrap_or(Severity::Note);
        let rank = self.sites.first().map(|s| s.process).or(self.ranks.first().copied());
        (rank, severity, self.code)
    }
}

impl Site {
    fn as_call(&self) -> Call<'_> {
        let frames = self.stack.iter().filter(|f| f.is_user).filter_map(|f| f.function.as_deref());
        let caller = self.stack.first().and_then(|frame| frame.module.as_deref()?.rsplit('/').next());
        let paths = self.file.as_deref().into_iter().chain((!self.short.is_empty()).then_some(self.short.as_str()));
        Call {
            functions: std::iter::once(self.function.as_str()).chain(frames).collect(),
            paths: paths.collect(),
            communicators: FnId::by_name(&self.function)
                .map(|f| communicators(f.row(), &self.call))
                .unwrap_or_default(),
            libraries: self.library.as_deref().into_iter().chain(caller).collect(),
        }
    }
}

/// The names of the communicators among the arguments of a call, as the readable notation has them.
fn communicators<'a>(function: &Function, call: &'a str) -> Vec<&'a str> {
    // A new object is a handle behind a pointer.
    let value = |parameter| argument(function, call, parameter).map(|value| value.trim_start_matches('@'));
    function.params.iter().filter(|p| p.kind == Kind::Comm).filter_map(|p| value(p.name)).collect()
}

/// The gate's verdict on a finding.
pub(super) struct State<'a> {
    /// The baseline has it; `None`: there is no baseline.
    known: Option<bool>,
    suppressed: Option<&'a SuppressedView>,
}

/// All findings, also those that were set aside: those that count come first.
pub(super) fn all(report: &Report) -> impl Iterator<Item = (&FindingView, State<'_>)> {
    let state = |known| State { known: report.baseline.as_ref().map(|_| known), suppressed: None };
    let counting = report.findings.iter().map(move |f| (f, state(false)));
    let suppressed =
        report.suppressed.iter().map(move |s| (&s.finding, State { suppressed: Some(s), ..state(s.known) }));
    let known = report.baseline.iter().flat_map(|b| &b.known).map(move |f| (f, state(true)));
    counting.chain(suppressed).chain(known)
}

impl State<'_> {
    /// Writes it into a result of SARIF.
    pub(super) fn tell(&self, result: &mut Value) {
        if let Some(known) = self.known {
            result["baselineState"] = if known { "unchanged" } else { "new" }.into();
        }
        if let Some(s) = self.suppressed {
            let suppression = json!({ "kind": "external", "justification": s.reason, "properties": { "by": s.by } });
            result["suppressions"] = json!([suppression]);
        }
    }
}
