//! `mpivet run --each`: the command starts MPI jobs by itself. Each is watched by a thread of its own as soon as its
//! directory appears, and all of them are in one report.

use super::each_job::{WatchOptions, watch};
use super::find::Found;
use super::follow::FollowedJob as _;
use super::launch::{Launched, RunOptions};
use super::{exit_code, remove, remove_empty, tell, tell_interruption};
use crate::cli::RunPlan;
use crate::exit::{CANNOT, Exit, FINDINGS};
use crate::halt;
use agents::hub::Hub;
use analyzer::observe::{Brake, InternalError};
use anyhow::anyhow;
use report::{JobReport, Report, command_line};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use trace_format::run::jobs::{Started, Wrapped, jobs_but, started};

/// Pause between two looks for new jobs.
const PAUSE: Duration = Duration::from_millis(20);

type Outcome = (String, Started, Result<Option<Report>, InternalError>);

/// The jobs that were seen, each with its thread.
struct Jobs<'a> {
    dir: &'a Path,
    watch: WatchOptions,
    seen: BTreeSet<String>,
    threads: Vec<JoinHandle<Outcome>>,
    is_interrupted: bool,
}

/// The results of the jobs.
#[derive(Default)]
struct JobResults {
    /// In the order of their start.
    reports: Vec<JobReport>,
    /// Jobs of which no trace could be read.
    without_trace: usize,
    /// A mistake of mpivet's own.
    broken: Option<anyhow::Error>,
}

pub(super) fn each(plan: &RunPlan, found: &Found, dir: &Path, absolute: &Path) -> Result<u8, Exit> {
    let command: Vec<String> = plan.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let wrapped = Wrapped { command };
    wrapped.write(dir).map_err(Exit::cannot)?;
    let forget = || {
        _ = std::fs::remove_file(dir.join("each.json"));
        remove_empty(dir);
    };
    let mut launched = Launched::start(plan, &RunOptions::of(plan), found, absolute).inspect_err(|_| forget())?;
    let mut jobs = Jobs::new(plan, dir, launched.agents());
    while !launched.has_ended() {
        jobs.poll();
        launched.rest(PAUSE);
        jobs.interrupt(&launched);
    }
    jobs.interrupt(&launched);
    launched.wait_for_agents(&[]);
    halt::listen(&jobs.watch.brake);
    let JobResults { reports, without_trace, broken } = jobs.finish();
    let code = launched.exit_code();
    if reports.is_empty() && broken.is_none() {
        if without_trace > 0 {
            let (s, dir) = (if without_trace == 1 { "" } else { "s" }, dir.display());
            return Err(Exit::cannot(anyhow!(
                "{without_trace} job{s} started, and left no trace that can be read in {dir}"
            )));
        }
        forget();
        return no_job(&wrapped, code);
    }
    let report = plan.report.judged(Report::of_jobs(dir.display().to_string(), &wrapped.command, reports));
    let own = if report.stopped_jobs() > 0 { FINDINGS } else { code };
    let code = exit_code(plan, &report, &launched, own);
    let fate = tell(plan, report, if broken.is_some() { CANNOT } else { code })?;
    if let Some(broken) = broken {
        return Err(Exit::cannot(broken));
    }
    remove(dir, fate);
    Ok(code)
}

/// A failed command has its own exit code. After a success nothing was checked, and that must not look like a clean
/// report.
fn no_job(wrapped: &Wrapped, code: u8) -> Result<u8, Exit> {
    let command = command_line(&wrapped.command);
    if code != 0 {
        eprintln!("mpivet: nothing to analyze: `{command}` ended with code {code} and started no MPI job");
        return Ok(code);
    }
    Err(Exit::cannot(anyhow!(
        "nothing to analyze: no process that `{command}` started called MPI_Init, or LD_PRELOAD and MPIVET_* did not get \
         through to it"
    )))
}

impl<'a> Jobs<'a> {
    fn new(plan: &RunPlan, dir: &'a Path, hub: Option<Arc<Hub>>) -> Jobs<'a> {
        let watch = WatchOptions {
            selection: plan.report.selection(),
            source_path: plan.report.source_path().to_vec(),
            stop: plan.stop,
            quiet: plan.quiet,
            over: Arc::new(AtomicBool::new(false)),
            brake: Brake::default(),
            hub,
        };
        Jobs { dir, watch, seen: BTreeSet::new(), threads: Vec::new(), is_interrupted: false }
    }

    /// Starts to watch the jobs that are new.
    fn poll(&mut self) {
        for (name, first) in jobs_but(self.dir, |name| self.seen.contains(name)).unwrap_or_default() {
            self.seen.insert(name.clone());
            let (dir, watch_as) = (self.dir.join(&name), self.watch.clone());
            let work = move || {
                let report = watch(&dir, &first, &watch_as);
                // A rank on the launcher's host may have started later, and knows more of the job.
                (name, started(&dir).unwrap_or(first), report)
            };
            self.threads.push(std::thread::spawn(work));
        }
    }

    /// Forwards the user's interruption of the command to its jobs, once.
    fn interrupt(&mut self, launched: &Launched) {
        if !self.is_interrupted && launched.interruption().is_some() {
            self.is_interrupted = true;
            self.seen.iter().for_each(|name| tell_interruption(launched, &self.dir.join(name)));
        }
    }

    /// The results of all jobs, when the command has ended.
    fn finish(mut self) -> JobResults {
        self.poll();
        self.watch.over.store(true, Ordering::Relaxed);
        let mut all = JobResults::default();
        for thread in self.threads {
            match thread.join() {
                Ok((dir, started, Ok(Some(report)))) => all.reports.push(JobReport { dir, started, report }),
                Ok((.., Ok(None))) => all.without_trace += 1,
                Ok((.., Err(e))) => all.broken = Some(anyhow!(e)),
                // The thread has printed the panic already.
                Err(_) => all.broken = Some(anyhow!("a job could not be watched to its end")),
            }
        }
        all.reports.sort_by(|a, b| (a.started.unix_ns, &a.dir).cmp(&(b.started.unix_ns, &b.dir)));
        all
    }
}
