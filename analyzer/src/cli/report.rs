//! Options that all commands with reports share, and `mpivet analyze`.

use super::config::ConfigFileArgs;
use super::over::OverArgs;
use crate::check_options::CheckOptions;
use crate::exit::{CANNOT, Exit, FINDINGS, of_signal};
use crate::outputs::Outputs;
use analyzer::observe::Observer;
use clap::Args;
use report::gate::Gate;
use report::{FailOn, Format, Incomplete, Report, Style, When};
use std::path::PathBuf;
use trace_format::settings::selection::Selection;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Format of the report on the terminal, or of the file if there is one --report FILE [default: text]
    #[arg(long, value_enum, hide_default_value = true)]
    format: Option<Format>,
    /// Write the report to FILE in the format of its extension (.json, .sarif, .xml for junit, .txt, ...), or to
    /// FORMAT:FILE; the terminal keeps the text. May be given several times
    #[arg(long, value_name = "FILE")]
    report: Vec<String>,
    /// When the text has colours
    #[arg(long, visible_alias = "colour", value_enum, default_value_t, value_name = "WHEN")]
    color: When,
    /// Show all places, ranks, stacks and message queues of each finding in the text
    #[arg(long)]
    full: bool,
    /// Exit with 1 if there is a finding of this severity or a worse one
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Whether a report without findings on an incomplete trace (a full disk, a killed rank) is accepted; otherwise the exit
    /// code is 3
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    incomplete: Incomplete,
    /// Findings that are accepted, each with a reason (docs/ci.md): they do not count; may be given several times
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Report also the findings in libraries that mpivet accepts by itself (`mpivet suppressions` lists them)
    #[arg(long)]
    no_shipped_suppressions: bool,
    /// A JSON report of an earlier run: only new findings count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Search for sources below DIR if they have moved since they were compiled. May be given several times
    #[arg(long, value_name = "DIR", value_parser = directory)]
    source_path: Vec<PathBuf>,
    #[command(flatten)]
    check_options: CheckOptions,
}

/// A directory that is there.
fn directory(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such directory".into()) }
}

#[derive(Debug, Args)]
#[command(
    after_help = "mpirun -n 4 mpivet analyze DIR is one analysis by four processes: the others read for the first one."
)]
pub(super) struct AnalyzeArgs {
    /// Trace directory
    dir: PathBuf,
    #[command(flatten)]
    report: ReportArgs,
    /// Print nothing if nothing was found
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say how long each phase of the analysis took, and how much memory it needed
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    over: OverArgs,
    #[command(flatten)]
    _config: ConfigFileArgs,
}

/// The formats and files of a report, and the findings that count.
pub(crate) struct ReportPlan {
    pub(crate) outputs: Outputs,
    pub(crate) color: When,
    pub(crate) full: bool,
    fail_on: FailOn,
    incomplete: Incomplete,
    pub(crate) selection: Selection,
    /// Findings that are accepted or known.
    pub(crate) gate: Gate,
    /// Directories with sources.
    source_path: Vec<PathBuf>,
}

pub(crate) struct AnalyzePlan {
    pub(crate) dir: PathBuf,
    pub(crate) report: ReportPlan,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// The user says that the job is over.
    pub(crate) over: bool,
}

impl ReportPlan {
    pub(super) fn new(args: ReportArgs) -> Result<ReportPlan, Exit> {
        let selection = args.check_options.selection()?;
        // The baseline is read before the report is begun: the report may be the next baseline.
        let gate = Gate::read(&args.suppressions, !args.no_shipped_suppressions, args.baseline.as_ref(), &selection);
        let gate = gate.map_err(|e| Exit::Usage(e.to_string()))?;
        let outputs = Outputs::new(args.format, &args.report)?;
        Ok(ReportPlan {
            outputs,
            fail_on: args.fail_on,
            incomplete: args.incomplete,
            selection,
            gate,
            source_path: args.source_path,
            color: args.color,
            full: args.full,
        })
    }

    /// The report without the findings that do not count.
    pub(crate) fn judged(&self, report: Report) -> Report {
        let mut report = report.gated(self.fail_on).accepting(self.incomplete);
        report.pass(&self.gate);
        report
    }

    /// The exit code of a report. `own`: the exit code of the failed program, or 0. If the user has ended the analysis it says
    /// so, whatever was found until then.
    pub(crate) fn exit_code(&self, report: &Report, own: u8) -> u8 {
        match (report.cut_by(), report.fails(self.fail_on), own) {
            (Some(signal), ..) => of_signal(signal),
            (None, true, _) => FINDINGS,
            (None, false, 0) if report.is_incomplete() => CANNOT,
            (None, false, own) => own,
        }
    }

    /// The checks of the analysis.
    pub(crate) fn selection(&self) -> Selection {
        self.gate.selection(&self.selection)
    }

    /// The checks of an explored run: the limit of findings holds for all of them together.
    pub(crate) fn selection_of_runs(&self) -> Selection {
        let mut selection = self.selection.clone();
        selection.set_max_findings(0);
        selection
    }

    /// Directories with sources.
    pub(crate) fn source_path(&self) -> &[PathBuf] {
        &self.source_path
    }

    /// If the work could not be done, the files of `--report` say so, too.
    pub(crate) fn or_failure<T>(&self, result: Result<T, Exit>) -> Result<T, Exit> {
        result.inspect_err(|exit| {
            if let Exit::Cannot(why) = exit {
                self.outputs.fail(why);
            }
        })
    }

    /// Says where sources are. The report of several jobs has no more than their findings.
    pub(crate) fn prepare_explored(&self, observer: &mut Observer) {
        observer.traces.symbols.search_in(self.source_path.clone());
        observer.traces.symbols.ask_servers();
    }

    /// Says what the formats need beside findings, and where sources are.
    pub(crate) fn prepare(&self, observer: &mut Observer) {
        self.prepare_explored(observer);
        let any = |needs: fn(Format) -> bool| self.outputs.formats().any(needs);
        if any(Format::needs_statistics) {
            observer.count();
        }
        if any(Format::shows_timeline) {
            observer.draw();
        }
        if any(Format::needs_protocol) {
            observer.keep_protocol();
        }
    }

    pub(crate) fn style_on_stdout(&self) -> Style {
        Style::of_stdout(self.color, self.full)
    }

    pub(crate) fn style_on_stderr(&self) -> Style {
        Style::of_stderr(self.color, self.full)
    }

    pub(crate) fn style_in_file(&self) -> Style {
        Style::of_file(self.full)
    }
}

impl AnalyzeArgs {
    pub(super) fn plan(self) -> Result<AnalyzePlan, Exit> {
        Ok(AnalyzePlan {
            dir: self.dir,
            report: ReportPlan::new(self.report)?,
            quiet: self.quiet,
            verbose: self.verbose,
            over: self.over.over,
        })
    }
}
