//! The section of objects that were not freed at the end: a line for each place. `--full` shows them like other
//! findings.

use super::line::Ink;
use super::{Page, finding};
use crate::groups::groups;
use crate::plural::plural;
use crate::report::Report;
use crate::view::FindingView;
use std::fmt::Write as _;

impl Page {
    pub(super) fn leaks(&mut self, report: &Report) {
        let leaks: Vec<&FindingView> = report.findings.iter().filter(|f| f.is_leak()).collect();
        if leaks.is_empty() {
            return;
        }
        self.line("");
        let head = self.new_line().ink(Ink::Bold, "not freed at the end:");
        self.push(head);
        for of_one in groups(leaks.iter().copied(), |leak| leak.library()) {
            let library = of_one[0].library();
            if let Some(library) = library {
                self.line(&format!("  in {library}, a library:"));
            }
            for leak in of_one {
                self.names.clone_from(report.names_of(leak));
                if self.style.full { self.finding(leak) } else { self.leak(leak) }
            }
            if let Some(library) = library {
                self.accepting(library);
            }
        }
        if self.style.full {
            return;
        }
        self.is_cut = true;
        let mut checks: Vec<&str> = leaks.iter().map(|leak| leak.check).collect();
        checks.sort_unstable();
        checks.dedup();
        checks.iter().for_each(|check| self.mark(&format!("more: mpivet explain {check}")));
    }

    /// An entry of a suppression file for what a library leaks: it is not the user's to mend.
    fn accepting(&mut self, library: &str) {
        self.mark("to accept what it leaks, in a file for --suppressions:");
        let library = library.replace(['\\', '"'], "?");
        let entry = ["[[suppress]]", "check = \"leak-*\"", &format!("library = \"{library}\""), "reason = \"...\""];
        entry.iter().for_each(|line| self.line(&format!("      {line}")));
    }

    /// `warning[MV301] leak-communicator: rank 0: a communicator made by MPI_Comm_dup is never freed, halo.c:12`
    fn leak(&mut self, leak: &FindingView) {
        let mut text = format!(" {}: {}", leak.check, leak.message.trim_end());
        if let Some(place) = leak.sites.first().and_then(finding::place_in_words) {
            _ = write!(text, ", {place}");
        }
        let others = leak.paths.len() + leak.more_paths.paths as usize;
        if others > 0 {
            _ = write!(text, "; by {} more", plural(others, "call path"));
        }
        for note in &leak.notes {
            _ = write!(text, "; {}", note.lines().collect::<Vec<_>>().join(" "));
        }
        let label = self.new_line().text("  ").ink(finding::ink(leak), &format!("{}[{}]", leak.severity, leak.code));
        self.push(label.text(&text));
    }
}
