//! `mpivet run`.

use super::config::ConfigFileArgs;
use super::report::{ReportArgs, ReportPlan};
use crate::exit::Exit;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use trace_format::run::suspects::Suspects;
use trace_format::run::witness::Witness;
use trace_format::sample::Sampling;

/// Buffers that the running program takes checksums of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checksums {
    Off,
    Sends,
    All,
}

impl Checksums {
    /// The value of `MPIVET_CHECKSUMS`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Checksums::Off => "off",
            Checksums::Sends => "sends",
            Checksums::All => "all",
        }
    }
}

/// Accesses that are trapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precise {
    Off,
    Stores,
    Loads,
}

impl Precise {
    /// The value of `MPIVET_PRECISE`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Precise::Off => "off",
            Precise::Stores => "stores",
            Precise::Loads => "loads",
        }
    }
}

/// The runs after which the trace directory is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Keep {
    /// Runs that leave questions: a finding, a failure, an interruption, arrays that the program has put there
    #[default]
    Findings,
    Always,
    Never,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "mpivet run [OPTIONS] -- LAUNCHER [ARGS]...\n       mpivet run --each [OPTIONS] -- COMMAND [ARGS]...",
    after_help = "Example: mpivet run -- mpirun -n 4 ./app args"
)]
pub(super) struct RunArgs {
    /// Trace directory [default: mpivet-PROGRAM-PID in the working directory]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// The runs after which the trace directory is kept [default: findings]. A directory that --dir names is kept in
    /// any case
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, hide_default_value = true)]
    keep: Keep,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    _config: ConfigFileArgs,
    /// Frames kept of each call stack [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) stack_depth: Option<u32>,
    /// Error that times may have, for smaller traces: a loop whose times vary by no more takes next to no room
    /// [default: 0, times as they were measured]
    #[arg(long, value_name = "TIME", value_parser = trace_format::settings::retention::time_error)]
    time_error: Option<u64>,
    /// Keep only the last megabytes of each rank's events; mpivet still judges all that it reads while the job runs
    /// [default: keep all]
    #[arg(long, value_name = "MB", value_parser = trace_format::settings::retention::megabytes)]
    max_trace_size: Option<u64>,
    /// Directory on each node for stages, the files in which ranks record their last calls; it must be in memory or
    /// on a local disk [default: the trace directory; /dev/shm if that is on a network file system and all ranks are
    /// on one node]
    #[arg(long, value_name = "DIR")]
    stage_dir: Option<PathBuf>,
    /// Port, or range of ports such as 40000-40100, at which mpivet listens for its agents on other nodes of the job
    /// [default: any]
    #[arg(long, value_name = "PORT", value_parser = ports)]
    port: Option<RangeInclusive<u16>>,
    /// Most megabytes that each agent sends in a second while ranks go on, where nodes do not share the trace directory;
    /// what ranks have done is sent whole when they rest [default: 8]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    agent_bandwidth: Option<u64>,
    /// Watch ranks on other nodes by their files alone: no agent on each node tells what happens there
    #[arg(long)]
    no_agents: bool,
    /// Buffers to take checksums of: none, those of pending sends, to see whether they change, or all that are sent
    /// and received, to compare them as well [default: sends]
    #[arg(long, value_name = "WHICH", value_enum)]
    checksums: Option<Checksums>,
    /// Look only at samples of buffers with more bytes [default: look at all data]
    #[arg(long, value_name = "BYTES")]
    sample_over: Option<u64>,
    /// Know the blocks that the program allocates, to find buffers that reach beyond theirs or lie in memory that was freed
    /// (check buffer-too-small): each allocation takes some nanoseconds more; --precise has it, too
    #[arg(long)]
    heap: bool,
    /// Alter the run: standard sends (MPI_Send, MPI_Isend, MPI_Send_init) wait for their receives like synchronous ones, so
    /// that a potential deadlock becomes a real one
    #[arg(long)]
    sync_sends: bool,
    /// Alter the run: wildcards take the messages that the file WITNESS names
    #[arg(long, value_name = "WITNESS")]
    replay: Option<PathBuf>,
    /// Run the program again and again, each time with other messages for its wildcards, until all that they can take was
    /// taken or a limit is reached; one report of all runs
    #[arg(long, conflicts_with_all = ["replay", "no_stop"])]
    explore: bool,
    /// The command starts MPI jobs by itself, one or many, in turn or at once (a test driver, a script): each gets a trace
    /// directory of its own and is watched; one report of all jobs
    #[arg(long, conflicts_with_all = ["explore", "replay"])]
    each: bool,
    /// Limit of the runs of --explore
    #[arg(long, value_name = "N", default_value_t = 20, requires = "explore", value_parser = clap::value_parser!(u32).range(1..))]
    explore_runs: u32,
    /// Seconds after which --explore starts no more runs
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "explore")]
    explore_time: u64,
    /// Measure at the start up to which size the MPI library buffers messages, with messages of its own between ranks 0 and 1
    #[arg(long)]
    probe_limits: bool,
    /// Alter the run: set a control variable of the MPI library before MPI_Init, through MPI_T or, where it is the
    /// documented way, by the environment
    #[arg(long, value_name = "NAME=VALUE", value_parser = cvar)]
    cvar: Vec<String>,
    /// Alter the run: let the MPI library buffer as little as it can, so that sends which rely on buffering hang
    #[arg(long)]
    stress: bool,
    /// Read performance variables of the MPI library while the program runs: names with commas between, in which *
    /// stands for anything [default: the lengths of message queues], and behind @ the interval [default: 100ms]
    #[arg(long, value_name = "NAMES@INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "@100ms",
          value_parser = sampling)]
    pvars: Option<String>,
    /// Protect the memory of pending operations while the program runs, to name the very instruction that touches it: `stores`, or
    /// `loads`, which are stores and loads [default without a word: loads]
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "loads", value_enum)]
    precise: Option<Precise>,
    /// --precise for those operations alone that an earlier run, whose trace is in DIR, suspects: it has found that their buffers
    /// changed
    #[arg(long, value_name = "DIR")]
    precise_from: Option<PathBuf>,
    /// Do not stop a job that is proved to be deadlocked
    #[arg(long)]
    no_stop: bool,
    /// Print nothing if nothing was found
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what mpivet does
    #[arg(short, long)]
    verbose: bool,
    /// The command that starts the job, behind `--`
    #[arg(last = true, required = true, value_name = "LAUNCHER")]
    pub(super) command: Vec<OsString>,
}

