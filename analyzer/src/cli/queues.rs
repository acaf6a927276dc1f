//! `mpivet queues`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The format of the queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueueFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "mpivet queues [OPTIONS] PID...\n       mpivet queues [OPTIONS] --job DIR",
    after_help = "The processes need not have been started by mpivet. What is shown comes from the debugger DLL of their MPI \
                  library (MPIR_dll_name), or from mpivet's own for processes with libmpivet.so.\n\n\
                  Exit codes: 0 no deadlock found, 1 a deadlock, 2 wrong use, 3 a process could not be looked at."
)]
pub(super) struct QueuesArgs {
    /// Processes of one job, or its launcher (mpirun, mpiexec, srun), which means all MPI processes below it
    #[arg(value_name = "PID", required_unless_present = "job", value_parser = clap::value_parser!(i32).range(1..))]
    pids: Vec<i32>,
    /// All living processes of a job that mpivet records into this trace directory
    #[arg(long, value_name = "DIR", conflicts_with = "pids")]
    job: Option<PathBuf>,
    /// Stop each process while its queues are read [default: it runs on, and the queues are read again if they changed]
    #[arg(long)]
    stop: bool,
    /// Read no call stacks, for which each thread is stopped for a moment; deadlocks are not reported then
    #[arg(long)]
    no_stacks: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = QueueFormat::Text)]
    format: QueueFormat,
}

#[derive(Debug, Args)]
pub(super) struct QueuesOfArgs {
    pid: i32,
    #[arg(long)]
    stop: bool,
    #[arg(long)]
    no_stacks: bool,
}

/// The processes that are meant.
pub(crate) enum Job {
    Pids(Vec<i32>),
    Traces(PathBuf),
}

pub(crate) struct QueuesPlan {
    pub(crate) job: Job,
    pub(crate) stop: bool,
    pub(crate) stacks: bool,
    pub(crate) format: QueueFormat,
}

pub(crate) struct QueuesOfPlan {
    pub(crate) pid: i32,
    pub(crate) stop: bool,
    pub(crate) stacks: bool,
}

impl QueuesArgs {
    pub(super) fn plan(self) -> QueuesPlan {
        QueuesPlan {
            job: self.job.map_or(Job::Pids(self.pids), Job::Traces),
            stop: self.stop,
            stacks: !self.no_stacks,
            format: self.format,
        }
    }
}

impl QueuesOfArgs {
    pub(super) fn plan(self) -> QueuesOfPlan {
        QueuesOfPlan { pid: self.pid, stop: self.stop, stacks: !self.no_stacks }
    }
}
