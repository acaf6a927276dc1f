//! `mpivet run`: starts the job under the interposer, follows it, stops it when it is proved to be stuck, reports.
//! With `--explore` again and again (`explore.rs`); with `--each` all jobs that a command starts (`each.rs`).

pub(crate) mod agent;
mod deaths;
mod discovery_printer;
pub(crate) mod doctor;
mod each;
mod each_job;
mod ends;
pub(crate) mod evidence;
mod explore;
mod explored_run;
mod find;
pub(crate) mod follow;
mod hung_launcher;
mod late_files;
mod launch;
mod launcher;
mod launcher_options;
mod launcher_words;
pub(crate) mod leftover_stages;
pub(crate) mod liveness;
mod looks;
mod other_agents;
mod pace;
mod plans;
mod slurm;
mod stop;
mod terminal;

use crate::allocator;
use crate::cli::{Keep, RunPlan};
use crate::exit::{CLEAN, Exit, FINDINGS};
use crate::halt;
use crate::progress::{Display, print_phases};
use analyzer::interruption::{self, Interruption};
use analyzer::load::{LoadError, Traces};
use analyzer::observe::{Ending, Observer};
use discovery_printer::DiscoveryPrinter;
use engine::Stuck;
use find::Found;
use follow::{End, FollowedJob as _};
use launch::{Launched, RunOptions};
use nix::sys::signal::Signal;
use report::Report;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stop::{Process, Ranks};
use trace_format::run::agent::Entrance;
use trace_format::run::discovery;
use trace_format::run::nonce;
use trace_format::run::over::{EndsSeen, Over};
use trace_format::run::proc;

/// Time that ranks may outlive their launcher before the report is made without their end.
const ORPHANS: Duration = Duration::from_secs(1);

pub(crate) fn run(plan: &RunPlan) -> Result<u8, Exit> {
    plan.report.or_failure(make(plan))
}

fn make(plan: &RunPlan) -> Result<u8, Exit> {
    let found = Found::new(plan)?;
    let (dir, absolute) = find::make_directory(plan, &found)?;
    if plan.verbose {
        eprintln!("mpivet: preloading {}, trace directory {}", found.preloaded().display(), absolute.display());
    }
    if let Some(warning) = find::warning(&found).filter(|_| !plan.each) {
        eprintln!("mpivet: {warning}");
    }
    if let Some(limits) = plan.explore {
        return explore::explore(plan, limits, &found, &dir, &absolute);
    }
    if plan.each {
        return each::each(plan, &found, &dir, &absolute);
    }
    let mut job =
        Launched::start(plan, &RunOptions::of(plan), &found, &absolute).inspect_err(|_| remove_empty(&dir))?;
    let mut observer = Observer::new(&dir, plan.report.selection());
    plan.report.prepare(&mut observer);
    let printer = DiscoveryPrinter::start(&dir, plan.report.selection().max_findings());
    match follow::follow(&mut observer, &mut job, plan.stop, None) {
        End::Proven(stuck, after) => {
            observer.traces.symbols.adopt(printer.finish());
            if plan.verbose {
                let Stuck { ranks, uncertain, .. } = &stuck;
                eprintln!("mpivet: ranks {ranks:?} wait for ever, {uncertain:?} by evidence; known after {after:?}");
            }
            let ranks = Ranks::of(&observer);
            let seen = observer.seen.clone();
            // A user who watches wants to know at once; the job waits anyway.
            let shown = observer
                .report(Ending::Stopped(stuck.ranks))
                .map_err(Exit::cannot)
                .and_then(|report| tell(plan, plan.report.judged(report), FINDINGS));
            stop::stop(&mut job, &ranks);
            tell_end(&dir, &seen);
            remove(&dir, shown?);
            Ok(FINDINGS)
        }
        End::Over | End::Late => {
            // From here on signals are no longer the job's.
            job.rest(Duration::ZERO);
            halt::listen(&observer.brake);
            finish(&mut observer, printer, plan.quiet, "");
            if observer.traces.knows_nobody() {
                return Err(no_trace(&found, &dir, job.exit_code()));
            }
            watch(&mut observer, plan.quiet);
            tell_interruption(&job, &dir);
            let batch = observer.traces.job().0.slurm.filter(|_| job.interruption().is_none());
            let is_ended =
                batch.is_some_and(|batch| slurm::tell_end(&batch, job.exit_code(), job.is_step_cancelled(), &dir));
            let report = plan.report.judged(observer.report(Ending::Any).map_err(Exit::cannot)?);
            let code = match is_ended && report.was_interrupted() {
                true => 128 + Signal::SIGTERM as u8,
                false => exit_code(plan, &report, &job, job.exit_code()),
            };
            remove(&dir, tell(plan, report, code)?);
            Ok(code)
        }
    }
}

/// The fate of a trace directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectoryFate {
    Kept,
    Removed,
}

