//! The state of each process. Processes at the same place share a table, and processes with the same numbers share a
//! row.

use super::page::{Page, src};
use super::table::Table;
use crate::groups::groups;
use crate::protocol_data::Last;
use crate::view::RankEndView;
use std::collections::BTreeMap;

/// Errors and warnings of a process.
type Counts = BTreeMap<i32, (usize, usize)>;

impl Page<'_> {
    pub(super) fn processes(&mut self) {
        self.heading("State of processes");
        let counts = self.counts();
        let ended = &self.report.task.ended;
        for group in groups(ended, |e| (e.end, self.last(e).map(|l| (l.point, l.is_open)))) {
            self.line("");
            self.state(&group, &counts);
        }
    }

    fn last(&self, ended: &RankEndView) -> Option<&Last> {
        self.protocol.and_then(|p| p.last.get(&ended.process))
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for finding in &self.report.findings {
            for process in finding.processes(self.names()) {
                let (errors, warnings) = counts.entry(process).or_default();
                match finding.severity {
                    "error" => *errors += 1,
                    "warning" => *warnings += 1,
                    _ => {}
                }
            }
        }
        counts
    }

    /// Processes at one place.
    fn state(&mut self, group: &[&RankEndView], counts: &Counts) {
        let heads = ["Proc", "Term", "Nerr", "Nwarn", "Nsend", "Nrecv", "Ngop", "NPsend", "NPrecv", "NPgop", "passes"];
        let mut table = Table::new(&heads);
        let numbers = |e: &RankEndView| {
            let (errors, warnings) = counts.get(&e.process).copied().unwrap_or_default();
            let gops = e.unfinished.saturating_sub(e.unfinished_sends + e.unfinished_recvs);
            let passes = self.last(e).map_or(0, |l| l.passes);
            let operations = [e.sends, e.recvs, e.collectives, e.unfinished_sends, e.unfinished_recvs, gops];
            ([errors, warnings], operations, passes, e.exit_status)
        };
        for same in groups(group.iter().copied(), |e| numbers(e)) {
            let ranks: Vec<i32> = same.iter().map(|e| e.process).collect();
            let (findings, operations, passes, _) = numbers(same[0]);
            let cells = [self.list(&ranks), term(same[0])].into_iter().chain(findings.map(|n| n.to_string()));
            let cells = cells.chain(operations.map(|n| n.to_string()));
            table.row(cells.chain([passes.to_string()]).collect());
        }
        self.text.push_str(&table.to_string());
        let Some((last, protocol)) = self.last(group[0]).zip(self.protocol) else { return };
        let Some(point) = protocol.points.get(last.point) else { return };
        let what = if last.is_open { "call" } else { "ret" };
        self.line(&format!("  {what} {} {}", last.function, src(&point.site)));
        self.source(&point.site, "    ");
    }
}

/// The end of a process in a word.
fn term(ended: &RankEndView) -> String {
    match (ended.end, ended.exit_status) {
        ("normal", None | Some(0)) => "norm".into(),
        ("normal", Some(status)) => format!("norm ({status})"),
        ("stopped", _) => "abort".into(),
        (end, _) => end.to_owned(),
    }
}
