//! `mpivet run`: starts the job under the interposer, follows it, stops it when it is proved to be stuck, reports.
//! With `--explore` again and again (`explore.rs`).

pub(crate) mod evidence;
mod explore;
mod find;
pub(crate) mod follow;
mod launch;
mod launcher;
mod one_of_several;
mod options;
mod plans;
mod stop;

use crate::analyze::{exit_code, listen, write_file};
use crate::cli::{Exit, FINDINGS, RunPlan};
use analyzer::engine::Stuck;
use analyzer::load::{LoadError, Traces};
use analyzer::observe::{Ending, Observer};
use analyzer::report::{Colour, Format, Report};
use find::Found;
use follow::End;
use launch::{Altered, Launched};
use std::io::{Write as _, stderr};
use std::path::Path;
use std::time::Duration;
use stop::Process;

/// How long ranks may outlive their launcher before the report is made without their end.
const ORPHANS: Duration = Duration::from_secs(1);

pub(crate) fn run(plan: &RunPlan) -> Result<u8, Exit> {
    let found = Found::new(&plan.command)?;
    let (dir, absolute) = find::make_directory(plan, &found)?;
    if plan.verbose {
        eprintln!("mpivet: preloading {}, trace directory {}", found.library.display(), absolute.display());
    }
    if let Some(limits) = plan.explore {
        return explore::explore(plan, limits, &found, &dir, &absolute);
    }
    let mut job = Launched::start(plan, &Altered::of(plan), &found, &absolute).inspect_err(|_| remove_empty(&dir))?;
    let mut observer = Observer::new(&dir, plan.report.selection.clone());
    listen(&plan.report, &mut observer);
    match follow::follow(&mut observer, &mut job, plan.stop, None) {
        End::Proven(stuck, after) => {
            if plan.verbose {
                let Stuck { ranks, uncertain, .. } = &stuck;
                eprintln!("mpivet: ranks {ranks:?} wait for ever, {uncertain:?} by evidence; known after {after:?}");
            }
            let processes: Vec<Process> = observer.traces.headers().map(Process::of).collect();
            // Who watches wants to know at once; the job waits anyway.
            let shown = observer
                .report(Ending::Stopped(stuck.ranks))
                .map_err(Exit::cannot)
                .and_then(|report| show(plan, &report));
            stop::stop(&mut job, &processes);
            shown?;
            Ok(FINDINGS)
        }
        End::Over | End::Late => {
            finish(&mut observer);
            if observer.traces.headers().next().is_none() {
                return Err(no_trace(&found, &dir, job.exit_code()));
            }
            let report = observer.report(Ending::Any).map_err(Exit::cannot)?;
            if !(plan.quiet && report.is_clean()) {
                show(plan, &report)?;
            } else {
                write_file(&plan.report, &report)?;
            }
            Ok(match exit_code(&plan.report, &report) {
                0 => job.exit_code(),
                code => code,
            })
        }
    }
}

/// Reads the rest when the launcher is gone.
fn finish(observer: &mut Observer) {
    let here = evidence::hostname();
    let orphan = |o: &Observer| o.traces.headers().any(|h| h.host == here && Process::of(h).lives());
    stop::wait(ORPHANS, || {
        observer.poll();
        !orphan(observer)
    });
    observer.read_rest(|h| h.host != here || !Process::of(h).lives());
    follow::tell_deaths(observer);
}

/// The report goes to standard error: standard output belongs to the program.
fn show(plan: &RunPlan, report: &Report) -> Result<(), Exit> {
    let format = if plan.report.file.is_some() { Format::Text } else { plan.report.format };
    let text = report.render(format, Colour::on(&stderr()));
    // Nobody reads it: the exit code still tells.
    _ = stderr().lock().write_all(text.as_bytes());
    write_file(&plan.report, report)
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

/// An empty directory helps nobody.
fn remove_empty(dir: &Path) {
    _ = std::fs::remove_dir(dir);
}