/// Writes the report of a run with this exit code. Returns what becomes of its traces.
fn tell(plan: &RunPlan, mut report: Report, code: u8) -> Result<DirectoryFate, Exit> {
    let is_kept = plan.dir.is_some()
        || match plan.keep {
            Keep::Always => true,
            Keep::Never => false,
            Keep::Findings => code != CLEAN || report.leaves_questions(),
        };
    if !is_kept {
        report.forget_traces();
    }
    if plan.quiet && report.is_clean() {
        plan.report.outputs.write(&report, plan.report.style_in_file())?;
    } else {
        show(plan, &report)?;
    }
    Ok(if is_kept { DirectoryFate::Kept } else { DirectoryFate::Removed })
}

/// The job is over. A directory that is removed is one that mpivet has made and named.
fn remove(dir: &Path, fate: DirectoryFate) {
    leftover_stages::bring_stages(dir, fate == DirectoryFate::Kept);
    match fate {
        DirectoryFate::Kept => pack_variables(dir),
        DirectoryFate::Removed => {
            if let Err(e) = std::fs::remove_dir_all(dir) {
                eprintln!("mpivet: cannot remove {}: {e}", dir.display());
            }
        }
    }
}

/// Makes what the library told of its variables smaller, in a directory that is kept.
fn pack_variables(dir: &Path) {
    for dir in with_those_below(dir) {
        if let Err(e) = trace_format::run::job::pack_variables(&dir) {
            eprintln!("mpivet: cannot pack the variables of the MPI library in {}: {e}", dir.display());
        }
    }
}

/// A directory, and those of its jobs and runs.
fn with_those_below(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    std::iter::once(dir.to_owned()).chain(entries.map(|entry| entry.path()).filter(|path| path.is_dir()))
}

/// The exit code of a report. An interrupted run ends as the user wanted it, whatever was found until then.
fn exit_code(plan: &RunPlan, report: &Report, job: &Launched, own: u8) -> u8 {
    match job.interruption().filter(|_| report.was_interrupted()) {
        Some(signal) => 128 + signal as u8,
        None => plan.report.exit_code(report, own),
    }
}

/// Says in the directory of a trace that the user has interrupted the job, for this analysis and for later ones.
fn tell_interruption(job: &Launched, dir: &Path) {
    let Some(signal) = job.interruption() else { return };
    let told = Interruption { signal: signal as i32, after_unix_ns: job.undisturbed_until() };
    if let Err(e) = interruption::tell(dir, told) {
        eprintln!("mpivet: cannot say in {} that the job was interrupted: {e}", dir.display());
    }
}

/// Reads the rest when the launcher is gone.
fn finish(observer: &mut Observer, printer: DiscoveryPrinter, quiet: bool, name: &str) {
    let here = proc::host();
    let orphan = |o: &Observer| o.traces.headers().any(|h| h.host == here && Process::of(h).lives());
    stop::wait(ORPHANS, || {
        observer.poll();
        !orphan(observer)
    });
    observer.traces.symbols.adopt(printer.finish());
    watch(observer, quiet);
    allocator::suit_to_ranks(observer.traces.headers().count());
    observer.read_rest(|h| h.host != here || !Process::of(h).lives());
    observer.phases.unwatch();
    discovery::remove(observer.traces.dir());
    tell_end(observer.traces.dir(), &observer.seen);
    follow::tell_deaths(observer, name);
}

/// Shows how far the analysis is.
fn watch(observer: &mut Observer, quiet: bool) {
    if !quiet {
        observer.phases.watch(Display::new());
    }
}

/// The report goes to standard error: standard output belongs to the program.
fn show(plan: &RunPlan, report: &Report) -> Result<(), Exit> {
    let printing = Instant::now();
    let text = plan.report.outputs.terminal(report, plan.report.style_on_stderr());
    // An error means that nobody reads it: the exit code still says it.
    _ = stderr().lock().write_all(text.as_bytes());
    plan.report.outputs.write(report, plan.report.style_in_file())?;
    if plan.verbose {
        print_phases(report, printing);
    }
    Ok(())
}

fn no_trace(found: &Found, dir: &Path, code: u8) -> Exit {
    match Traces::open(dir) {
        Err(LoadError::Unreadable { dir, why }) => Exit::cannot(LoadError::Unreadable { dir, why }),
        _ => {
            remove_empty(dir);
            Exit::cannot(anyhow::anyhow!(find::why_no_trace(found, code)))
        }
    }
}

/// The launcher has ended: says so to those who read the traces later, maybe on a host that cannot see its processes.
fn tell_end(dir: &Path, seen: &EndsSeen) {
    let over = Over { unix_ns: launch::unix_ns(), seen: seen.clone() };
    // Without it they have to be told.
    _ = over.write(dir);
}

/// An empty directory helps nobody.
fn remove_empty(dir: &Path) {
    nonce::remove(dir);
    Entrance::forget(dir);
    Over::forget(dir);
    _ = std::fs::remove_dir(dir);
}
