//! Where findings are in time.

use super::Report;

/// A call that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Place of the finding in the report, from 1.
    pub number: usize,
    pub code: &'static str,
    pub check: &'static str,
    pub severity: &'static str,
    pub message: String,
    pub process: i32,
    pub thread: u16,
    /// When it was called, in ticks of the rank.
    pub time: u64,
    pub call: String,
    pub role: String,
}

impl Report {
    /// The calls of all findings, as far as their times are known.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (i, f) in self.findings.iter().enumerate() {
            for site in &f.sites {
                let Some((time, _)) = site.span else { continue };
                marks.push(Mark {
                    number: i + 1,
                    code: f.code,
                    check: f.check,
                    severity: f.severity,
                    message: f.message.clone(),
                    process: site.process,
                    thread: site.thread,
                    time,
                    call: site.call.clone(),
                    role: site.role.clone(),
                });
            }
        }
        marks
    }
}
