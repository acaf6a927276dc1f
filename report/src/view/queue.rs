//! The message queues at the end of a run, in reports.

use super::{Member, Site};
use engine::Queue;
use engine::worlds::Names;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Entries of a queue that are alike.
#[derive(Debug, Serialize)]
pub(crate) struct QueueView {
    #[serde(flatten)]
    pub(crate) member: Member,
    #[serde(skip)]
    pub(crate) process: i32,
    pub(crate) communicator: String,
    pub(crate) queue: &'static str,
    #[serde(skip)]
    pub(crate) kind: Queue,
    pub(crate) peer: Option<Member>,
    #[serde(skip)]
    pub(crate) peer_process: Option<i32>,
    pub(crate) tag: Option<i32>,
    pub(crate) bytes: Option<u64>,
    pub(crate) count: u64,
    pub(crate) site: Site,
}

impl QueueView {
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
pub(crate) fn lines(
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
