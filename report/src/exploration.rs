//! The report of several runs of one program (`mpivet run --explore`): what was explored, and the findings of all runs.

use crate::fingerprint::{self, FindingKey};
use crate::order::order_of_several;
use crate::report::Report;
use crate::view::{Exploration, FindingView, RunEnd};
use rustc_hash::FxHashSet;
use trace_format::catalogue::ABORT;

/// A finding for which there is a witness.
#[derive(Debug, Clone)]
pub struct Potential {
    pub key: FindingKey,
    /// Number of the witness in the trace directory of its run.
    pub witness: usize,
    pub sync_sends: bool,
}

impl Report {
    /// Turns the report of the first run into the report of the exploration.
    pub fn begin_exploration(&mut self, dir: String) {
        self.exploration = Some(Exploration { dir, ..Exploration::default() });
        self.findings.iter_mut().for_each(|f| name_witness(f, "run-1"));
    }

    /// The result of the exploration.
    pub fn exploration_mut(&mut self) -> Option<&mut Exploration> {
        self.exploration.as_mut()
    }

    /// Findings for which there is a witness.
    pub fn potentials(&self) -> Vec<Potential> {
        let of = |f: &FindingView| {
            let rerun = f.rerun?;
            Some(Potential { key: f.key(), witness: rerun.witness, sync_sends: rerun.sync_sends })
        };
        self.findings.iter().filter_map(of).collect()
    }

    pub fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Adds the findings of a further run that no earlier run had; returns a line for each. `under`: the witness of the
    /// run, and how the run differed from earlier ones.
    pub fn merge(
        &mut self,
        mut other: Report,
        run: usize,
        (under, cause): (&str, Option<String>),
        end: RunEnd,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        if end == RunEnd::Interrupted {
            // The user ended the job: the abort is no mistake of the program.
            other.findings.retain(|f| f.check != ABORT.name);
        }
        let known: FxHashSet<FindingKey> = self.findings.iter().map(FindingView::key).collect();
        for mut finding in other.findings {
            if known.contains(&finding.key()) {
                continue;
            }
            lines.push(format!("{}[{}] {}: {}", finding.severity, finding.code, finding.check, finding.message));
            let count = match finding.severity {
                "error" => &mut self.task.errors,
                "warning" => &mut self.task.warnings,
                _ => &mut self.task.notes,
            };
            *count += 1;
            name_witness(&mut finding, &format!("run-{run}"));
            (finding.run, finding.under) = (Some(run), Some(under.to_owned()));
            finding.notes.extend(cause.clone());
            self.findings.push(finding);
        }
        self.findings.sort_by_key(order_of_several);
        fingerprint::assign(&mut self.findings);
        for mut defect in other.task.defects {
            defect.what = format!("{} (run {run})", defect.what);
            self.task.defects.push(defect);
        }
        for hint in other.hints {
            // Each run has a line of its own on how it was altered.
            if !hint.ends_with("(--replay)") && !self.hints.contains(&hint) {
                self.hints.push(hint);
            }
        }
        lines
    }

    /// Notes the outcome of the run that took the messages of the finding's witness: it hung, or came to its end.
    pub fn came_true(&mut self, key: &FindingKey, run: usize, hung: bool) {
        let same = self.findings.iter_mut().find(|f| f.key() == *key);
        let Some(finding) = same.filter(|f| f.came_true.is_none()) else { return };
        if hung {
            finding.came_true = Some(run);
        } else {
            let what = "took these messages and did not hang: the ranks went on in another way";
            finding.notes.push(format!("run {run} {what}"));
        }
    }
}

/// Writes the directory of the run or job in front of the name of the witness.
pub(super) fn name_witness(finding: &mut FindingView, dir: &str) {
    if finding.rerun.is_some() {
        for note in &mut finding.notes {
            *note = note.replace("--replay witness-", &format!("--replay {dir}/witness-"));
        }
    }
}
