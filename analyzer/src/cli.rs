//! The command line, in two stages: [`Cli`] is what was typed, [`Plan`] what is to be done.

use crate::choices::Choices;
use analyzer::report::{FailOn, Format};
use analyzer::worlds::Chosen;
use clap::{Args, Parser, Subcommand, ValueEnum, error::ErrorKind};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trace_format::sample::Sampling;
use trace_format::selection::Selection;
use trace_format::witness::Witness;

/// Nothing was found that counts.
pub(crate) const CLEAN: u8 = 0;
/// There are findings at or above `--fail-on`.
pub(crate) const FINDINGS: u8 = 1;
const WRONG_USE: u8 = 2;
const CANNOT: u8 = 3;

/// Why the command ends before its work was done.
#[derive(Debug)]
pub(crate) enum Exit {
    /// clap has something to say: a wrong option, but also `--help`.
    Clap(clap::Error),
    /// Wrong use: exit code 2.
    Usage(String),
    /// The work could not be done: exit code 3.
    Cannot(anyhow::Error),
}

impl Exit {
    pub(crate) fn cannot(error: impl Into<anyhow::Error>) -> Exit {
        Exit::Cannot(error.into())
    }

    /// Says why, once, and gives the exit code.
    pub(crate) fn end(self) -> ExitCode {
        match self {
            Exit::Clap(e) => {
                // A closed pipe behind --help is nobody's problem.
                _ = e.print();
                ExitCode::from(if e.use_stderr() { WRONG_USE } else { CLEAN })
            }
            Exit::Usage(what) => {
                eprintln!("mpivet: {what}");
                ExitCode::from(WRONG_USE)
            }
            Exit::Cannot(e) => {
                eprintln!("mpivet: {e:#}");
                ExitCode::from(CANNOT)
            }
        }
    }
}

/// Finds mistakes in MPI programs: deadlocks, lost messages, mismatched types, leaked requests.
#[derive(Debug, Parser)]
#[command(
    name = "mpivet",
    version,
    after_help = "Exit codes: 0 nothing found, 1 findings, 2 wrong use, 3 could not analyze."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an MPI program under mpivet: watch it, stop it when it is deadlocked, report
    Run(RunArgs),
    /// Report on a finished, dead or still running job from its trace directory
    Analyze(AnalyzeArgs),
    /// Print a trace, one line a call
    Print(PrintArgs),
    /// Show the message queues of live MPI processes, and which of them wait for each other for ever
    Queues(QueuesArgs),
    /// One process; what `queues` starts, since a DLL of the MPI library is loaded into it
    #[command(hide = true)]
    QueuesOf(QueuesOfArgs),
    /// Say what a check means, with an example and the fix
    Explain {
        /// Name or code of the check, for example real-deadlock or MV601
        name: String,
    },
    /// List the checks
    Checks,
    /// The settings (control variables) of the MPI library of a run, those that bear on correctness first
    Env(EnvArgs),
}

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
struct EnvArgs {
    /// Trace directory
    dir: PathBuf,
    /// Only categories with such a name, in which * stands for anything
    #[arg(long, value_name = "GLOB")]
    category: Option<String>,
    /// Only variables with this text in their name, value or description
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only variables that were changed, as far as that is known
    #[arg(long)]
    changed: bool,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = EnvFormat::Text)]
    format: EnvFormat,
}

/// How `mpivet env` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnvFormat {
    Text,
    Json,
}

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

#[derive(Debug, Args)]
#[command(
    override_usage = "mpivet run [OPTIONS] -- LAUNCHER [ARGS]...",
    after_help = "Example: mpivet run -- mpirun -n 4 ./app args"
)]
struct RunArgs {
    /// Trace directory [default: mpivet-PROGRAM-PID in the working directory]
    #[arg(long)]
    dir: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
    /// Frames kept of each call stack [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    stack_depth: Option<u32>,
    /// Of which buffers checksums are taken: none, those of pending sends, to see who changes them, or all that are sent
    /// and received, to compare them as well [default: sends]
    #[arg(long, value_name = "WHICH", value_enum)]
    checksums: Option<Checksums>,
    /// Look only at samples of buffers with more bytes [default: look at all data]
    #[arg(long, value_name = "BYTES")]
    sample_over: Option<u64>,
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
    /// Most runs of --explore
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
    /// Read performance variables of the MPI library while the program runs: names with commas between, in which * stands
    /// for anything [default: the lengths of message queues], and behind @ how often [default: 100ms]
    #[arg(long, value_name = "NAMES@INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "@100ms",
          value_parser = sampling)]
    pvars: Option<String>,
    /// Do not stop a job that is proved to be deadlocked
    #[arg(long)]
    no_stop: bool,
    /// Say nothing when nothing was found
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what mpivet does
    #[arg(short, long)]
    verbose: bool,
    /// The command that starts the job, behind `--`
    #[arg(last = true, required = true, value_name = "LAUNCHER")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct AnalyzeArgs {
    /// Trace directory
    dir: PathBuf,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Debug, Args)]
