//! `mpivet queues`: message queues of live processes, and who waits for whom by them.

mod ask;
mod confirm;
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
use wait::Stuck;

/// A process could not be looked at.
const SOME_FAILED: u8 = 3;

/// The result of a look at a job.
struct Job {
    /// By rank.
    snapshots: Vec<Snapshot>,
    /// Processes that could not be looked at, and why.
    failures: Vec<(i32, String)>,
    /// Ranks that wait for each other, and the operations.
    deadlock: Vec<Stuck>,
}

pub(crate) fn queues(plan: &QueuesPlan) -> Result<u8, Exit> {
    let pids = targets::find(&plan.job)?;
    let options = Options { stop: plan.stop, stacks: plan.stacks };
    let mut job = look(&pids, options);
    if plan.stacks {
        job.deadlock = confirm::deadlock(&job.snapshots, options);
    }
    let shown = match plan.format {
        QueueFormat::Text => text::render(&job),
        QueueFormat::Json => json::render(&job),
    };
    crate::exit::put(&shown)?;
    for (pid, why) in &job.failures {
        eprintln!("mpivet: process {pid}: {why}");
    }
    Ok(match (job.deadlock.is_empty(), job.failures.is_empty()) {
        (false, _) => FINDINGS,
        (true, true) => CLEAN,
        (true, false) => SOME_FAILED,
    })
}

/// Looks at all processes, side by side.
fn look(pids: &[i32], options: Options) -> Job {
    let mut job = Job { snapshots: Vec::new(), failures: Vec::new(), deadlock: Vec::new() };
    for (pid, answer) in ask::all(pids, options) {
        match answer {
            Answer::Seen(mut snapshot) => {
                if let Some(why) = snapshot.no_queues.take() {
                    job.failures.push((pid, why));
                }
                job.snapshots.push(*snapshot);
            }
            Answer::Failed(why) => job.failures.push((pid, why)),
        }
    }
    job.snapshots.sort_by(|a, b| (&a.world, a.rank, a.pid).cmp(&(&b.world, b.rank, b.pid)));
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
