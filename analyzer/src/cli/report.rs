//! What all commands that report have in common, and `mpivet analyze`.

use super::Exit;
use super::config::ConfigFileArgs;
use crate::choices::Choices;
use analyzer::report::{FailOn, Format};
use clap::Args;
use std::path::PathBuf;
use trace_format::selection::Selection;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report to FILE, in the format chosen; the terminal keeps the text
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Exit with 1 if there is a finding of this severity or a worse one
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    #[command(flatten)]
    choices: Choices,
}

#[derive(Debug, Args)]
pub(super) struct AnalyzeArgs {
    /// Trace directory
    dir: PathBuf,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    _config: ConfigFileArgs,
}

/// Where the report goes, and what counts.
pub(crate) struct ReportPlan {
    pub(crate) format: Format,
    /// Created before the work begins, so that a bad path fails early.
    pub(crate) file: Option<(PathBuf, std::fs::File)>,
    pub(crate) fail_on: FailOn,
    pub(crate) selection: Selection,
}

pub(crate) struct AnalyzePlan {
    pub(crate) dir: PathBuf,
    pub(crate) report: ReportPlan,
}

impl ReportPlan {
    pub(super) fn new(args: ReportArgs) -> Result<ReportPlan, Exit> {
        let selection = args.choices.selection()?;
        let file = match args.report {
            None => None,
            Some(path) => match std::fs::File::create(&path) {
                Ok(file) => Some((path, file)),
                Err(e) => {
                    return Err(Exit::Usage(format!("cannot write the report to {}: {e}", path.display())));
                }
            },
        };
        Ok(ReportPlan { format: args.format, file, fail_on: args.fail_on, selection })
    }
}

impl AnalyzeArgs {
    pub(super) fn plan(self) -> Result<AnalyzePlan, Exit> {
        Ok(AnalyzePlan { dir: self.dir, report: ReportPlan::new(self.report)? })
    }
}
