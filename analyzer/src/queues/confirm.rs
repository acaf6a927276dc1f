//! Confirmation of a deadlock: the queues of one moment prove nothing. The processes are looked at again after all of
//! them have had the chance to continue, and must be where they were.

use super::ask::Answer;
use super::eyes::Eyes;
use super::targets::Target;
use super::wait::{self, Stuck};
use crate::run::evidence::Evidence;
use agents::process::Activity;
use debugger::read::Options;
use debugger::snapshot::{Snapshot, Thread};
use std::time::{Duration, Instant};

/// Pause between two readings of the processes' activity.
const PAUSE: Duration = Duration::from_millis(20);
/// Processes that get no processor time in this time prove nothing.
const PATIENCE: Duration = Duration::from_secs(20);

/// Processes that wait for each other in these snapshots, and still do after they could have gone on.
pub(super) fn deadlock(snapshots: &[Snapshot], options: Options, eyes: &Eyes) -> Vec<Stuck> {
    let first: Vec<Stuck> =
        wait::deadlock(snapshots).into_iter().filter(|s| has_no_other_way(&snapshots[s.process], eyes)).collect();
    let members: Vec<usize> = first.iter().map(|s| s.process).collect();
    // The set is a deadlock only if it needs no process that was left out because its other threads may help.
    let all_inside = first.iter().all(|s| s.operations.iter().flat_map(|o| &o.on).all(|on| members.contains(on)));
    if first.is_empty() || !all_inside || !had_their_chance(first.iter().map(|s| &snapshots[s.process]), eyes) {
        return Vec::new();
    }
    let again = look_again(snapshots, &members, options, eyes);
    let same = |s: &Stuck| stands_where_it_was(&snapshots[s.process], &again[s.process]);
    let second = wait::deadlock(&again);
    if first.iter().all(same) && first.iter().all(|s| second.contains(s)) { first } else { Vec::new() }
}

/// Do the threads that are in no MPI function wait for the others without end?
fn has_no_other_way(snapshot: &Snapshot, eyes: &Eyes) -> bool {
    let accounted = |t: &&Thread| t.library_thread || t.function.is_some();
    let accounted: Vec<u32> =
        snapshot.threads.iter().filter(accounted).filter_map(|t| u32::try_from(t.tid).ok()).collect();
    eyes.others_wait(snapshot, &accounted)
}

/// Waits until all have run or slept long enough for what was on its way to arrive.
fn had_their_chance<'a>(snapshots: impl Iterator<Item = &'a Snapshot>, eyes: &Eyes) -> bool {
    let processes: Vec<&Snapshot> = snapshots.collect();
    let until = Instant::now() + PATIENCE;
    let mut evidence = Evidence::default();
    while Instant::now() < until {
        let readings = eyes.readings(&processes);
        if readings.iter().any(|l| l.activity == Activity::Gone) {
            return false;
        }
        if evidence.add(&readings, Instant::now()) {
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    false
}

/// The snapshots, those of `members` made anew. A process that cannot be looked at any more has no queues.
fn look_again(snapshots: &[Snapshot], members: &[usize], options: Options, eyes: &Eyes) -> Vec<Snapshot> {
    let mut all = snapshots.to_vec();
    let targets: Vec<Target> = members.iter().map(|m| Target::of(&snapshots[*m])).collect();
    for (target, answer) in eyes.queues(&targets, options) {
        let Some(member) = targets.iter().position(|one| *one == target).and_then(|i| members.get(i)) else { continue };
        match answer {
            Answer::Seen(snapshot) => all[*member] = *snapshot,
            Answer::Failed(_) => all[*member].queues = None,
        }
    }
    all
}

/// Is it the same process, are its program's threads in the same calls, and has no operation begun or ended in
/// between? Equal queues alone could be those of another round of a loop. (Each reading of the threads comes before
/// that of the queues. So the state of the second reading of the threads lies between two readings of the queues, and
/// was there at the first one already.)
fn stands_where_it_was(before: &Snapshot, now: &Snapshot) -> bool {
    let operations = |s: &Snapshot| s.queues.as_ref().map(|q| (q.communicators.clone(), q.fingerprint));
    let known = now.queues.as_ref().is_some_and(|q| q.fingerprint.is_some());
    known && before.start == now.start && operations(before) == operations(now) && calls(before) == calls(now)
}

/// For each thread of the program: its MPI function, and the frames outside of that function.
fn calls(snapshot: &Snapshot) -> Vec<(i32, Option<&str>, Vec<u64>)> {
    let of_thread = |t: &'_ Thread| -> Vec<u64> {
        let name = t.function.as_deref();
        let outermost = t.frames.iter().rposition(|f| name.is_some() && f.function.as_deref() == name);
        outermost.map_or(Vec::new(), |at| t.frames[at + 1..].iter().map(|f| f.address).collect())
    };
    let threads = snapshot.threads.iter().filter(|t| !t.library_thread);
    threads.map(|t| (t.tid, t.function.as_deref(), of_thread(t))).collect()
}
