//! The report at the end of a run, of which more is known by then than the engine was fed with.

use super::{Observer, witnesses};
use crate::call_contexts;
use crate::early::{self, introduce};
use crate::interruption::{self, Interruption};
use engine::{Analysis, End, Ways};
use report::phases::{DEADLOCKS, SOURCES};
use report::variables::ProgramVariables;
use report::{Damage, FRAGMENTS, Report, RunInfo, environment, merge};
use trace_format::catalogue::CHECKS;
use trace_format::file::RankHeader;
use trace_format::run::early::Early;
use trace_format::run::job::Job;
use trace_format::run::over::{EndsSeen, Over};
use trace_format::run::witness::Witness;

/// The state in which a report finds the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is over, or goes on and nobody knows how.
    Any,
    /// It is proved that these ranks can never go on.
    Stuck(Vec<i32>),
    /// It is proved that these ranks can never go on, and mpivet stops the job.
    Stopped(Vec<i32>),
}

/// A mistake of mpivet itself.
#[derive(Debug, thiserror::Error)]
#[error("mpivet made a mistake and cannot go on ({what}); please report it, with the trace directory {dir}")]
pub struct InternalError {
    what: String,
    dir: String,
}

/// The results at the end of a run.
pub struct Conclusion {
    pub report: Report,
    pub ways: Ways,
    /// The program and its ranks, as witnesses have them.
    pub program: String,
    pub ranks: i32,
    /// The witnesses in the directory of the trace; the first one is number 1.
    pub witnesses: Vec<Witness>,
}

/// Facts of the run from the directory of its traces.
struct Facts {
    job: Job,
    /// Findings of processes that never got through MPI_Init.
    early: Vec<Early>,
    damage: Vec<Damage>,
    /// Ranks without a trace, and ranks whose trace lacks its end.
    missing: Vec<i32>,
    unknown: Vec<i32>,
    /// Ranks that were still going on.
    running: Vec<i32>,
    /// Ranks whose end was not read, since somebody has ended the reading.
    unread: Vec<i32>,
    /// Parts of the traces were lost, or may still come.
    lost: bool,
    interrupted: Option<Interruption>,
    /// Processes that ended, in this order, as far as that was seen: rank, and nanoseconds.
    seen: EndsSeen,
}

impl Facts {
    fn of(observer: &Observer, is_stopped: bool) -> Facts {
        let traces = &observer.traces;
        let (mut damage, unknown) = (traces.damage(is_stopped), traces.unknown());
        let (mut job, job_damage) = traces.job();
        let early = traces.early();
        // If no process got through MPI_Init, a missing description of the job is no damage.
        let job_damage = job_damage.filter(|_| early.is_empty() || traces.headers().next().is_some());
        let mut missing = traces.missing();
        introduce(&early, &mut job, &mut missing);
        let running = observer.running();
        let lost = !damage.is_empty() || !unknown.is_empty() || !running.is_empty() || observer.is_cut();
        let unread = if observer.is_cut() { traces.without_end() } else { Vec::new() };
        damage.extend(job_damage);
        damage.extend(traces.untraced(&missing, is_stopped));
        damage.extend(observer.cut.map(|cut| cut.damage()));
        damage.sort();
        let interrupted = interruption::of(traces.dir());
        let seen = match observer.seen == EndsSeen::default() {
            true => Over::read(traces.dir()).map(|over| over.seen).unwrap_or_default(),
            false => observer.seen.clone(),
        };
        Facts { job, early, damage, missing, unknown, running, unread, lost, interrupted, seen }
    }
}

impl Observer {
    /// Makes the report of what was read.
    pub fn report(self, ending: Ending) -> Result<Report, InternalError> {
        self.conclude(ending).map(|conclusion| conclusion.report)
    }

