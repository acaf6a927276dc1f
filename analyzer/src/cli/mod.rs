//! The command line, in two steps: [`Cli`] holds the words that were typed, [`Plan`] the work that they ask for. One
//! file a command.

mod config;
mod doctor;
mod env;
mod export;
mod over;
mod print;
mod queues;
mod report;
mod run;
mod shell;
mod stats;

use crate::exit::Exit;
use crate::settings;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use config::{ConfigPlan, ConfigShown};
pub(crate) use doctor::DoctorPlan;
pub(crate) use env::{EnvFormat, EnvPlan};
pub(crate) use export::{ExportPlan, Target};
pub(crate) use print::{PrintFormat, PrintPlan};
pub(crate) use queues::{Job, QueueFormat, QueuesOfPlan, QueuesPlan};
pub(crate) use report::{AnalyzePlan, ReportPlan};
pub(crate) use run::{ExploreLimits, Keep, Precise, RunPlan};
pub(crate) use stats::{StatsFormat, StatsPlan, Table};

use config::ConfigArgs;
use doctor::{DoctorArgs, DoctorRankArgs};
use env::EnvArgs;
use export::ExportArgs;
use print::PrintArgs;
use queues::{QueuesArgs, QueuesOfArgs};
use report::AnalyzeArgs;
use run::RunArgs;
use shell::{CompletionsArgs, ManArgs};
use stats::StatsArgs;

/// Finds mistakes in MPI programs: deadlocks, lost messages, mismatched types, leaked requests.
#[derive(Debug, Parser)]
#[command(
    name = "mpivet",
    version,
    after_help = "Exit codes: 0 nothing found, 1 findings, 2 wrong use, 3 could not analyze, 128 and its number after a signal that ended the run (130: Ctrl-C)."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The settings of file, environment and options together.
    #[arg(skip)]
    settings: settings::EffectiveSettings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an MPI program under mpivet: watch it, stop it when it is deadlocked, report
    Run(RunArgs),
    /// Look at program, launcher, nodes and directory, and say whether `mpivet run` will work with them
    Doctor(DoctorArgs),
    /// In place of a rank, for `doctor`
    #[command(hide = true)]
    DoctorRank(DoctorRankArgs),
    /// Report on a finished, dead or still running job from its trace directory
    Analyze(AnalyzeArgs),
    /// Show a run in numbers: functions, messages, and waiting times of ranks
    Stats(StatsArgs),
    /// Export the events of a run for other programs: Perfetto and chrome://tracing, tables
    Export(ExportArgs),
    /// Show the settings that hold, and where each of them comes from; it takes the options of `run`
    Config(Box<ConfigArgs>),
    /// Print a trace, one line a call
    Print(PrintArgs),
    /// Show the message queues of live MPI processes, and which of them wait for each other for ever
    Queues(QueuesArgs),
    /// One process; what `queues` starts, since a DLL of the MPI library is loaded into it
    #[command(hide = true)]
    QueuesOf(QueuesOfArgs),
    /// On a node of a job, for `mpivet run` on another one; what ranks start
    #[command(hide = true)]
    Agent,
    /// Explain a check, with an example and the fix
    Explain {
        /// Name or code of the check, for example real-deadlock or MV601
        name: String,
    },
    /// List the checks
    Checks,
    /// Print the findings in libraries that mpivet accepts by itself, each with its reason
    Suppressions,
    /// Print the JSON Schema of the JSON report
    Schema,
    /// Show the settings (control variables) of the MPI library of a run, those that bear on correctness first
    Env(EnvArgs),
    /// Print the completions of commands and options for a shell
    Completions(CompletionsArgs),
    /// Print pages of the manual
    Man(ManArgs),
}

