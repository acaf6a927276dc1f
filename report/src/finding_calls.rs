//! The calls of findings in time.

use crate::report::Report;

/// A call that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingCall {
    /// Place of the finding in the report, from 1.
    pub number: usize,
    pub code: &'static str,
    pub check: &'static str,
    pub severity: &'static str,
    pub message: String,
    pub process: i32,
    pub thread: u16,
    /// Time of the call, in ticks of the rank.
    pub time: u64,
    pub call: String,
    pub role: String,
}

impl Report {
    /// The calls of all findings, as far as their times are known.
    pub fn finding_calls(&self) -> Vec<FindingCall> {
        let mut calls = Vec::new();
        for (i, f) in self.findings.iter().enumerate() {
            for site in &f.sites {
                let Some((time, _)) = site.span else { continue };
                calls.push(FindingCall {
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
        calls
    }
}
