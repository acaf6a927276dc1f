//! An agent that has no way to `mpivet run`: who asks is told so, and need not wait. Where the nodes share the directory of the
//! traces, it tells there which processes have ended; and where they see late what others store there, it has what processes at
//! rest have recorded stored, so that it is seen.

use super::files::Files;
use super::{Event, PATIENCE, SCAN_EVERY, TICK, Task, asker, reply};
use crate::ends::{End, EndWatch};
use crate::wire::message::ProcessId;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;
use trace_format::run::agent::HERE;
use trace_format::run::node_ends::{NodeEnd, NodeEnds};
use trace_format::run::{nonce, proc};
use trace_format::stored;

/// Stays until no process of the job is left on the node.
pub(super) fn stay(task: &Task, tell: Sender<Event>, events: &Receiver<Event>) {
    let is_common = nonce::is_in(&task.dir, &task.nonce);
    let hides = is_common && task.hides();
    let mut files = is_common.then(|| Files::new(task.dir.clone(), task.has_several_jobs, false, task.since));
    let mut told = is_common.then(|| Told::new(task.dir.clone()));
    let mut watch = EndWatch::start(move |end| _ = tell.send(Event::Ended(end)));
    let mut processes: BTreeSet<ProcessId> = task.first.into_iter().collect();
    let mut scanned: Option<Instant> = None;
    let mut last_seen = Instant::now();
    while last_seen.elapsed() < PATIENCE {
        if let Some(files) = &mut files {
            if scanned.is_none_or(|scanned| scanned.elapsed() >= SCAN_EVERY) {
                scanned = Some(Instant::now());
                processes.extend(files.find(hides));
            }
            if hides {
                files.store_copies();
            }
        }
        processes.iter().for_each(|process| watch.add(*process));
        let asked = match events.recv_timeout(TICK) {
            Ok(Event::Asked(stream)) => Some(stream),
            Ok(Event::Ended(end)) => {
                // Where it cannot be stored, nobody hears of it.
                told.iter_mut().for_each(|told| _ = told.add(end));
                None
            }
            _ => None,
        };
        if let Some(mut stream) = asked
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

/// The ends that were told.
struct Told {
    dir: PathBuf,
    file: Option<File>,
    all: NodeEnds,
}

impl Told {
    /// Says that it will tell.
    fn new(dir: PathBuf) -> Told {
        let mut told = Told { dir, file: None, all: NodeEnds { host: proc::host(), ends: Vec::new() } };
        _ = told.write();
        told
    }

    fn add(&mut self, End { process, status, is_alone, .. }: End) -> io::Result<()> {
        self.all.ends.push(NodeEnd { pid: process.pid, start: process.start, status, is_alone });
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => stored::make(&NodeEnds::path(&self.dir, &self.all.host))?,
        };
        stored::write(self.file.insert(file), &self.all)
    }
}