struct PrintArgs {
    /// Trace directory
    dir: PathBuf,
    /// Print the elements of the arrays that the program has dumped with mpivet_dump
    #[arg(long)]
    dumps: bool,
    /// Only these ranks, for example 0-3,5, or w1.0-2 of world 1
    #[arg(long, value_name = "RANKS", allow_hyphen_values = true)]
    rank: Option<Chosen>,
    /// Only calls of this function, for example MPI_Send or send
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only from this event on
    #[arg(long, value_name = "EVENT")]
    from: Option<u64>,
    /// Only up to this event
    #[arg(long, value_name = "EVENT")]
    to: Option<u64>,
    /// Show when each call began, in seconds since the rank's start, and how long it took
    #[arg(long)]
    times: bool,
}

/// How the queues are shown.
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
struct QueuesArgs {
    /// Processes of one job, or its launcher (mpirun, mpiexec, srun), which means all MPI processes below it
    #[arg(value_name = "PID", required_unless_present = "job", value_parser = clap::value_parser!(i32).range(1..))]
    pids: Vec<i32>,
    /// All living processes of a job that mpivet records into this trace directory
    #[arg(long, value_name = "DIR", conflicts_with = "pids")]
    job: Option<PathBuf>,
    /// Stop each process while its queues are read [default: it runs on, and the queues are read again if they changed]
    #[arg(long)]
    stop: bool,
    /// Do not look at call stacks, for which each thread is stopped for a moment; then nothing is said of deadlocks
    #[arg(long)]
    no_stacks: bool,
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t = QueueFormat::Text)]
    format: QueueFormat,
}

#[derive(Debug, Args)]
struct QueuesOfArgs {
    pid: i32,
    #[arg(long)]
    stop: bool,
    #[arg(long)]
    no_stacks: bool,
}

/// What is to be done.
pub(crate) enum Plan {
    Run(RunPlan),
    Analyze(AnalyzePlan),
    Print(PrintPlan),
    Queues(QueuesPlan),
    QueuesOf(QueuesOfPlan),
    Explain(String),
    Checks,
    Env(EnvPlan),
}

pub(crate) struct EnvPlan {
    pub(crate) dir: PathBuf,
    pub(crate) category: Option<String>,
    pub(crate) filter: Option<String>,
    pub(crate) changed: bool,
    pub(crate) format: EnvFormat,
}

/// Where the report goes, and what counts.
pub(crate) struct ReportPlan {
    pub(crate) format: Format,
    /// Created before the work begins, so that a bad path fails early.
    pub(crate) file: Option<(PathBuf, std::fs::File)>,
    pub(crate) fail_on: FailOn,
    pub(crate) selection: Selection,
}

pub(crate) struct RunPlan {
    pub(crate) dir: Option<PathBuf>,
    pub(crate) report: ReportPlan,
    pub(crate) stack_depth: Option<u32>,
    pub(crate) checksums: Option<Checksums>,
    pub(crate) sample_over: Option<u64>,
    pub(crate) sync_sends: bool,
    /// Absolute path of a witness that can be read.
    pub(crate) replay: Option<PathBuf>,
    pub(crate) probe_limits: bool,
    /// `NAME=VALUE`
    pub(crate) cvars: Vec<String>,
    pub(crate) stress: bool,
    pub(crate) pvars: Option<String>,
    pub(crate) explore: Option<ExploreLimits>,
    pub(crate) stop: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Never empty.
    pub(crate) command: Vec<OsString>,
}

/// When an exploration ends at the latest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExploreLimits {
    pub(crate) runs: u32,
    pub(crate) seconds: u64,
}

pub(crate) struct AnalyzePlan {
    pub(crate) dir: PathBuf,
    pub(crate) report: ReportPlan,
}

pub(crate) struct PrintPlan {
    pub(crate) dir: PathBuf,
    pub(crate) ranks: Option<Chosen>,
    pub(crate) function: Option<trace_format::mpi::FnId>,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) times: bool,
    pub(crate) dumps: bool,
}

/// Which processes are meant.
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

const RUN_USAGE: &str = "`mpivet run` needs `--` and the command that starts the job, for example\n    \
                         mpivet run -- mpirun -n 4 ./app";

impl Cli {
    pub(crate) fn from_command_line() -> Result<Cli, Exit> {
        Cli::from_args(std::env::args_os().collect())
    }

