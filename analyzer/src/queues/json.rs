//! Queues for programs. Fields are described in the README.

use super::targets::Target;
use super::{Job, wait};
use serde_json::{Value, json};

/// Raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

pub(super) fn render(job: &Job) -> String {
    let mut snapshots = job.snapshots.clone();
    for snapshot in &mut snapshots {
        snapshot.imports = None;
        snapshot.queues.iter_mut().for_each(|q| q.fingerprint = None);
        snapshot.threads.iter_mut().for_each(|t| t.waits = None);
    }
    let failure = |(target, why): &(Target, String)| match &target.host {
        Some(host) => json!({ "host": host, "pid": target.pid, "message": why }),
        None => json!({ "pid": target.pid, "message": why }),
    };
    let failures: Vec<Value> = job.failures.iter().map(failure).collect();
    let value = json!({
        "version": VERSION,
        "processes": snapshots,
        "failures": failures,
        "deadlock": deadlock(job),
    });
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

fn deadlock(job: &Job) -> Vec<Value> {
    let one = |stuck: &wait::Stuck| {
        let snapshot = &job.snapshots[stuck.process];
        let operations: Vec<Value> = stuck
            .operations
            .iter()
            .filter_map(|awaited| {
                let (communicator, operation) = wait::operation(snapshot, awaited)?;
                let on: Vec<Option<i32>> = awaited.on.iter().map(|i| job.snapshots[*i].rank).collect();
                let queue = if awaited.send { "sends" } else { "receives" };
                Some(
                    json!({ "communicator": communicator.id, "queue": queue, "operation": operation, "waits_for": on }),
                )
            })
            .collect();
        json!({ "pid": snapshot.pid, "rank": snapshot.rank, "functions": stuck.functions, "any_of": operations })
    };
    job.deadlock.iter().map(one).collect()
}
