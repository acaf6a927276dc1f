//! An agent that has no way to `mpivet run`: who asks is told so, and need not wait. Where the nodes share the directory of the
//! traces, but see late what others store there, it has what processes at rest have recorded stored, so that it is seen.

use super::files::Files;
use super::{Event, PATIENCE, SCAN_EVERY, TICK, Task, asker, is_late, reply};
use crate::wire::message::ProcessId;
use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::Instant;
use trace_format::run::agent::HERE;
use trace_format::run::{nonce, proc};

/// Between two looks where nothing is to be stored.
const IDLE: std::time::Duration = std::time::Duration::from_millis(500);

/// Stays until no process of the job is left on the node.
pub(super) fn stay(task: &Task, events: &Receiver<Event>) {
    let is_needed = nonce::is_in(&task.dir, &task.nonce) && (task.is_seen_late || is_late(&task.dir));
    let mut files = is_needed.then(|| Files::new(task.dir.clone(), task.has_several_jobs, false, task.since));
    let mut processes: BTreeSet<ProcessId> = task.first.into_iter().collect();
    let mut scanned: Option<Instant> = None;
    let mut last_seen = Instant::now();
    while last_seen.elapsed() < PATIENCE {
        if let Some(files) = &mut files {
            if scanned.is_none_or(|scanned| scanned.elapsed() >= SCAN_EVERY) {
                scanned = Some(Instant::now());
                processes.extend(files.find());
            }
            files.store_copies();
        }
        if let Ok(Event::Asked(mut stream)) = events.recv_timeout(if files.is_some() { TICK } else { IDLE })
            && reply(&mut stream, false) == Some(HERE)
        {
            processes.extend(asker(&stream));
        }
        processes.retain(|process| proc::lives(process.pid, process.start));
        if !processes.is_empty() {
            last_seen = Instant::now();
        }
    }
    if let Some(files) = &mut files {
        files.remove_copies();
    }
}
