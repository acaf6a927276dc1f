//! One run of an exploration: under a witness, with a limit of time, and with a trace directory of its own.

use super::discovery_printer::DiscoveryPrinter;
use super::find::Found;
use super::follow::{End, follow};
use super::launch::{Launched, RunOptions};
use super::plans::Task;
use super::stop::{self, Ranks};
use super::{finish, remove_empty, tell_end, tell_interruption};
use crate::cli::RunPlan;
use crate::exit::Exit;
use analyzer::observe::{Conclusion, Ending, Observer};
use report::RunEnd;
use rustc_hash::FxHashSet;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, stdin};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_format::run::over::EndsSeen;

/// The part that all runs share.
pub(super) struct Job<'a> {
    plan: &'a RunPlan,
    found: &'a Found,
    /// The directory of the exploration, as typed and absolute.
    dir: &'a Path,
    absolute: &'a Path,
    input: Input,
}

/// The result of a run.
pub(super) struct RunResult {
    /// `None`: nothing is known of it.
    pub(super) conclusion: Option<Conclusion>,
    pub(super) end: RunEnd,
    pub(super) code: u8,
    pub(super) elapsed: Duration,
}

impl<'a> Job<'a> {
    pub(super) fn new(plan: &'a RunPlan, found: &'a Found, dir: &'a Path, absolute: &'a Path) -> Job<'a> {
        Job { plan, found, dir, absolute, input: Input::new() }
    }

    pub(super) fn say(&self, what: &str) {
        if !self.plan.quiet {
            eprintln!("mpivet: {what}");
        }
    }

    /// The file of a task's witness, beside the trace of the run that showed it; in the directory of the exploration.
    pub(super) fn witness(&self, task: &Task) -> Result<String, Exit> {
        let name = |number: usize| format!("run-{}/witness-{number}.json", task.from);
        if let Some(number) = task.number {
            return Ok(name(number));
        }
        let free = (1..usize::MAX).map(name).find(|name| !self.absolute.join(name).exists()).unwrap_or_default();
        let path = self.absolute.join(&free);
        let cannot = |e| Exit::cannot(anyhow::anyhow!("cannot write {}: {e}", path.display()));
        task.witness.write(&path).map_err(cannot)?;
        Ok(free)
    }

    /// Makes a run. `under`: its witness; `known`: matchings of which it need not tell; `until`: when it is stopped at the
    /// latest.
    pub(super) fn run(
        &self,
        number: usize,
        under: Option<&str>,
        known: &FxHashSet<u64>,
        until: Option<Instant>,
    ) -> Result<RunResult, Exit> {
        let name = format!("run-{number}");
        let (dir, absolute) = (self.dir.join(&name), self.absolute.join(&name));
        trace_format::owner_only::make_dir(&dir).map_err(Exit::cannot)?;
        self.input.rewind();
        let replay = under.map(|under| self.absolute.join(under));
        let run_options = RunOptions { sync_sends: self.plan.sync_sends, replay: replay.as_deref(), is_explored: true };
        let start = Instant::now();
        let mut job = Launched::start(self.plan, &run_options, self.found, &absolute).inspect_err(|_| {
            remove_empty(&dir);
            remove_empty(self.dir);
        })?;
        let mut observer = Observer::new(&dir, self.plan.report.selection_of_runs());
        self.plan.report.prepare(&mut observer);
        observer.explore(Arc::new(known.clone()));
        let printer = DiscoveryPrinter::start(&dir, self.plan.report.selection().max_findings());
        let end = follow(&mut observer, &mut job, true, until);
        let elapsed = start.elapsed();
        let (conclusion, end) = match end {
            End::Proven(stuck, _) => {
                observer.traces.symbols.adopt(printer.finish());
                let ranks = Ranks::of(&observer);
                let seen = observer.seen.clone();
                let conclusion = observer.conclude(Ending::Stopped(stuck.ranks)).map_err(Exit::cannot);
                stop::stop(&mut job, &ranks);
                tell_end(&dir, &seen);
                (Some(conclusion?), RunEnd::Stopped)
            }
            End::Late => {
                stop::stop(&mut job, &Ranks::of(&observer));
                tell_end(&dir, &EndsSeen::default());
                (None, RunEnd::Late)
            }
            End::Over => {
                finish(&mut observer, printer, self.plan.quiet, "");
                let end = if job.interruption().is_some() { RunEnd::Interrupted } else { RunEnd::Ended };
                tell_interruption(&job, &dir);
                let no_trace = observer.traces.knows_nobody();
                match end {
                    RunEnd::Interrupted if no_trace => (None, end),
                    _ if no_trace => (None, RunEnd::NoTrace),
                    _ => (Some(observer.conclude(Ending::Any).map_err(Exit::cannot)?), end),
                }
            }
        };
        Ok(RunResult { conclusion, end, code: job.exit_code(), elapsed })
    }
}

/// The standard input, which each run reads from its beginning if it is a file.
struct Input(Option<(File, u64)>);

impl Input {
    fn new() -> Input {
        let file = stdin().as_fd().try_clone_to_owned().ok().map(File::from);
        let file = file.filter(|f| f.metadata().is_ok_and(|m| m.is_file()));
        Input(file.and_then(|mut file| file.stream_position().ok().map(|at| (file, at))))
    }

    fn rewind(&self) {
        if let Some((file, at)) = &self.0 {
            let mut file: &File = file;
            _ = file.seek(SeekFrom::Start(*at));
        }
    }
}
