//! `mpivet analyze`: the report of a run that is over, or of the state that a running job has now.

use crate::cli::{AnalyzePlan, CLEAN, Exit, FINDINGS, ReportPlan};
use crate::progress::{Bar, tell_stages};
use crate::run::evidence::{hostname, lives};
use crate::run::follow::proven_stuck;
use analyzer::observe::{Ending, Observer};
use analyzer::report::Report;
use std::time::Instant;
use trace_format::file::RankHeader;

pub(crate) fn analyze(plan: &AnalyzePlan) -> Result<u8, Exit> {
    plan.report.or_failure(look_at(plan))
}

fn look_at(plan: &AnalyzePlan) -> Result<u8, Exit> {
    let here = hostname();
    let running = |h: &RankHeader| h.host == here && lives(h.pid, h.pid_start);
    let mut observer = Observer::open(&plan.dir, plan.report.selection()).map_err(Exit::cannot)?;
    plan.report.prepare(&mut observer);
    if let Some(bar) = Bar::new().filter(|_| !plan.quiet) {
        observer.stages.watch(bar);
    }
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
    let printing = Instant::now();
    // A full disk takes away no more than the files.
    let shown = match plan.quiet && report.is_clean() {
        true => Ok(()),
        false => crate::put(&plan.report.outputs.terminal(&report, plan.report.look_on_stdout())),
    };
    plan.report.outputs.write(&report, plan.report.look_in_file())?;
    shown?;
    if plan.verbose {
        tell_stages(&report, printing);
    }
    Ok(exit_code(&plan.report, &report))
}

pub(crate) fn exit_code(plan: &ReportPlan, report: &Report) -> u8 {
    if report.fails(plan.fail_on) { FINDINGS } else { CLEAN }
}
