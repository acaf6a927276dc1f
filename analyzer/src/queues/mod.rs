//! `mpivet queues`: message queues of live processes, and who waits for whom by them.

mod ask;
mod confirm;
mod eyes;
mod json;
mod names;
mod requests;
mod targets;
mod text;
mod wait;

use crate::cli::{QueueFormat, QueuesOfPlan, QueuesPlan};
use crate::exit::{CLEAN, Exit, FINDINGS};
use ask::Answer;
use debugger::read::Options;
use debugger::snapshot::Snapshot;
use eyes::Eyes;
use targets::Target;
use wait::Stuck;

/// A process could not be looked at.
const SOME_FAILED: u8 = 3;

/// The result of a look at a job.
struct Job {
    /// By rank.
    snapshots: Vec<Snapshot>,
    /// Processes that could not be looked at, and why.
    failures: Vec<(Target, String)>,
    /// Ranks that wait for each other, and the operations.
    deadlock: Vec<Stuck>,
}

pub(crate) fn queues(plan: &QueuesPlan) -> Result<u8, Exit> {
    let targets = targets::find(&plan.job)?;
    let dir = match &plan.job {
        crate::cli::Job::Traces(dir) => Some(dir.as_path()),
        crate::cli::Job::Pids(_) => None,
    };
    let eyes = Eyes::open(&targets, dir);
    let options = Options { stop: plan.stop, stacks: plan.stacks };
    let mut job = look(&targets, options, &eyes);
    if plan.stacks {
        job.deadlock = confirm::deadlock(&job.snapshots, options, &eyes);
    }
    let shown = match plan.format {
        QueueFormat::Text => text::render(&job),
        QueueFormat::Json => json::render(&job),
    };
    crate::exit::put(&shown)?;
    for (Target { pid, host, .. }, why) in &job.failures {
        let place = host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
        eprintln!("mpivet: process {pid}{place}: {why}");
    }
    Ok(match (job.deadlock.is_empty(), job.failures.is_empty()) {
        (false, _) => FINDINGS,
        (true, true) => CLEAN,
        (true, false) => SOME_FAILED,
    })
}

/// Looks at all processes, side by side.
fn look(targets: &[Target], options: Options, eyes: &Eyes) -> Job {
    let mut job = Job { snapshots: Vec::new(), failures: Vec::new(), deadlock: Vec::new() };
    for (target, answer) in eyes.queues(targets, options) {
        match answer {
            Answer::Seen(mut snapshot) => {
                if let Some(why) = snapshot.no_queues.take() {
                    job.failures.push((target, why));
                }
                job.snapshots.push(*snapshot);
            }
            Answer::Failed(why) => job.failures.push((target, why)),
        }
    }
    job.snapshots.sort_by(|a, b| (&a.world, a.rank, &a.host, a.pid).cmp(&(&b.world, b.rank, &b.host, b.pid)));
    job
}

/// The work of the process that [`ask`] starts for each target.
pub(crate) fn of_one(plan: &QueuesOfPlan) -> Result<u8, Exit> {
    let options = Options { stop: plan.stop, stacks: plan.stacks };
    let answer = match debugger::read::look(plan.pid, options) {
        Ok(snapshot) => Answer::Seen(Box::new(snapshot)),
        Err(e) => Answer::Failed(e.to_string()),
    };
    // The DLL may have printed something, perhaps without the end of a line.
    crate::exit::put(&format!("\n{}\n", serde_json::to_string(&answer).map_err(Exit::cannot)?))?;
    Ok(CLEAN)
}
