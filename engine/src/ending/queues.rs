//! The message queues of each process when the run ended before its time: what it sent and nobody received, what it
//! waits to receive, and what came and no receive takes. These are the three queues of the MPI Forum's message-queue
//! interface for debuggers, worked out from the calls: an MPI library that has no such interface has them too.
//!
//! Only what is certain is told: a message that one of several receives may have taken stands in no queue.

use super::RankEnd;
use crate::model::{Model, RankNames};
use crate::state::{CommIx, OpId, Site};
use rustc_hash::FxHashMap;
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::finding::CallRef;
use trace_format::mpi::Kind;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::names::format_int;

/// Which queue of its process a message or receive stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// Sends that the program has not completed, and that no receive takes.
    Sends,
    /// Receives that no message is there for.
    Receives,
    /// Messages to the process that no receive takes.
    Unexpected,
}

impl Queue {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Sends => "sends",
            Queue::Receives => "receives",
            Queue::Unexpected => "unexpected",
        }
    }

    fn role(self) -> &'static str {
        match self {
            Queue::Sends => "is not received",
            Queue::Receives => "has got nothing",
            Queue::Unexpected => "sent it",
        }
    }
}

/// Entries of a queue that are alike and follow on each other.
#[derive(Debug, Clone)]
pub struct Queued {
    /// The process whose queue it is.
    pub rank: i32,
    /// Name of the communicator.
    pub comm: String,
    pub queue: Queue,
    /// The process that sends the message, or is to receive it; `None`: any.
    pub peer: Option<i32>,
    /// `None`: any.
    pub tag: Option<i32>,
    /// Size of the message, or of the room for it; `None`: not known.
    pub bytes: Option<u64>,
    /// How many there are.
    pub count: u64,
    /// The call that put the first one there: of an unexpected message the send of the other process.
    pub call: CallRef,
}

/// An entry of a queue of a process; `comm`: what the process calls the communicator.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    rank: i32,
    comm: Id,
    queue: Queue,
    op: OpId,
}

impl Model {
    /// The queues of the processes that did not come to their end, by process and communicator, each in the order in
    /// which its entries were made.
    pub(crate) fn queues(&self, ends: &[RankEnd]) -> Vec<Queued> {
        let mut entries = Vec::new();
        for (ix, comm) in self.comms.list.iter().filter(|(_, c)| !c.is_foreign() && !c.made_wrongly) {
            for (dest, mailbox) in comm.boxes.iter() {
                let outlook = mailbox.outlook(&self.ops);
                let sure = outlook.left.iter().filter(|(lane, _)| !outlook.is_unsure(**lane));
                for op in sure.flat_map(|(_, left)| left.iter().copied()) {
                    entries.push((*dest, ix, Queue::Unexpected, op));
                    entries.push((self.ops[op].rank, ix, Queue::Sends, op));
                }
                let alone = mailbox.pending.iter().map(|p| p.op).filter(|op| !outlook.may_be_served(op));
                entries.extend(alone.map(|op| (*dest, ix, Queue::Receives, op)));
            }
        }
        let mut ids: FxHashMap<i32, FxHashMap<CommIx, Id>> = FxHashMap::default();
        let mut known = Vec::new();
        for (rank, ix, queue, op) in entries {
            let ended = ends.get(rank as usize).is_none_or(|e| *e == RankEnd::Normal);
            let o = &self.ops[op];
            if ended || o.dim || o.matched || queue == Queue::Sends && o.done {
                continue;
            }
            let ids = ids.entry(rank).or_insert_with(|| self.ids(rank));
            let comm = ids.get(&ix).copied().unwrap_or(UNKNOWN_ID);
            known.push(Entry { rank, comm, queue, op });
        }
        known.sort_by_key(|e| {
            let by = self.ops[e.op].shown();
            (e.rank, e.comm, e.queue, by.rank, by.thread, by.index)
        });
        self.grouped(&known)
    }

    /// Entries that are alike and follow on each other as one.
    fn grouped(&self, entries: &[Entry]) -> Vec<Queued> {
        let alike = |e: &Entry| {
            let o = &self.ops[e.op];
            (e.rank, e.comm, e.queue, o.rank, o.peer, o.tag, self.bytes(e.op), o.shown().func, o.shown().site)
        };
        let groups = entries.chunk_by(|a, b| alike(a) == alike(b));
        groups.filter_map(|group| Some(self.queued(group.first()?, group.len() as u64))).collect()
    }

    fn queued(&self, entry: &Entry, count: u64) -> Queued {
        let o = &self.ops[entry.op];
        let peer = if entry.queue == Queue::Unexpected { o.rank } else { o.peer };
        Queued {
            rank: entry.rank,
            comm: format_int(Kind::Comm, i64::from(entry.comm), &RankNames(self, entry.rank)),
            queue: entry.queue,
            peer: (peer != ANY_SOURCE).then_some(peer),
            tag: (o.tag != ANY_TAG).then_some(o.tag),
            bytes: self.bytes(entry.op),
            count,
            call: self.call_ref(&Site::new(o.shown(), entry.queue.role())),
        }
    }

    fn bytes(&self, op: OpId) -> Option<u64> {
        self.ops[op].data.and_then(|data| data.amount.bytes)
    }
}
