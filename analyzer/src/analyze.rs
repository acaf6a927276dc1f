//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::allocator;
use crate::cli::{AnalyzePlan, ReportPlan};
use crate::exit::{CLEAN, Exit};
use crate::halt;
use crate::progress::{Display, print_phases};
use crate::run::follow::proven_stuck;
use crate::run::leftover_stages::bring_stages;
use crate::run::liveness::Lives;
use analyzer::crew::{self, Crew, Role};
use analyzer::load::LoadError;
use analyzer::observe::{Brake, Ending, Observer};
use report::{JobReport, Report};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;
use trace_format::run::jobs::{Started, Wrapped, jobs_in};
use trace_format::run::suspects::Suspects;

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let mut reading = Reading::of(plan);
    // Threads of the MPI library would get the signals, too.
    if crew::is_helper() {
        halt::leave_to_another();
    } else {
        halt::listen(&reading.brake);
    }
    reading.crew = match crew::muster().map_err(Exit::cannot)? {
        Role::Alone => None,
        Role::First(crew) => Some(Rc::new(crew)),
        Role::Helper => return Ok(CLEAN),
    };
    let code = plan.report.or_failure(report_of(&reading).and_then(|report| tell(plan, report)));
    if let Some(crew) = reading.crew.filter(|_| plan.verbose) {
        let mebibytes = crew.received() as f64 / f64::from(1 << 20);
        eprintln!("mpivet: {} processes: the others have read the traces, and sent {mebibytes:.1} MiB", crew.size());
    }
    code
}

fn tell(plan: &AnalyzePlan, report: Report) -> Result<u8, Exit> {
    let report = plan.report.judged(report);
    let printing = Instant::now();
    // A full disk takes away no more than the files.
    let shown = match plan.quiet && report.is_clean() {
        true => Ok(()),
        false => crate::exit::put(&plan.report.outputs.terminal(&report, plan.report.style_on_stdout())),
    };
    plan.report.outputs.write(&report, plan.report.style_in_file())?;
    shown?;
    if plan.verbose {
        print_phases(&report, printing);
    }
    Ok(plan.report.exit_code(&report, CLEAN))
}

/// The calls that the run in a directory suspects.
pub(crate) fn suspects(dir: &Path, report: &ReportPlan) -> Result<Suspects, Exit> {
    let reading = Reading { dir, report, quiet: true, over: true, brake: Brake::default(), crew: None };
    let suspects = report_of(&reading)?.suspects();
    if suspects.calls.is_empty() && !suspects.windows {
        let dir = dir.display();
        return Err(Exit::Usage(format!(
            "--precise-from: the run in {dir} has found no buffer that changed while it was in use; --precise watches all"
        )));
    }
    Ok(suspects)
}

/// A directory to read, and how.
struct Reading<'a> {
    dir: &'a Path,
    report: &'a ReportPlan,
    /// No progress is shown.
    quiet: bool,
    /// The user says that the job is over.
    over: bool,
    /// Ends the reading.
    brake: Brake,
    /// Other processes that read.
    crew: Option<Rc<Crew>>,
}

impl<'a> Reading<'a> {
    fn of(plan: &'a AnalyzePlan) -> Reading<'a> {
        let AnalyzePlan { dir, report, quiet, over, .. } = plan;
        Reading { dir, report, quiet: *quiet, over: *over, brake: Brake::default(), crew: None }
    }
}

/// The report of the directory, which may be one of several jobs (`mpivet run --each`).
fn report_of(reading: &Reading) -> Result<Report, Exit> {
    let directory = reading.dir;
    let Some(wrapped) = Wrapped::read(directory) else { return one_job(directory, reading, None) };
    let cannot = |source| Exit::cannot(LoadError::Directory { path: directory.to_owned(), source });
    let mut jobs = Vec::new();
    for (dir, started) in jobs_in(directory).map_err(cannot)? {
        match one_job(&directory.join(&dir), reading, Some(&started)) {
            Ok(report) => jobs.push(JobReport { dir, started, report }),
            // Nothing is known of the job beyond the MPI_Init of its first rank.
            Err(Exit::Cannot(e)) if matches!(e.downcast_ref(), Some(LoadError::Empty(_))) => {}
            Err(e) => return Err(e),
        }
    }
    if jobs.is_empty() {
        return Err(Exit::cannot(LoadError::Empty(directory.to_owned())));
    }
    Ok(Report::of_jobs(directory.display().to_string(), &wrapped.command, jobs))
}

/// The processes that were to read did not.
fn lost(why: &str, processes: usize, dir: &Path) -> Exit {
    let dir = dir.display();
    let fewer = match processes {
        0..=2 => format!("mpivet analyze {dir}"),
        more => format!("mpirun -n {} mpivet analyze {dir}, or without mpirun", more - 1),
    };
    Exit::cannot(anyhow::anyhow!("{why}. Go on with fewer processes: {fewer}"))
}

/// `started`: what is known of one of several.
fn one_job(dir: &Path, reading: &Reading, started: Option<&Started>) -> Result<Report, Exit> {
    let lives = Lives::of(dir, reading.over);
    // If that is not possible, they are read where they are.
    bring_stages(dir, false);
    let mut observer = Observer::open(dir, reading.report.selection()).map_err(Exit::cannot)?;
    match started {
        Some(_) => reading.report.prepare_explored(&mut observer),
        None => reading.report.prepare(&mut observer),
    }
    if !reading.quiet {
        observer.phases.watch(Display::new());
    }
    observer.brake = reading.brake.clone();
    observer.crew = reading.crew.clone();
    allocator::suit_to_ranks(observer.traces.headers().count());
    observer.read_rest(|h| lives.is_gone(h));
    if let (Some(why), Some(crew)) = (observer.lost(), &reading.crew) {
        return Err(lost(why, crew.size(), dir));
    }
    let stopped = started.map(|started| started.stopped.clone()).filter(|ranks| !ranks.is_empty());
    let mut ending = stopped.map_or(Ending::Any, Ending::Stopped);
    if lives.tell(observer.traces.headers(), "this is a report on what it has done so far")
        && !observer.is_cut()
        && let Some(stuck) = proven_stuck(&mut observer)
    {
        ending = Ending::Stuck(stuck.ranks);
    }
    observer.report(ending).map_err(Exit::cannot)
}
