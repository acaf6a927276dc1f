//! `mpivet doctor`.

use clap::{Args, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    override_usage = "mpivet doctor [OPTIONS] -- LAUNCHER [ARGS]...",
    after_help = "Example: mpivet doctor -- mpirun -n 4 ./app args\nExit codes: 0 mpivet run will work, 3 it will not"
)]
pub(super) struct DoctorArgs {
    /// The directory in which traces are to be
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Do not start the launcher. Otherwise it starts a process of mpivet in place of each rank
    #[arg(long)]
    no_start: bool,
    /// How long the launcher may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The command that starts the job
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(crate) struct DoctorPlan {
    /// The directory in which the trace directory is to be.
    pub(crate) dir: PathBuf,
    /// Is the launcher to be started?
    pub(crate) starts: bool,
    pub(crate) timeout: Duration,
    pub(crate) command: Vec<OsString>,
}

impl DoctorArgs {
    pub(super) fn plan(self) -> DoctorPlan {
        let DoctorArgs { dir, no_start, timeout, command } = self;
        DoctorPlan { dir, starts: !no_start, timeout: Duration::from_secs(timeout), command }
    }
}

/// In place of a rank.
#[derive(Debug, Args)]
pub(super) struct DoctorRankArgs {
    /// The program in whose place it is
    pub(super) program: PathBuf,
}
