//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::cli::{AnalyzePlan, CLEAN, Exit, FINDINGS, ReportPlan};
use crate::run::evidence::{hostname, lives};
use crate::run::follow::proven_stuck;
use analyzer::observe::{Ending, Observer};
use analyzer::report::{Colour, Format, Report};
use std::io::Write as _;
use trace_format::file::RankHeader;

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let here = hostname();
    let running = |h: &RankHeader| h.host == here && lives(h.pid, h.pid_start);
    let mut observer = Observer::open(&plan.dir, plan.report.selection.clone()).map_err(Exit::cannot)?;
    listen(&plan.report, &mut observer);
    observer.read_rest(|h| !running(h));
    let mut ending = Ending::Any;
    if observer.traces.headers().any(running) {
        eprintln!("mpivet: the job is still running; this is a report on what it has done so far");
        if let Some(stuck) = proven_stuck(&mut observer) {
            ending = Ending::Stuck(stuck.ranks);
        }
    }
    let report = observer.report(ending).map_err(Exit::cannot)?;
    write_file(&plan.report, &report)?;
    let format = if plan.report.file.is_some() { Format::Text } else { plan.report.format };
    crate::put(&report.render(format, Colour::on(&std::io::stdout())))?;
    Ok(exit_code(&plan.report, &report))
}

/// Asks for what the formats of the report show beside findings.
pub(crate) fn listen(plan: &ReportPlan, observer: &mut Observer) {
    if plan.format.shows_timeline() {
        observer.draw();
    }
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
