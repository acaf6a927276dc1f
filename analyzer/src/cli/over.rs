//! The end of a job, which the user may know of.

use clap::Args;

#[derive(Debug, Args)]
pub(super) struct OverArgs {
    /// The job is over: processes on other hosts, which cannot be seen from here, are not taken to be running
    #[arg(long)]
    pub(super) over: bool,
}
