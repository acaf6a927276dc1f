//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::cli::{AnalyzePlan, CLEAN, Exit, FINDINGS, ReportPlan};
use crate::run::evidence::{hostname, lives};
use crate::run::follow::proven_stuck;
use analyzer::observe::{Ending, Observer};
use analyzer::report::{Colour, Report};
use trace_format::file::RankHeader;

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    plan.report.or_failure(look_at(plan))
}

fn look_at(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let here = hostname();
    let running = |h: &RankHeader| h.host == here && lives(h.pid, h.pid_start);
    let mut observer = Observer::open(&plan.dir, plan.report.selection()).map_err(Exit::cannot)?;
    plan.report.prepare(&mut observer);
    observer.read_rest(|h| !running(h));
    let mut ending = Ending::Any;
    if observer.traces.headers().any(running) {
        eprintln!("mpivet: the job is still running; this is a report on what it has done so far");
        if let Some(stuck) = proven_stuck(&mut observer) {
            ending = Ending::Stuck(stuck.ranks);
        }
    }
    let mut report = observer.report(ending).map_err(Exit::cannot)?.gated(plan.report.fail_on);
    report.pass(&plan.report.gate);
    // A full disk takes away no more than the files.
    let shown = crate::put(&plan.report.outputs.terminal(&report, Colour::on(&std::io::stdout())));
    plan.report.outputs.write(&report)?;
    shown?;
    Ok(exit_code(&plan.report, &report))
}

pub(crate) fn exit_code(plan: &ReportPlan, report: &Report) -> u8 {
    if report.fails(plan.fail_on) { FINDINGS } else { CLEAN }
}