    /// Makes the report of what was read, with the matchings and witnesses of the run.
    pub fn conclude(mut self, ending: Ending) -> Result<Conclusion, InternalError> {
        let is_stopped = matches!(ending, Ending::Stopped(_));
        let facts = Facts::of(&self, is_stopped);
        let leapt = self.leapt();
        let analysis = self.analysis(&facts, ending)?;
        let Facts { job, early, damage, missing, running, interrupted, .. } = facts;
        let names = self.traces.worlds.names();
        let found = witnesses::named(analysis.witnesses, &job);
        let unwritten = witnesses::write(&found, self.traces.dir());
        let remarks = job.alterations().into_iter().chain(self.feeder.remarks(&names));
        let watched = self.traces.notes.watched.as_ref().map(|watched| watched.line());
        let remarks = remarks.chain(analysis.open_questions).chain(unwritten).chain(watched).collect();
        let environment = self.listeners.wants_protocol().then(|| {
            let headers: Vec<&RankHeader> = self.traces.headers().collect();
            environment(&job, &headers, &names, self.traces.dir())
        });
        let run = RunInfo {
            program: job.program.clone(),
            arguments: job.arguments,
            ranks: job.ranks,
            mpi: job.mpi,
            missing,
            running,
            stopped: is_stopped,
            interrupted: interrupted.map(|interruption| interruption.signal),
            cut: self.cut.map(|cut| cut.signal),
            has_dumps: analysis.has_dumps,
            trace_dir: self.traces.dir().display().to_string(),
            damage,
            max_findings: self.selection.max_findings(),
            hidden: analysis.hidden,
            queues: analysis.queues,
            names,
            remarks,
            samples: std::mem::take(&mut self.traces.notes.samples),
            checks: CHECKS.iter().copied().filter(|check| self.selection.is_on(check)).collect(),
            directory: std::env::current_dir().unwrap_or_default(),
        };
        let symbols = &mut self.traces.symbols;
        let statistics = self.listeners.statistics(&run.names, symbols);
        let timeline = self.listeners.timeline(&run.names, symbols);
        let mut ways = analysis.ways;
        ways.places = witnesses::places(&ways, symbols);
        let early = early::findings(&early, &run.names, &self.selection, symbols);
        let findings = analysis.findings.into_iter().chain(early).collect();
        let mut report = self.phases.time(SOURCES, || Report::new(run, findings, &analysis.ranks, symbols));
        report.statistics = statistics;
        report.timeline = timeline;
        if let Some((seen, environment)) = self.listeners.seen().zip(environment) {
            self.phases.time(FRAGMENTS, || {
                let contexts = call_contexts::read(&self.traces, &report.calls_of_findings());
                report.add_protocol(&seen, environment, contexts, &mut self.traces.symbols);
            });
        }
        report.phases = self.phases.finish();
        report.leapt = leapt;
        Ok(Conclusion { report, ways, program: job.program, ranks: job.ranks, witnesses: found })
    }

    /// The engine's analysis of a run that ended in this way.
    fn analysis(&mut self, facts: &Facts, ending: Ending) -> Result<Analysis, InternalError> {
        // The later calls of these ranks are unknown, and nothing may be concluded from their absence.
        let lost = match ending {
            Ending::Any => [&facts.unknown[..], &facts.running[..], &facts.unread[..]].concat(),
            Ending::Stuck(_) | Ending::Stopped(_) => Vec::new(),
        };
        let proven = match ending {
            Ending::Any => None,
            Ending::Stuck(ranks) | Ending::Stopped(ranks) => Some(ranks),
        };
        let end = End {
            stopped: proven.is_some(),
            proven: proven.unwrap_or_default(),
            gone: self.gone.iter().copied().collect(),
            seen: facts.seen.clone(),
            missing: facts.missing.clone(),
            lost: facts.lost,
            cut: self.is_cut(),
            interrupted: facts.interrupted.map(|interruption| interruption.after_unix_ns),
        };
        let Observer { traces, feeder, phases, .. } = self;
        phases.time(SOURCES, || feeder.look_at_variables(&mut ProgramVariables::new(&mut traces.symbols)));
        let merged = |findings| merge::merge(findings, &mut traces.symbols);
        let analysis = phases.time(DEADLOCKS, || feeder.finish(&facts.job, &end, &lost, merged));
        analysis.map_err(|what| InternalError { what, dir: self.traces.dir().display().to_string() })
    }
}
