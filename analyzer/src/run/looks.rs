//! How the processes are looked at that seem to wait for ever: those of this host by the system, others by the agents of their
//! nodes.
//!
//! A rank on a node without an agent cannot be looked at. If its call returns only by what others do, and no other thread of it
//! may call MPI, its trace proves all the same that it waits: what can be seen of the traces are beginnings of the true ones, and
//! a rank could only have gone on behind its beginning if another one of the set had before it.

use agents::hub::{Answer, Hub, Link, Question};
use agents::process::{Activity, Reading, others_wait_for_ever, read_process};
use agents::wire::message::ProcessId;
use analyzer::observe::Observer;
use engine::Stuck;
use std::collections::BTreeSet;
use std::time::Instant;
use trace_format::file::RankHeader;

/// The one that looks.
pub(crate) struct Looks<'a> {
    pub(crate) observer: &'a Observer,
    /// This host.
    pub(crate) here: &'a str,
    /// The agents of the job, and the turn in which the traces were read last.
    pub(crate) hub: Option<(&'a Hub, u64)>,
}

/// The state of the processes of a set of ranks.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Processes whose calls might return by themselves, in the same order each time.
    pub(crate) readings: Vec<Reading>,
    /// Ranks with another thread that could do something.
    pub(crate) busy: BTreeSet<i32>,
    /// Processes of the set are no more.
    pub(crate) are_any_gone: bool,
    /// Hosts with ranks that would have to be looked at, and cannot be.
    pub(crate) unseen: BTreeSet<String>,
}

fn process(header: &RankHeader) -> ProcessId {
    ProcessId { pid: header.pid, start: header.pid_start }
}

impl Looks<'_> {
    /// Looks at the set once, which is one since then. `None`: agents have still to answer.
    pub(crate) fn at(&self, stuck: &Stuck, since: Instant) -> Option<Seen> {
        let mut seen = Seen::default();
        let (mut questions, mut asked) = (Vec::new(), Vec::new());
        let is_uncertain = |rank: i32| stuck.uncertain.contains(&rank);
        for (rank, threads) in &stuck.threads {
            let Some(header) = self.observer.traces.header(*rank) else {
                seen.add(*rank, is_uncertain(*rank), Reading::GONE, false);
                continue;
            };
            let (accounted, unnamed) = self.observer.traces.accounted_threads(*rank, threads);
            if header.host == self.here {
                let others_wait = others_wait_for_ever(header.pid, &accounted, unnamed);
                seen.add(*rank, is_uncertain(*rank), read_process(header.pid, header.pid_start), others_wait);
                continue;
            }
            if self.hub.is_some_and(|(hub, _)| hub.has_ended(&header.host, process(header))) {
                seen.are_any_gone = true;
            }
            if !is_uncertain(*rank) && !header.may_have_threads {
                continue;
            }
            match self.hub.and_then(|(hub, _)| hub.link(&header.host)) {
                Some(Link::Connected) => {
                    let host = header.host.clone();
                    questions.push(Question { host, process: process(header), accounted, unnamed });
                    asked.push(*rank);
                }
                _ => _ = seen.unseen.insert(header.host.clone()),
            }
        }
        let answers = match self.hub {
            Some((hub, turn)) if !questions.is_empty() => hub.answers(&questions, turn, since)?,
            _ => Vec::new(),
        };
        for (rank, Answer { reading, others_wait }) in asked.into_iter().zip(answers) {
            seen.add(rank, is_uncertain(rank), reading, others_wait);
        }
        Some(seen)
    }
}

impl Seen {
    fn add(&mut self, rank: i32, is_uncertain: bool, reading: Reading, others_wait: bool) {
        if is_uncertain {
            self.readings.push(reading);
        }
        if !others_wait {
            self.busy.insert(rank);
        }
        // A rank that was killed in its call is not waiting: the launcher will end the job, and the report says why.
        self.are_any_gone |= reading.activity == Activity::Gone;
    }
}
