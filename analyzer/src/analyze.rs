//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::cli::{AnalyzePlan, CLEAN, Exit, FINDINGS, ReportPlan};
use analyzer::observe::Observer;
use analyzer::report::{Colour, Format, Report};
use std::io::Write as _;

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let here = crate::run::evidence::hostname();
    let running =
        |h: &trace_format::file::RankHeader| h.host == here && crate::run::evidence::lives(h.pid, h.pid_start);
    let observer = Observer::read(&plan.dir, |h| !running(h)).map_err(Exit::cannot)?;
    if observer.traces.headers().any(running) {
        eprintln!("mpivet: the job is still running; this is a report on what it has done so far");
    }
    let report = observer.report(false).map_err(Exit::cannot)?;
    write_file(&plan.report, &report)?;
    let format = if plan.report.file.is_some() { Format::Text } else { plan.report.format };
    crate::put(&report.render(format, Colour::on(&std::io::stdout())))?;
    Ok(exit_code(&plan.report, &report))
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