pub(crate) struct RunPlan {
    pub(crate) dir: Option<PathBuf>,
    pub(crate) keep: Keep,
    pub(crate) report: ReportPlan,
    pub(crate) stack_depth: Option<u32>,
    /// Nanoseconds, and megabytes.
    pub(crate) time_error: Option<u64>,
    pub(crate) max_trace_size: Option<u64>,
    pub(crate) stage_dir: Option<PathBuf>,
    pub(crate) ports: Option<RangeInclusive<u16>>,
    pub(crate) agents: bool,
    pub(crate) agent_bandwidth: Option<u64>,
    pub(crate) checksums: Option<Checksums>,
    pub(crate) sample_over: Option<u64>,
    pub(crate) heap: bool,
    pub(crate) sync_sends: bool,
    /// Absolute path of a witness that can be read.
    pub(crate) replay: Option<PathBuf>,
    pub(crate) probe_limits: bool,
    /// `NAME=VALUE`
    pub(crate) cvars: Vec<String>,
    pub(crate) stress: bool,
    pub(crate) pvars: Option<String>,
    pub(crate) precise: Option<Precise>,
    /// The directory of an earlier run.
    pub(crate) precise_from: Option<PathBuf>,
    /// The calls that it suspects, when that was read: only their buffers are watched.
    pub(crate) suspects: Option<Suspects>,
    pub(crate) explore: Option<ExploreLimits>,
    pub(crate) each: bool,
    pub(crate) stop: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Never empty.
    pub(crate) command: Vec<OsString>,
}

/// The limits of an exploration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExploreLimits {
    pub(crate) runs: u32,
    pub(crate) seconds: u64,
}

impl RunArgs {
    pub(super) fn plan(self) -> Result<RunPlan, Exit> {
        let precise = self.precise.or(self.precise_from.as_ref().map(|_| Precise::Loads));
        Ok(RunPlan {
            dir: self.dir,
            keep: self.keep,
            report: ReportPlan::new(self.report)?,
            stack_depth: self.stack_depth,
            time_error: self.time_error,
            max_trace_size: self.max_trace_size,
            stage_dir: self.stage_dir,
            ports: self.port,
            agents: !self.no_agents,
            agent_bandwidth: self.agent_bandwidth,
            checksums: self.checksums,
            sample_over: self.sample_over,
            // Beside the traps, it costs next to nothing.
            heap: self.heap || precise.is_some_and(|which| which != Precise::Off),
            sync_sends: self.sync_sends,
            replay: self.replay.map(|path| witness(&path)).transpose()?,
            probe_limits: self.probe_limits,
            cvars: last_of_each(self.cvar),
            stress: self.stress,
            pvars: self.pvars,
            precise,
            precise_from: self.precise_from,
            suspects: None,
            explore: self.explore.then_some(ExploreLimits { runs: self.explore_runs, seconds: self.explore_time }),
            each: self.each,
            stop: !self.no_stop,
            quiet: self.quiet,
            verbose: self.verbose,
            command: self.command,
        })
    }
}

/// A value of `--cvar`.
/// A port, or the first and the last one of a range.
fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port > 0);
    let range = port(first).zip(port(last)).filter(|(first, last)| first <= last);
    range
        .map(|(first, last)| first..=last)
        .ok_or_else(|| format!("`{text}` is no port, and no range of ports such as 40000-40100"))
}

fn cvar(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        _ if text.contains(';') => Err("a `;` cannot be passed on".into()),
        Some((name, _)) if !name.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".into()),
    }
}

/// Leaves out pairs whose variable a later one sets again.
fn last_of_each(pairs: Vec<String>) -> Vec<String> {
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().trim().to_owned();
    let again = |at: usize| pairs[at + 1..].iter().any(|later| name(later) == name(&pairs[at]));
    (0..pairs.len()).filter(|at| !again(*at)).map(|at| pairs[at].clone()).collect()
}

/// A value of `--pvars`.
fn sampling(text: &str) -> Result<String, String> {
    Sampling::parse(text).map(|_| text.to_owned())
}

/// The absolute path of a witness; an error if it is none.
fn witness(path: &Path) -> Result<PathBuf, Exit> {
    Witness::read(path).map_err(|e| Exit::Usage(e.to_string()))?;
    std::path::absolute(path).map_err(Exit::cannot)
}
