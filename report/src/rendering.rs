//! A form of a report, as each format describes its own.

use crate::report::Report;
use crate::style::Style;

/// A format: its name, and how a report is written in it. Each format has one, `FORMAT`; `format.rs` lists them.
pub(crate) struct Rendering {
    /// The word of the command line.
    pub(crate) name: &'static str,
    /// The help of the command line, where the name does not say it all.
    pub(crate) help: Option<&'static str>,
    /// The extension of its files.
    pub(crate) extension: &'static str,
    /// Only text has a style.
    pub(crate) render: fn(&Report, Style) -> String,
    /// The content of a file if there is no report: that there is none, and why, in the form that its readers expect.
    pub(crate) failure: fn(&str) -> String,
    /// The data that it shows beside findings.
    pub(crate) needs: Needs,
}

/// Data beside findings, which are gathered for the formats that show them.
#[derive(Clone, Copy)]
pub(crate) struct Needs {
    /// The run in numbers.
    pub(crate) statistics: bool,
    /// The states of the ranks over time.
    pub(crate) timeline: bool,
    /// The tables of the protocol.
    pub(crate) protocol: bool,
}

impl Needs {
    pub(crate) const FINDINGS: Needs = Needs { statistics: false, timeline: false, protocol: false };
}
