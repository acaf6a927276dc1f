//! `mpivet export`.

use super::over::OverArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "At https://ui.perfetto.dev the file is opened by the page itself: nothing is uploaded.")]
pub(super) struct ExportArgs {
    /// Trace directory
    dir: PathBuf,
    /// Write a trace for Perfetto and chrome://tracing to FILE, or to standard output if that is `-`: calls, messages,
    /// collective operations, regions of the program, performance variables, findings
    #[arg(long, value_name = "FILE", required_unless_present = "csv")]
    perfetto: Option<PathBuf>,
    /// Write a table with one line a call to FILE, or to standard output if that is `-`
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Megabytes after which no more calls, messages and collective operations are written; 0: no limit [default:
    /// 1024]
    #[arg(long, value_name = "MB", default_value_t = 1024, hide_default_value = true,
          value_parser = trace_format::settings::retention::megabytes)]
    max_size: u64,
    #[command(flatten)]
    over: OverArgs,
}

/// The file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

pub(crate) struct ExportPlan {
    pub(crate) dir: PathBuf,
    pub(crate) perfetto: Option<Target>,
    pub(crate) csv: Option<Target>,
    /// Megabytes; 0: no limit.
    pub(crate) most: u64,
    /// The user says that the job is over.
    pub(crate) over: bool,
}

impl ExportArgs {
    pub(super) fn plan(self) -> ExportPlan {
        let target = |path: PathBuf| if path.as_os_str() == "-" { Target::Stdout } else { Target::File(path) };
        ExportPlan {
            dir: self.dir,
            perfetto: self.perfetto.map(target),
            csv: self.csv.map(target),
            most: self.max_size,
            over: self.over.over,
        }
    }
}
