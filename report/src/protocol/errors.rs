//! Errors and warnings, each with its calls in all processes and with what was called around them.

use super::findings::{MAX_OF_FINDING, place_of};
use super::page::{Page, Sort, severity, sort_of, src};
use super::table::Table;
use crate::call_context::{CallContext, CountedCall};
use crate::groups::groups;
use crate::view::{FindingView, Site};
use std::collections::{BTreeMap, BTreeSet};
use trace_reader::text::{format_call, format_return};

/// Places of an error that are shown.
const MAX_PLACES: usize = 8;
/// Other ways to an error.
const MAX_WAYS: usize = 8;
/// Trace fragments of an error.
const MAX_FRAGMENTS: usize = 4;

impl Page<'_> {
    pub(super) fn errors(&mut self) {
        let findings = &self.report.findings;
        let errors: Vec<&FindingView> = findings.iter().filter(|f| sort_of(f) == Sort::Error).collect();
        self.heading("Errors and warnings");
        if errors.is_empty() {
            self.line("none");
            return;
        }
        let mut numbers: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for (i, finding) in errors.iter().enumerate() {
            for process in finding.processes(self.names()) {
                numbers.entry(process).or_default().push(i as i32 + 1);
            }
        }
        let mut table = Table::new(&["Proc", "N of its errors and warnings"]);
        for group in groups(&numbers, |(_, numbers)| (*numbers).clone()) {
            let ranks: Vec<i32> = group.iter().map(|(rank, _)| **rank).collect();
            let numbers: trace_format::ranks::Ranks = group[0].1.iter().copied().collect();
            table.row(vec![self.list(&ranks), numbers.to_string().replace(',', ", ")]);
        }
        self.text.push_str(&table.to_string());
        for (i, finding) in errors.iter().enumerate() {
            self.error(i + 1, finding);
        }
    }

    fn error(&mut self, n: usize, f: &FindingView) {
        self.line("");
        let mut table = Table::new(&["PROC", "N", "Error", "code", "", "times"]);
        let (ranks, times) = (self.list(&f.processes(self.names())), f.count.to_string());
        table.row(vec![ranks, n.to_string(), f.check.into(), f.code.into(), severity(f).into(), times]);
        self.text.push_str(&table.to_string());
        self.told(f);
        let places = groups(&f.sites, |s| (s.file.clone(), s.line, s.function.clone(), s.call.clone(), s.role.clone()));
        for place in places.iter().take(MAX_PLACES) {
            self.place(place);
        }
        let rest: Vec<i32> = places.iter().skip(MAX_PLACES).flatten().map(|s| s.process).collect();
        if !rest.is_empty() {
            self.line(&format!("  and in other calls {}", self.who(&rest)));
        }
        crate::call_paths::some(f, self.names(), MAX_WAYS).iter().for_each(|way| self.line(&format!("  {way}")));
        f.notes.iter().for_each(|note| self.line(&format!("  {note}")));
        self.fragments(f);
    }

    /// The message of the finding, in one or several lines.
    pub(super) fn told(&mut self, f: &FindingView) {
        f.message.trim_end().lines().for_each(|l| self.line(&format!("  {l}")));
        if let (Some(run), Some(under)) = (f.run, &f.under) {
            self.line(&format!("  first seen in run {run}, under {under}"));
        }
        if let Some(run) = f.came_true {
            self.line(&format!("  came true in run {run}"));
        }
    }

    /// A call that one or several processes made.
    fn place(&mut self, sites: &[&Site]) {
        let site = sites[0];
        let ranks: Vec<i32> = sites.iter().map(|s| s.process).collect();
        let pass = self.passed(site).map(|p| format!(" ({})", p.pass)).unwrap_or_default();
        let role = if site.role.is_empty() { String::new() } else { format!(", {}", site.role) };
        let thread = if site.thread == 0 { String::new() } else { format!(" thread {}", site.thread) };
        let function = if site.function.is_empty() { "outside of MPI" } else { &site.function };
        self.line(&format!("  Proc={}{thread} {function}{pass} {}{role}", self.list(&ranks), src(site)));
        self.source(site, "    ");
        self.communicator_of(site, "    ");
    }

    /// The call of a site, as the second reading of its trace has it.
    pub(super) fn passed(&self, site: &Site) -> Option<&CountedCall> {
        self.context(site)?.calls.get(&place_of(site))
    }

    fn context(&self, site: &Site) -> Option<&CallContext> {
        self.protocol?.contexts.get(&site.process).filter(|_| site.event > 0)
    }

    /// The group of the communicator that a call names. Groups are known in the numbers of each process, which are
    /// those of the report only if there is one world.
    pub(super) fn communicator_of(&mut self, site: &Site, indent: &str) {
        let Some((context, passed)) = self.context(site).zip(self.passed(site)) else { return };
        let Some(id) = passed.call.arg("comm").map(|comm| comm.int() as u32) else { return };
        let Some(ranks) = context.comms.get(&id).filter(|_| self.names().count() < 2) else { return };
        let name = trace_format::names::format_int(trace_format::mpi::Kind::Comm, i64::from(id), &context.names);
        let ranks = ranks.clone();
        self.line(&format!(
            "{indent}communicator = {name}   Nproc = {}   Ntriple = {}",
            ranks.len(),
            ranks.runs().len()
        ));
        self.triples(&ranks, indent);
    }

    /// The calls of the processes concerned, around those of the finding.
    fn fragments(&mut self, f: &FindingView) {
        let Some(protocol) = self.protocol else { return };
        let mut done = BTreeSet::new();
        let known = f.sites.iter().filter(|s| s.event > 0).take(MAX_OF_FINDING);
        for site in known {
            let whole = (site.process, site.thread);
            let Some(context) = protocol.contexts.get(&site.process) else { continue };
            if done.len() == MAX_FRAGMENTS || !done.insert(whole) {
                continue;
            }
            let mut own: Vec<&Site> =
                f.sites.iter().filter(|s| (s.process, s.thread) == whole && s.event > 0).collect();
            own.truncate(MAX_OF_FINDING);
            let calls: BTreeMap<u64, &CountedCall> =
                own.iter().flat_map(|s| context.around(place_of(s))).map(|p| (p.call.index, p)).collect();
            if calls.is_empty() {
                continue;
            }
            let thread = if site.thread == 0 { String::new() } else { format!(" thread {}", site.thread) };
            let title = format!("Trace fragment of process {}{thread}", self.list(&[site.process]));
            self.line("");
            self.line(&title);
            self.line(&"-".repeat(title.len()));
            let mut before: Option<u64> = None;
            for (index, passed) in calls {
                if before.is_some_and(|b| b + 1 < index) {
                    self.line("     ...");
                }
                before = Some(index);
                let mark =
                    own.iter().find(|s| place_of(s).1 == index).map(|s| if is_anomalous(f, s) { '!' } else { 'i' });
                self.fragment(site.process, context, passed, mark);
            }
        }
    }

    /// A call of a fragment.
    fn fragment(&mut self, process: i32, context: &CallContext, passed: &CountedCall, mark: Option<char>) {
        let call = &passed.call;
        let point = self.protocol.and_then(|p| p.point(process, call.func, call.site));
        let place = point.map(|p| src(&p.site)).unwrap_or_default();
        let (event, name) = (call.call_event(), call.func.name());
        let time = format!("time = {:.6} s", passed.seconds);
        self.line(&format!("{event:>5}{} call {name} ({}) {place} {time}", mark.unwrap_or(' '), passed.pass));
        if mark.is_some()
            && let Some(point) = point
        {
            self.source(&point.site, "         ");
        }
        self.line(&format!("         {}", format_call(call, &context.names)));
        match call.is_open() {
            true => self.line("         has not returned"),
            false => self.line(&format!("{:>5}  ret {}", call.return_event(), format_return(call, &context.names))),
        }
    }
}

/// Is the call one that the error is about? The others explain it.
fn is_anomalous(finding: &FindingView, site: &Site) -> bool {
    finding.sites.first().is_some_and(|first| std::ptr::eq(first, site) || first.role == site.role)
}
