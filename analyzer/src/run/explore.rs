//! `mpivet run --explore`: runs the program again and again, each time with other messages for its wildcards, until no
//! matching is left that is known and was not tried, or a limit is reached.

use super::evidence::hostname;
use super::find::Found;
use super::follow::{End, follow};
use super::launch::{Altered, Launched};
use super::plans::{Plans, Task};
use super::stop::{self, Process};
use super::{finish, no_trace, remove_empty, show};
use crate::analyze::{exit_code, write_file};
use crate::cli::{Exit, ExploreLimits, FINDINGS, RunPlan};
use analyzer::observe::{Conclusion, Ending, Observer};
use analyzer::report::{RunEnd, RunView};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, stdin};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A run may take so many times as long as the first one, and this much longer: a witness may ask for a message that never
/// comes, since the program went another way.
const TIMES: u32 = 3;
const LONGER: Duration = Duration::from_secs(10);

/// What is the same for all runs.
struct Job<'a> {
    plan: &'a RunPlan,
    found: &'a Found,
    /// The directory of the exploration, as typed and absolute.
    dir: &'a Path,
    absolute: &'a Path,
    input: Input,
}

/// What came of one run.
struct Ran {
    /// `None`: nothing is known of it.
    conclusion: Option<Conclusion>,
    end: RunEnd,
    code: u8,
    elapsed: Duration,
}

pub(super) fn explore(
    plan: &RunPlan,
    limits: ExploreLimits,
    found: &Found,
    dir: &Path,
    absolute: &Path,
) -> Result<u8, Exit> {
    let job = Job { plan, found, dir, absolute, input: Input::new() };
    let start = Instant::now();
    let over = start + Duration::from_secs(limits.seconds);
    let mut plans = Plans::new(plan.sync_sends);
    let first = job.run(1, None, &plans, None)?;
    let Some(conclusion) = first.conclusion else { return Err(no_trace(found, &dir.join("run-1"), first.code)) };
    let longest = TIMES * first.elapsed + LONGER;
    let mut views = vec![view(1, &first.end, first.code, None, conclusion.report.findings())];
    let mut report = plans.learn(1, conclusion, None);
    report.begin_exploration(dir.display().to_string());
    let mut interrupted = first.end == RunEnd::Interrupted;
    let mut cut = None;
    while let Some(task) = (!interrupted).then(|| plans.next()).flatten() {
        if views.len() >= limits.runs as usize {
            cut = Some((task, format!("--explore-runs {}", limits.runs.saturating_mul(5).div_ceil(2))));
            break;
        }
        let now = Instant::now();
        if now >= over {
            cut = Some((task, format!("--explore-time {}", limits.seconds.saturating_mul(5).div_ceil(2).max(60))));
            break;
        }
        let number = views.len() + 1;
        let under = job.witness(&task)?;
        job.say(&format!("run {number} of at most {}, under {}", limits.runs, under.display()));
        let ran = job.run(number, Some((&task, &under)), &plans, Some((now + longest).min(over)))?;
        interrupted = ran.end == RunEnd::Interrupted;
        let under = under.strip_prefix(job.absolute).unwrap_or(&under).display().to_string();
        let mut end = ran.end;
        let mut new = Vec::new();
        if end == RunEnd::Late && Instant::now() >= over {
            // Not its fault.
            cut = Some((task, format!("--explore-time {}", limits.seconds.saturating_mul(5).div_ceil(2).max(60))));
            views.push(view(number, &end, ran.code, Some(under), 0));
            break;
        }
        if let Some(conclusion) = ran.conclusion.filter(|_| end != RunEnd::Late) {
            let followed = task.was_followed(&conclusion.ways, end == RunEnd::Stopped);
            let forbidden = conclusion.ways.forbidden;
            let other = plans.learn(number, conclusion, Some(&task));
            if !forbidden {
                new = report.merge(other, number, &under);
            }
            match task.potential() {
                Some(key) if followed && !interrupted => {
                    let hung = end == RunEnd::Stopped;
                    report.came_true(key, number, hung);
                    if hung {
                        plans.settle(key);
                    }
                }
                _ => {}
            }
            if (!followed || forbidden) && end == RunEnd::Ended {
                end = RunEnd::Astray;
            }
        }
        new.iter().for_each(|line| job.say(&format!("run {number}: {line}")));
        views.push(view(number, &end, ran.code, Some(under), new.len()));
    }
    let left = plans.left() + usize::from(cut.is_some());
    if let Some(explored) = report.exploration_mut() {
        explored.matchings = plans.matchings();
        explored.left = left;
        let are = if left == 1 { "1 witness is left".to_owned() } else { format!("{left} witnesses are left") };
        explored.why = match (&cut, plans.unknown()) {
            (Some((_, option)), _) => Some(format!("{are}; {option} goes on")),
            _ if interrupted => Some(format!("it was ended from outside; {are}")),
            (None, Some((run, why))) => Some(format!("of run {run} not all is known: {why}")),
            (None, None) => None,
        };
        explored.complete = explored.why.is_none();
        explored.runs = views.clone();
    }
    if plan.quiet && report.is_clean() {
        write_file(&plan.report, &report)?;
    } else {
        show(plan, &report)?;
    }
    let failed = views.iter().filter_map(|run| run.exit_code).find(|code| *code != 0);
    Ok(match exit_code(&plan.report, &report) {
        0 if views.iter().any(|run| run.end == RunEnd::Stopped) => FINDINGS,
        0 => failed.unwrap_or(0),
        code => code,
    })
}

