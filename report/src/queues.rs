//! The message queues at the end of a run, in reports.

use super::build::{member, site};
use super::clean::Clean;
use super::view::{Member, Site};
use crate::symbols::Symbols;
use engine::worlds::Names;
use engine::{Queue, Queued};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Entries of a queue that are alike.
#[derive(Debug, Serialize)]
pub(super) struct QueueView {
    #[serde(flatten)]
    member: Member,
    #[serde(skip)]
    pub(super) process: i32,
    pub(super) communicator: String,
    pub(super) queue: &'static str,
    #[serde(skip)]
    kind: Queue,
    peer: Option<Member>,
    #[serde(skip)]
    pub(super) peer_process: Option<i32>,
    pub(super) tag: Option<i32>,
    pub(super) bytes: Option<u64>,
    pub(super) count: u64,
    pub(super) site: Site,
}

impl Clean for QueueView {
    fn clean(&mut self) {
        self.communicator.clean();
        self.site.clean();
    }
}

impl QueueView {
    pub(super) fn new(queued: &Queued, names: &Names, symbols: &mut Symbols) -> QueueView {
        QueueView {
            member: member(queued.rank, names),
            process: queued.rank,
            communicator: queued.comm.clone(),
            queue: queued.queue.name(),
            kind: queued.queue,
            peer: queued.peer.map(|p| member(p, names)),
            peer_process: queued.peer,
            tag: queued.tag,
            bytes: queued.bytes,
            count: queued.count,
            site: site(&queued.call, names, symbols),
        }
    }

    /// `receive from rank 1, tag 7, 40 bytes: MPI_Recv (ring.c:20)`
    fn line(&self, names: &Names) -> String {
        let what = match self.kind {
            Queue::Sends => "send to",
            Queue::Receives => "receive from",
            Queue::Unexpected => "message from",
        };
        let peer = self.peer_process.map_or("any rank".to_owned(), |p| names.list(&[p]));
        let tag = self.tag.map_or("any tag".to_owned(), |t| format!("tag {t}"));
        let mut line = format!("{what} {peer}, {tag}");
        match (self.bytes, self.kind) {
            (Some(bytes), Queue::Receives) => _ = write!(line, ", room for {bytes} bytes"),
            (Some(bytes), _) => _ = write!(line, ", {bytes} bytes"),
            (None, _) => {}
        }
        _ = write!(line, ": {}", self.site.function);
        if let Some(number) = self.site.line {
            _ = write!(line, " ({}:{number})", self.site.short.rsplit('/').next().unwrap_or_default());
        }
        if self.count > 1 {
            _ = write!(line, ", {} times", self.count);
        }
        line
    }
}

/// The queues of some processes in words, without the heading, in about so many lines at most; and how many entries are
/// left out.
pub(super) fn lines(
    queues: &[QueueView],
    processes: &BTreeSet<i32>,
    names: &Names,
    most: usize,
) -> (Vec<String>, usize) {
    let queues: Vec<&QueueView> = queues.iter().filter(|q| processes.contains(&q.process)).collect();
    let mut lines = Vec::new();
    let mut shown = 0;
    let of_one = |a: &&QueueView, b: &&QueueView| a.process == b.process && a.communicator == b.communicator;
    for group in queues.chunk_by(of_one) {
        if lines.len() + 1 >= most {
            break;
        }
        lines.push(format!("{}, {}:", names.list(&[group[0].process]), group[0].communicator));
        let room = most - lines.len();
        lines.extend(group.iter().take(room).map(|q| format!("  {}", q.line(names))));
        shown += group.len().min(room);
    }
    (lines, queues.len() - shown)
}
