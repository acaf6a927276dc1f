//! `mpivet run --explore`: runs the program again and again, each time with other messages for its wildcards, until no
//! matching is left that is known and was not tried, or a limit is reached.

use super::explored_run::{Job, RunResult};
use super::find::Found;
use super::plans::{Plans, Task};
use super::{no_trace, remove, tell};
use crate::cli::{ExploreLimits, RunPlan};
use crate::exit::{Exit, FINDINGS};
use report::{Report, RunEnd, RunView};
use std::path::Path;
use std::time::{Duration, Instant};

/// A run may take so many times as long as the first one, and this much longer: a witness may ask for a message that never
/// comes, since the program went another way.
const TIMES: u32 = 3;
const LONGER: Duration = Duration::from_secs(10);
/// New findings of a run that are told at once; the report has all.
const MOST_SAID: usize = 20;

/// An exploration under way.
struct Exploration<'a> {
    job: Job<'a>,
    limits: ExploreLimits,
    /// The time after which no run is started, and the limit of a run.
    over: Instant,
    longest: Duration,
    plans: Plans,
    /// The report of all runs so far.
    report: Report,
    runs: Vec<RunView>,
    /// Why the search ended although something may be left.
    stop_reason: Option<StopReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    Runs,
    Time,
    Outside,
}

pub(super) fn explore(
    plan: &RunPlan,
    limits: ExploreLimits,
    found: &Found,
    dir: &Path,
    absolute: &Path,
) -> Result<u8, Exit> {
    let job = Job::new(plan, found, dir, absolute);
    let start = Instant::now();
    let mut plans = Plans::new(plan.sync_sends);
    let first = job.run(1, None, plans.known(), None)?;
    let Some(conclusion) = first.conclusion else { return Err(no_trace(found, &dir.join("run-1"), first.code)) };
    let runs = vec![view(1, first.end, first.code, None, conclusion.report.findings())];
    let mut report = plans.learn(1, conclusion, None);
    report.begin_exploration(dir.display().to_string());
    let mut exploration = Exploration {
        job,
        limits,
        over: start + Duration::from_secs(limits.seconds),
        longest: TIMES * first.elapsed + LONGER,
        plans,
        report,
        runs,
        stop_reason: (first.end == RunEnd::Interrupted).then_some(StopReason::Outside),
    };
    while let Some(task) = exploration.next() {
        exploration.make(&task)?;
    }
    exploration.conclude();
    let Exploration { report, runs, .. } = exploration;
    let report = plan.report.judged(report);
    let own = match runs.iter().any(|run| run.end == RunEnd::Stopped) {
        true => FINDINGS,
        false => runs.iter().filter_map(|run| run.exit_code).find(|code| *code != 0).unwrap_or(0),
    };
    let code = plan.report.exit_code(&report, own);
    remove(dir, tell(plan, report, code)?);
    Ok(code)
}

impl Exploration<'_> {
    /// The next run to be made, as long as no limit is reached.
    fn next(&mut self) -> Option<Task> {
        if self.stop_reason.is_none() && self.plans.left() > 0 {
            if self.runs.len() >= self.limits.runs as usize {
                self.stop_reason = Some(StopReason::Runs);
            } else if Instant::now() >= self.over {
                self.stop_reason = Some(StopReason::Time);
            }
        }
        self.stop_reason.is_none().then(|| self.plans.next()).flatten()
    }

    /// Makes a run and takes in what it shows.
    fn make(&mut self, task: &Task) -> Result<(), Exit> {
        let number = self.runs.len() + 1;
        let under = self.job.witness(task)?;
        self.job.say(&format!("run {number} of at most {}, under {under}", self.limits.runs));
        let until = (Instant::now() + self.longest).min(self.over);
        let RunResult { conclusion, mut end, code, .. } =
            self.job.run(number, Some(&under), self.plans.known(), Some(until))?;
        let mut new = Vec::new();
        match conclusion {
            Some(conclusion) => {
                let astray = conclusion.ways.forbidden;
                let followed = !astray && task.was_followed(&conclusion.ways, end == RunEnd::Stopped);
                let report = self.plans.learn(number, conclusion, Some(task));
                if !astray {
                    let cause = self.plans.difference(task).filter(|_| followed);
                    new = self.report.merge(report, number, (&under, cause), end);
                }
                if let Some(key) = task.potential().filter(|_| followed && end != RunEnd::Interrupted) {
                    let hung = end == RunEnd::Stopped;
                    self.report.came_true(key, number, hung);
                    if hung {
                        self.plans.settle(key);
                    }
                }
                if astray || !followed && end == RunEnd::Ended {
                    end = RunEnd::Astray;
                }
            }
            // The exploration ended it, not the run itself.
            None if end == RunEnd::Late && Instant::now() >= self.over => self.stop_reason = Some(StopReason::Time),
            None => {}
        }
        if end == RunEnd::Interrupted {
            self.stop_reason = Some(StopReason::Outside);
        }
        if self.stop_reason.is_some() {
            self.plans.give_back(task.clone());
        }
        new.iter().take(MOST_SAID).for_each(|line| self.job.say(&format!("run {number}: {line}")));
        if let more @ 1.. = new.len().saturating_sub(MOST_SAID) {
            self.job.say(&format!("run {number}: and {more} more"));
        }
        self.runs.push(view(number, end, code, Some(under), new.len()));
        Ok(())
    }

    /// Writes into the report what was explored.
    fn conclude(&mut self) {
        let left = self.plans.left();
        let least = if self.plans.unknown().is_some() { "at least " } else { "" };
        let are = if left == 1 { "1 witness is left".to_owned() } else { format!("{least}{left} witnesses are left") };
        let more = |n: u64| n.saturating_mul(5).div_ceil(2);
        let why = match (self.stop_reason, self.plans.unknown()) {
            (Some(StopReason::Runs), _) => {
                Some(format!("{are}; --explore-runs {} goes on", more(self.limits.runs.into())))
            }
            (Some(StopReason::Time), _) => {
                Some(format!("{are}; --explore-time {} goes on", more(self.limits.seconds).max(60)))
            }
            (Some(StopReason::Outside), _) => Some(format!("it was ended from outside; {are}")),
            (None, Some((run, why))) => Some(format!("of run {run} not all is known: {why}")),
            (None, None) => None,
        };
        if let Some(explored) = self.report.exploration_mut() {
            explored.matchings = self.plans.matchings();
            explored.left = left;
            explored.complete = why.is_none();
            explored.why = why;
            explored.runs.clone_from(&self.runs);
        }
    }
}

fn view(run: usize, end: RunEnd, code: u8, under: Option<String>, new_findings: usize) -> RunView {
    let ended = !matches!(end, RunEnd::Stopped | RunEnd::Late);
    RunView { run, dir: format!("run-{run}"), under, end, exit_code: ended.then_some(code), new_findings }
}
