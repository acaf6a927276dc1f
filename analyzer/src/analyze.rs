//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::cli::{AnalyzePlan, CLEAN, Exit, FINDINGS, ReportPlan};
use crate::run::evidence::{hostname, lives};
use crate::run::follow::proven_stuck;
use analyzer::load::LoadError;
use analyzer::observe::{Ending, Observer};
use analyzer::report::{Colour, Format, JobReport, Report};
use std::io::Write as _;
use std::path::Path;
use trace_format::file::RankHeader;
use trace_format::several::{Wrapped, jobs_in};

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let report = look_at(plan)?;
    write_file(&plan.report, &report)?;
    let format = if plan.report.file.is_some() { Format::Text } else { plan.report.format };
    crate::put(&report.render(format, Colour::on(&std::io::stdout())))?;
    Ok(exit_code(&plan.report, &report))
}

/// The report of the directory, which may be one of several jobs (`mpivet run --each`).
fn look_at(plan: &AnalyzePlan) -> Result<Report, Exit> {
    let Some(wrapped) = Wrapped::read(&plan.dir) else { return one_job(&plan.dir, plan, Vec::new()) };
    let cannot = |source| Exit::cannot(LoadError::Directory { path: plan.dir.clone(), source });
    let mut jobs = Vec::new();
    for (dir, started) in jobs_in(&plan.dir).map_err(cannot)? {
        match one_job(&plan.dir.join(&dir), plan, started.stopped.clone()) {
            Ok(report) => jobs.push(JobReport { dir, started, report }),
            // MPI_Init of its first rank was the last that is known.
            Err(Exit::Cannot(e)) if matches!(e.downcast_ref(), Some(LoadError::Empty(_))) => {}
            Err(e) => return Err(e),
        }
    }
    if jobs.is_empty() {
        return Err(Exit::cannot(LoadError::Empty(plan.dir.clone())));
    }
    Ok(Report::of_jobs(plan.dir.display().to_string(), &wrapped.command, jobs))
}

/// `stopped`: ranks because of which mpivet stopped it.
fn one_job(dir: &Path, plan: &AnalyzePlan, stopped: Vec<i32>) -> Result<Report, Exit> {
    let here = hostname();
    let running = |h: &RankHeader| h.host == here && lives(h.pid, h.pid_start);
    let mut observer = Observer::read(dir, plan.report.selection.clone(), |h| !running(h)).map_err(Exit::cannot)?;
    let mut ending = if stopped.is_empty() { Ending::Any } else { Ending::Stopped(stopped) };
    if observer.traces.headers().any(running) {
        eprintln!("mpivet: the job is still running; this is a report on what it has done so far");
        if let Some(stuck) = proven_stuck(&mut observer) {
            ending = Ending::Stuck(stuck.ranks);
        }
    }
    observer.report(ending).map_err(Exit::cannot)
}

/// Writes the file of `--report`.
pub(crate) fn write_file(plan: &ReportPlan, report: &Report) -> Result<(), Exit> {
    let Some((path, file)) = &plan.file else { return Ok(()) };
    let mut file = file;
    file.write_all(report.render(plan.format, Colour::Plain).as_bytes())
        .map_err(|e| Exit::cannot(anyhow::anyhow!("cannot write the report to {}: {e}", path.display())))
}

pub(crate) fn exit_code(plan: &ReportPlan, report: &Report) -> u8 {
    if report.fails(plan.fail_on) { FINDINGS } else { CLEAN }
}
