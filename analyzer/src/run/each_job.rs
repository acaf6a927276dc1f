//! A job that a command has started: its launcher is no child of this process, and is known from the file of the
//! job's first rank.

use super::discovery_printer::DiscoveryPrinter;
use super::follow::{End, FollowedJob, follow};
use super::stop::{AGENTS, OnHost, Process, Ranks, are_all_gone, stop, wait};
use super::{finish, tell_end};
use agents::hub::{Hub, Link};
use analyzer::observe::{Brake, Ending, InternalError, Observer};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use report::{Report, command_line};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trace_format::run::jobs::{Started, set_stopped, started};
use trace_format::run::proc;
use trace_format::settings::selection::Selection;

/// It is looked so often whether a job has ended.
const STEP: Duration = Duration::from_millis(20);

/// A job of which only its directory and its launcher are known.
pub(super) struct EachJob {
    dir: PathBuf,
    /// `None`: it runs elsewhere, or is a daemon's child.
    launcher: Option<Process>,
    /// The command has ended, and all that it waited for.
    over: Arc<AtomicBool>,
    /// All its ranks were seen, and are gone.
    all_gone: bool,
    hub: Option<Arc<Hub>>,
    name: String,
}

/// The part that all jobs of a command share.
#[derive(Clone)]
pub(super) struct WatchOptions {
    pub(super) selection: Selection,
    pub(super) source_path: Vec<PathBuf>,
    pub(super) stop: bool,
    pub(super) quiet: bool,
    pub(super) over: Arc<AtomicBool>,
    /// Ends the reading of traces when the command has ended.
    pub(super) brake: Brake,
    /// The agents on other nodes, for all jobs.
    pub(super) hub: Option<Arc<Hub>>,
}

impl EachJob {
    fn new(dir: &Path, watch: &WatchOptions) -> EachJob {
        let (over, hub) = (watch.over.clone(), watch.hub.clone());
        EachJob { dir: dir.to_owned(), launcher: None, over, all_gone: false, hub, name: String::new() }
    }

    /// Takes what is known of its start.
    fn learn(&mut self, started: &Started) {
        let here = started.pid != 0 && started.host == proc::host();
        self.launcher = here.then_some(Process { pid: started.pid, start: started.pid_start });
        self.name = match &started.test {
            Some(test) => format!("{test}: "),
            None if started.command.is_empty() => String::new(),
            None => format!("{}: ", command_line(&started.command)),
        };
    }
}

impl FollowedJob for EachJob {
    fn poll(&mut self, observer: &Observer) {
        if self.launcher.is_none() {
            // A rank on the launcher's host may have started later than others, and knows more of the job.
            if let Some(known) = started(&self.dir).filter(|known| known.pid != 0) {
                self.learn(&known);
            }
        }
        if self.launcher.is_none() {
            self.all_gone = are_all_gone(observer, &proc::host());
        }
    }

    fn has_ended(&mut self) -> bool {
        self.all_gone || self.over.load(Ordering::Relaxed) || self.launcher.is_some_and(|l| !l.lives())
    }

    fn launcher(&self) -> Option<Process> {
        self.launcher
    }

    fn rest(&self, limit: Duration) {
        // A job whose launcher is known is reported as soon as it has ended.
        let until = Instant::now() + limit;
        let is_over = || self.over.load(Ordering::Relaxed) || self.launcher.is_some_and(|launcher| !launcher.lives());
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|_| !is_over()) {
            std::thread::sleep(left.min(STEP));
        }
    }

    fn signal(&self, signal: Signal) {
        // Its process group may be that of the command.
        if let Some(launcher) = self.launcher.filter(|l| l.lives()) {
            _ = kill(Pid::from_raw(launcher.pid as i32), signal);
        }
    }

    fn hub(&self) -> Option<&Hub> {
        self.hub.as_deref()
    }

    fn wait_for_agents(&self, elsewhere: &[OnHost]) {
        let Some(hub) = &self.hub else { return };
        let is_done =
            |(host, process): &OnHost| hub.link(host) != Some(Link::Connected) || hub.is_complete(host, *process);
        wait(AGENTS, || elsewhere.iter().all(is_done));
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Watches the job with this directory to its end; its report. `None`: no rank left a trace.
pub(super) fn watch(dir: &Path, first: &Started, watch: &WatchOptions) -> Result<Option<Report>, InternalError> {
    let mut job = EachJob::new(dir, watch);
    job.learn(first);
    let mut observer = Observer::new(dir, watch.selection.clone());
    observer.brake = watch.brake.clone();
    observer.traces.symbols.search_in(watch.source_path.clone());
    observer.traces.symbols.ask_servers();
    let printer = DiscoveryPrinter::start(dir, watch.selection.max_findings());
    match follow(&mut observer, &mut job, watch.stop, None) {
        End::Proven(stuck, _) => {
            observer.traces.symbols.adopt(printer.finish());
            let ranks = Ranks::of(&observer);
            // For `mpivet analyze`; without it the report is only less clear.
            _ = set_stopped(dir, &started(dir).unwrap_or_else(|| first.clone()), &stuck.ranks);
            let seen = observer.seen.clone();
            let report = observer.report(Ending::Stopped(stuck.ranks));
            if !watch.quiet {
                eprintln!(
                    "mpivet: {}stopped, because it could never have gone on; the report comes at the end",
                    job.name
                );
            }
            stop(&mut job, &ranks);
            tell_end(dir, &seen);
            report.map(Some)
        }
        End::Over | End::Late => {
            // Its bar would be one among many.
            finish(&mut observer, printer, true, &job.name);
            let any = !observer.traces.knows_nobody();
            any.then(|| observer.report(Ending::Any)).transpose()
        }
    }
}
