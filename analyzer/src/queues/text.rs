//! Queues for people.

use super::{Job, names, wait};
use debugger::snapshot::{Communicator, Operation, Queue, Queues, Snapshot, Status, Unit};
use std::fmt::Write as _;

pub(super) fn render(job: &Job) -> String {
    let mut out = String::new();
    for snapshot in &job.snapshots {
        process(&mut out, snapshot);
    }
    deadlock(&mut out, job);
    out
}

fn process(out: &mut String, snapshot: &Snapshot) {
    let program = snapshot.program.file_name().unwrap_or_default().to_string_lossy();
    let place = snapshot.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
    let name = names::process(snapshot);
    _ = writeln!(out, "{name} (process {}{place}, {program}, {})", snapshot.pid, snapshot.library);
    for thread in snapshot.threads.iter().filter(|t| !t.library_thread) {
        let place = match (&thread.function, thread.complete) {
            (Some(function), _) => format!("in {function}"),
            (None, true) => "in no MPI function".into(),
            (None, false) => "somewhere: its call stack has no end that is known".into(),
        };
        let which = if thread.tid == snapshot.pid { "".into() } else { format!("thread {}: ", thread.tid) };
        _ = writeln!(out, "  {which}{place}");
    }
    if let Some(why) = &snapshot.no_stacks {
        _ = writeln!(out, "  no call stack: {why}");
    }
    if let Some(queues) = &snapshot.queues {
        communicators(out, queues);
    }
    out.push('\n');
}

fn communicators(out: &mut String, queues: &Queues) {
    if queues.changing {
        _ = writeln!(out, "  The queues changed each time they were read (--stop holds the process meanwhile).");
    }
    for message in &queues.messages {
        _ = writeln!(out, "  The DLL says: {message}");
    }
    for communicator in &queues.communicators {
        of_communicator(out, communicator);
    }
    let not_given = |name: &str, queue: fn(&Communicator) -> &Queue| {
        let none = !queues.communicators.is_empty() && queues.communicators.iter().all(|c| !queue(c).given);
        none.then(|| name.to_owned())
    };
    let missing: Vec<String> = [
        not_given("sends", |c| &c.sends),
        not_given("receives", |c| &c.receives),
        not_given("unexpected messages", |c| &c.unexpected),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !missing.is_empty() {
        let dll = queues.dll.file_name().unwrap_or_default().to_string_lossy();
        _ = writeln!(out, "  Not known: {} ({dll} does not tell)", missing.join(", "));
    }
}

fn of_communicator(out: &mut String, communicator: &Communicator) {
    let all =
        [("send", &communicator.sends), ("receive", &communicator.receives), ("unexpected", &communicator.unexpected)];
    if all.iter().all(|(_, queue)| queue.operations.is_empty()) {
        return;
    }
    _ = writeln!(out, "  {}", names::communicator(communicator));
    for (name, queue) in all {
        for one in &queue.operations {
            _ = writeln!(out, "    {name:10} {}", operation(one, name));
            for line in &one.text {
                _ = writeln!(out, "               {line}");
            }
        }
        if !queue.operations.is_empty() && !queue.ordered {
            _ = writeln!(out, "               (not in the order of matching)");
        }
    }
}

/// `to 1, tag 5, 400 bytes at 0x1234`
pub(super) fn operation(one: &Operation, queue: &str) -> String {
    // A message that has arrived has actual values only.
    let actual = one.actual.as_ref().filter(|_| queue == "unexpected");
    let peer = actual.map_or(one.peer, |a| Some(a.peer));
    let tag = actual.map_or(one.tag, |a| Some(a.tag));
    let length = actual.map_or(one.length, |a| a.length);
    let direction = if queue == "send" { "to" } else { "from" };
    let any = |value: Option<i64>| value.map_or_else(|| "any".to_owned(), |v| v.to_string());
    let unit = match one.unit {
        Unit::Bytes => "bytes",
        Unit::Elements => "elements",
    };
    let length = if length < 0 { "length not known".to_owned() } else { format!("{length} {unit}") };
    let mut text = format!("{direction} {}, tag {}, {length}", any(peer), any(tag));
    if one.buffer != 0 {
        _ = write!(text, " at {:#x}", one.buffer);
    }
    if one.system_buffer {
        text.push_str(" (in a buffer of the library)");
    }
    match one.status {
        Status::Pending => {}
        Status::Matched => text.push_str(", matched"),
        Status::Complete => text.push_str(", complete"),
    }
    text
}

fn deadlock(out: &mut String, job: &Job) {
    if job.deadlock.is_empty() {
        return;
    }
    _ = writeln!(out, "Deadlock, as far as the queues tell: these ranks wait for each other and will never go on.");
    for stuck in &job.deadlock {
        let snapshot = &job.snapshots[stuck.process];
        let functions = stuck.functions.join(", ");
        let one_of = if stuck.operations.len() > 1 { " for one of" } else { "" };
        _ = writeln!(out, "  {} in {functions} waits{one_of}", names::process(snapshot));
        for awaited in &stuck.operations {
            let Some((communicator, one)) = wait::operation(snapshot, awaited) else { continue };
            let on: Vec<String> = awaited.on.iter().map(|i| names::process(&job.snapshots[*i])).collect();
            let (queue, name) = if awaited.send { ("send", "send") } else { ("receive", "receive") };
            let what = operation(one, queue);
            let comm = if communicator.name.is_empty() { "a communicator without a name" } else { &communicator.name };
            _ = writeln!(out, "    for {}: {name} {what}, in {comm}", on.join(", "));
        }
    }
}