fn view(run: usize, end: &RunEnd, code: u8, under: Option<String>, new_findings: usize) -> RunView {
    let ended = !matches!(end, RunEnd::Stopped | RunEnd::Late);
    RunView { run, dir: format!("run-{run}"), under, end: *end, exit_code: ended.then_some(code), new_findings }
}

impl Job<'_> {
    fn say(&self, what: &str) {
        if !self.plan.quiet {
            eprintln!("mpivet: {what}");
        }
    }

    /// The file of a task's witness, beside the trace of the run that showed it.
    fn witness(&self, task: &Task) -> Result<PathBuf, Exit> {
        let dir = self.absolute.join(format!("run-{}", task.from));
        if let Some(number) = task.number {
            return Ok(dir.join(format!("witness-{number}.json")));
        }
        let free = (1..).map(|n| dir.join(format!("witness-{n}.json"))).find(|path| !path.exists());
        let path = free.unwrap_or_default();
        let cannot = |e| Exit::cannot(anyhow::anyhow!("cannot write {}: {e}", path.display()));
        task.witness.write(&path).map_err(cannot)?;
        Ok(path)
    }

    /// One run; `until`: when it is stopped at the latest.
    fn run(
        &self,
        number: usize,
        task: Option<(&Task, &Path)>,
        plans: &Plans,
        until: Option<Instant>,
    ) -> Result<Ran, Exit> {
        let name = format!("run-{number}");
        let (dir, absolute) = (self.dir.join(&name), self.absolute.join(&name));
        std::fs::create_dir_all(&dir).map_err(Exit::cannot)?;
        self.input.rewind();
        let altered =
            Altered { sync_sends: self.plan.sync_sends, replay: task.map(|(_, path)| path), one_of_several: true };
        let start = Instant::now();
        let mut job = Launched::start(self.plan, &altered, self.found, &absolute).inspect_err(|_| {
            remove_empty(&dir);
            remove_empty(self.dir);
        })?;
        let mut observer = Observer::new(&dir, self.plan.report.selection.clone());
        observer.explore(Arc::new(plans.known().clone()));
        let end = follow(&mut observer, &mut job, true, until);
        let elapsed = start.elapsed();
        let (end, ending) = match end {
            End::Proven(stuck, _) => (RunEnd::Stopped, Ending::Stopped(stuck.ranks)),
            End::Late => (RunEnd::Late, Ending::Any),
            End::Over if job.was_interrupted() => (RunEnd::Interrupted, Ending::Any),
            End::Over => (RunEnd::Ended, Ending::Any),
        };
        if end == RunEnd::Stopped {
            let processes: Vec<Process> = observer.traces.headers().map(Process::of).collect();
            let conclusion = observer.conclude(ending).map_err(Exit::cannot);
            stop::stop(&mut job, &processes);
            return Ok(Ran { conclusion: Some(conclusion?), end, code: job.exit_code(), elapsed });
        }
        if end == RunEnd::Late {
            let here = hostname();
            let of_here = observer.traces.headers().filter(|h| h.host == here);
            let processes: Vec<Process> = of_here.map(Process::of).collect();
            stop::stop(&mut job, &processes);
            return Ok(Ran { conclusion: None, end, code: job.exit_code(), elapsed });
        }
        finish(&mut observer);
        let code = job.exit_code();
        if observer.traces.headers().next().is_none() {
            let end = if end == RunEnd::Interrupted { end } else { RunEnd::NoTrace };
            return Ok(Ran { conclusion: None, end, code, elapsed });
        }
        let conclusion = Some(observer.conclude(ending).map_err(Exit::cannot)?);
        Ok(Ran { conclusion, end, code, elapsed })
    }
}

/// The standard input, which each run reads from its beginning if it is a file.
struct Input(Option<(File, u64)>);

impl Input {
    fn new() -> Input {
        let file = stdin().as_fd().try_clone_to_owned().ok().map(File::from);
        let file = file.filter(|f| f.metadata().is_ok_and(|m| m.is_file()));
        Input(file.and_then(|mut file| file.stream_position().ok().map(|at| (file, at))))
    }

    fn rewind(&self) {
        if let Some((file, at)) = &self.0 {
            let mut file: &File = file;
            _ = file.seek(SeekFrom::Start(*at));
        }
    }
}