    fn from_args(args: Vec<OsString>) -> Result<Cli, Exit> {
        let run = args.get(1).is_some_and(|a| a == "run");
        let dashes = args.iter().any(|a| a == "--");
        Cli::try_parse_from(args).map_err(|e| match e.kind() {
            // clap cannot know that what it calls an unexpected argument is the launcher.
            ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument if run && !dashes => {
                Exit::Usage(RUN_USAGE.into())
            }
            ErrorKind::MissingRequiredArgument if run => Exit::Usage(RUN_USAGE.into()),
            _ => Exit::Clap(e),
        })
    }
}

impl ReportPlan {
    fn new(args: ReportArgs) -> Result<ReportPlan, Exit> {
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

impl Plan {
    pub(crate) fn new(cli: Cli) -> Result<Plan, Exit> {
        Ok(match cli.command {
            Command::Run(a) => Plan::Run(RunPlan {
                dir: a.dir,
                report: ReportPlan::new(a.report)?,
                stack_depth: a.stack_depth,
                checksums: a.checksums,
                sample_over: a.sample_over,
                sync_sends: a.sync_sends,
                replay: a.replay.map(|path| witness(&path)).transpose()?,
                probe_limits: a.probe_limits,
                cvars: a.cvar,
                stress: a.stress,
                pvars: a.pvars,
                explore: a.explore.then_some(ExploreLimits { runs: a.explore_runs, seconds: a.explore_time }),
                stop: !a.no_stop,
                quiet: a.quiet,
                verbose: a.verbose,
                command: a.command,
            }),
            Command::Analyze(a) => Plan::Analyze(AnalyzePlan { dir: a.dir, report: ReportPlan::new(a.report)? }),
            Command::Print(a) => Plan::Print(PrintPlan {
                dir: a.dir,
                ranks: a.rank,
                function: a.function.map(|name| function(&name)).transpose()?,
                from: a.from.unwrap_or(0),
                to: a.to.unwrap_or(u64::MAX),
                times: a.times,
                dumps: a.dumps,
            }),
            Command::Queues(a) => Plan::Queues(QueuesPlan {
                job: a.job.map_or(Job::Pids(a.pids), Job::Traces),
                stop: a.stop,
                stacks: !a.no_stacks,
                format: a.format,
            }),
            Command::QueuesOf(a) => Plan::QueuesOf(QueuesOfPlan { pid: a.pid, stop: a.stop, stacks: !a.no_stacks }),
            Command::Explain { name } => Plan::Explain(name),
            Command::Checks => Plan::Checks,
            Command::Env(a) => Plan::Env(EnvPlan {
                dir: a.dir,
                category: a.category,
                filter: a.filter,
                changed: a.changed,
                format: a.format,
            }),
        })
    }
}

/// A value of `--cvar`.
fn cvar(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        _ if text.contains(';') => Err("a `;` cannot be passed on".into()),
        Some((name, _)) if !name.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".into()),
    }
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

/// The function that a user means by `MPI_Send`, `mpi_send`, `Send` or `send`.
fn function(name: &str) -> Result<trace_format::mpi::FnId, Exit> {
    let full = if name.to_ascii_lowercase().starts_with("mpi") { name.to_owned() } else { format!("MPI_{name}") };
    let rows = trace_format::mpi::FUNCTIONS;
    rows.iter().find(|f| f.name.eq_ignore_ascii_case(&full)).map(|f| f.id).ok_or_else(|| {
        let near = trace_format::near::did_you_mean(&full, rows.iter().map(|f| f.name));
        let near = near.map(|near| format!("; {near}")).unwrap_or_default();
        Exit::Usage(format!("`{name}` is no MPI function{near}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn parse(args: &[&str]) -> Result<Cli, Exit> {
        Cli::from_args(args.iter().map(|a| (*a).into()).collect())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_takes_everything_behind_the_dashes() {
        let cli =
            parse(&["mpivet", "run", "--stack-depth", "3", "--", "mpirun", "-n", "4", "--", "./app", "-q"]).unwrap();
        let Command::Run(run) = cli.command else { panic!("not run") };
        assert_eq!(run.command, ["mpirun", "-n", "4", "--", "./app", "-q"]);
        assert_eq!(run.stack_depth, Some(3));
        for wrong in [&["mpivet", "run"][..], &["mpivet", "run", "mpirun", "-n", "4"], &["mpivet", "run", "--"]] {
            assert!(matches!(parse(wrong), Err(Exit::Usage(what)) if what == RUN_USAGE), "{wrong:?}");
        }
        assert!(matches!(parse(&["mpivet", "run", "--help"]), Err(Exit::Clap(_))));
        assert!(matches!(parse(&["mpivet", "run", "--bogus", "--", "x"]), Err(Exit::Clap(_))));
    }
}