/// The work that a command line asks for.
pub(crate) enum Plan {
    Run(Box<RunPlan>),
    Doctor(DoctorPlan),
    DoctorRank(PathBuf),
    Analyze(AnalyzePlan),
    Stats(StatsPlan),
    Export(ExportPlan),
    Config(ConfigPlan),
    Print(PrintPlan),
    Queues(QueuesPlan),
    QueuesOf(QueuesOfPlan),
    Agent,
    Explain(String),
    Checks,
    Suppressions,
    Schema,
    Env(EnvPlan),
    /// Only this is to be printed.
    Text(Vec<u8>),
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
        let complaint = |e: clap::Error| match e.kind() {
            // clap takes the launcher for an unexpected argument.
            ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument if run && !dashes => {
                Exit::Usage(RUN_USAGE.into())
            }
            ErrorKind::MissingRequiredArgument if run => Exit::Usage(RUN_USAGE.into()),
            _ => Exit::Clap(e),
        };
        let command = command();
        let typed = command.clone().try_get_matches_from(&args).map_err(complaint)?;
        let (whole, in_force) = match typed.subcommand() {
            Some((name, matches)) => settings::apply(&command, name, matches, &args)?,
            None => (args, settings::EffectiveSettings::default()),
        };
        let matches = command.try_get_matches_from(whole).map_err(Exit::Clap)?;
        let cli = Cli::from_arg_matches(&matches).map_err(Exit::Clap)?;
        Ok(Cli { settings: in_force, ..cli })
    }
}

/// The command line that is understood.
pub(crate) fn command() -> clap::Command {
    let command = settings::prepare(Cli::command());
    command.mut_subcommand("config", |config| {
        let config = config.mut_arg("command", |launcher| launcher.required(false));
        config.override_usage("mpivet config [OPTIONS OF mpivet run]").after_help("")
    })
}

/// `mpivet run`, with its options.
pub(crate) fn run_command() -> clap::Command {
    command().find_subcommand("run").cloned().unwrap_or_default()
}

impl Plan {
    pub(crate) fn new(cli: Cli) -> Result<Plan, Exit> {
        Ok(match cli.command {
            Command::Run(args) => Plan::Run(args.plan()?.into()),
            Command::Doctor(args) => Plan::Doctor(args.plan()),
            Command::DoctorRank(args) => Plan::DoctorRank(args.program),
            Command::Analyze(args) => Plan::Analyze(args.plan()?),
            Command::Export(args) => Plan::Export(args.plan()),
            Command::Stats(args) => Plan::Stats(args.plan()?),
            Command::Config(args) => Plan::Config(args.plan(cli.settings)),
            Command::Print(args) => Plan::Print(args.plan()?),
            Command::Queues(args) => Plan::Queues(args.plan()),
            Command::QueuesOf(args) => Plan::QueuesOf(args.plan()),
            Command::Agent => Plan::Agent,
            Command::Explain { name } => Plan::Explain(name),
            Command::Checks => Plan::Checks,
            Command::Suppressions => Plan::Suppressions,
            Command::Schema => Plan::Schema,
            Command::Env(args) => Plan::Env(args.plan()),
            Command::Completions(args) => Plan::Text(args.text()),
            Command::Man(args) => Plan::Text(args.text()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Cli, Exit> {
        Cli::from_args(args.iter().map(|a| (*a).into()).collect())
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
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

    #[test]
    fn statistics_of_ranks_have_no_collectives_and_exports_a_target() {
        let plan = |args: &[&str]| parse(args).and_then(Plan::new);
        let stats = |args: &[&str]| plan(&[&["mpivet", "stats", "d"], args].concat());
        assert!(
            matches!(stats(&["--rank", "1", "--table", "sizes"]), Ok(Plan::Stats(p)) if p.table == Some(Table::Sizes))
        );
        assert!(matches!(stats(&["--rank", "1", "--table", "collectives"]), Err(Exit::Usage(_))));
        assert!(matches!(stats(&["--format", "json", "--table", "sizes"]), Err(Exit::Usage(_))));
        let export = |args: &[&str]| plan(&[&["mpivet", "export", "d"], args].concat());
        assert!(matches!(export(&[]), Err(Exit::Clap(_))));
        let both = export(&["--perfetto", "-", "--csv", "x"]);
        let Ok(Plan::Export(both)) = both else { panic!("not export") };
        assert_eq!((both.perfetto, both.csv), (Some(Target::Stdout), Some(Target::File("x".into()))));
    }
}
