//! Findings that were set aside: those that somebody has accepted, and those of an earlier report.

use super::FindingView;
use crate::plural::plural;
use serde::Serialize;

/// A finding that somebody has accepted.
#[derive(Debug, Serialize)]
pub(crate) struct SuppressedView {
    pub(crate) reason: String,
    /// File and line of the suppression.
    pub(crate) by: String,
    pub(crate) finding: FindingView,
    /// The baseline has it, too.
    #[serde(skip)]
    pub(crate) known: bool,
}

/// A suppression that covered nothing.
#[derive(Debug, Serialize)]
pub(crate) struct UnusedView {
    /// File and line.
    pub(crate) at: String,
    pub(crate) reason: String,
}

/// An earlier report.
#[derive(Debug, Serialize)]
pub(crate) struct BaselineView {
    pub(crate) file: String,
    /// Findings that both have.
    pub(crate) known: Vec<FindingView>,
    /// Number of its findings that are gone; `None`: not everything was looked at.
    pub(crate) gone: Option<usize>,
}

impl BaselineView {
    pub(crate) fn line(&self) -> Option<String> {
        let known = match self.known.len() {
            0 => None,
            n => {
                let are = if n == 1 { "is" } else { "are" };
                Some(format!("{} of the baseline {are} not shown", plural(n, "known finding")))
            }
        };
        let gone = self.gone.filter(|n| *n > 0).map(|n| {
            let are = if n == 1 { "is" } else { "are" };
            format!("{} of the baseline {are} gone", plural(n, "finding"))
        });
        let said: Vec<String> = known.into_iter().chain(gone).collect();
        (!said.is_empty()).then(|| format!("{} ({})", said.join(", "), self.file))
    }
}
