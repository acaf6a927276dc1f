//! Files for a machine that gates on reports, besides `--fail-on`: findings that somebody has looked at and accepted
//! ([`suppressions`]), and those that an earlier report has ([`baseline`]). This folder reads the files;
//! `set_aside.rs` compares findings with them.

pub mod baseline;
mod date;
mod entry;
pub mod suppressions;

pub use date::Date;
pub use entry::{Call, Entry};

use baseline::Baseline;
use std::path::PathBuf;
use trace_format::catalogue::CHECKS;
use trace_format::settings::selection::Selection;

/// Why a file of the gate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    #[error("cannot read {file}: {why}")]
    Unreadable { file: String, why: std::io::Error },
    /// `FILE:LINE:COLUMN: what is wrong`, one line each.
    #[error("{}", .0.join("\n"))]
    Wrong(Vec<String>),
    #[error("{file} is no baseline: {why}")]
    NoBaseline { file: String, why: String },
}

/// See the module.
#[derive(Debug, Default)]
pub struct Gate {
    pub(crate) entries: Vec<Entry>,
    /// Entries that come with mpivet.
    pub(crate) shipped: Vec<Entry>,
    pub(crate) baseline: Option<Baseline>,
    /// Limit of the remaining findings that are shown of each rank; `None`: all.
    pub(crate) most: Option<u64>,
    /// Codes of the checks that are on. Entries for other checks do not count as unused.
    pub(crate) on: Vec<&'static str>,
}

impl Gate {
    /// Reads the files. `shipped`: with the entries that come with mpivet; `selection`: the checks and limits that the
    /// user chose.
    pub fn read(
        suppressions: &[PathBuf],
        shipped: bool,
        baseline: Option<&PathBuf>,
        selection: &Selection,
    ) -> Result<Gate, GateError> {
        let (mut entries, mut wrong) = (Vec::new(), Vec::new());
        for file in suppressions {
            match suppressions::read(file) {
                Ok(more) => entries.extend(more),
                Err(GateError::Wrong(lines)) => wrong.extend(lines),
                Err(other) => return Err(other),
            }
        }
        if !wrong.is_empty() {
            return Err(GateError::Wrong(wrong));
        }
        let baseline = baseline.map(|file| Baseline::read(file)).transpose()?;
        let on = CHECKS.iter().filter(|c| selection.is_on(c)).map(|c| c.code).collect();
        let shipped = if shipped { suppressions::shipped()? } else { Vec::new() };
        Ok(Gate { entries, shipped, baseline, most: selection.max_findings(), on })
    }

    /// The user accepts nothing.
    pub fn is_open(&self) -> bool {
        self.entries.is_empty() && self.baseline.is_none()
    }

    /// The checks that the analysis needs. It must not stop at `--max-findings` before it is known which findings
    /// count.
    pub fn selection(&self, selection: &Selection) -> Selection {
        let mut selection = selection.clone();
        if !self.is_open() {
            selection.set_max_findings(0);
        }
        selection
    }
}
