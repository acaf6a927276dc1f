//! Partitioned communication (MPI 4.1, chapter 4): the k-th MPI_Psend_init of a process to another on a communicator
//! with a tag belongs to the k-th MPI_Precv_init there; a receive is over when all partitions of the send are ready.

use super::Model;
use super::comms::CommIx;
use super::facts::Origin;
use super::interpret::int;
use super::requests::{ReqId, Request};
use super::shape::shape;
use super::wait::{Cond, Why};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::mpi::{Class, Kind};
use trace_reader::args::Arg;

/// Source and destination (world ranks) and tag.
type Lane = (i32, i32, i32);

/// The partitioned operations of a communicator.
#[derive(Default)]
pub(crate) struct Channels {
    /// How many sends and receives were described.
    made: FxHashMap<Lane, [u64; 2]>,
    channels: FxHashMap<(Lane, u64), Channel>,
}

/// A send and its receive.
#[derive(Default)]
struct Channel {
    /// How often the receive was started.
    received: u64,
    /// How often the send was started.
    sent: u64,
    /// Partitions of the send that are ready since, by number. Unknown before it is described.
    ready: Option<Vec<bool>>,
    /// Requests of the two that were freed.
    freed: u8,
    /// Several threads may have a part in it: what was first is not always known.
    unclear: bool,
}

/// What a request has to do with a channel.
pub(crate) struct End {
    pub(crate) comm: CommIx,
    key: (Lane, u64),
    partitions: usize,
    /// How often it was started.
    round: u64,
}

/// Requests with more partitions are not followed.
const MOST_PARTITIONS: usize = 1 << 20;

impl Channel {
    /// Are all partitions of the send's round that are among these ready?
    fn is_ready(&self, round: u64, among: impl Fn(usize, usize) -> bool) -> bool {
        let Some(ready) = &self.ready else { return self.sent > round };
        // A later round begins when this one is over.
        self.sent > round || self.sent == round && (0..ready.len()).all(|p| ready[p] || !among(p, ready.len()))
    }
}

impl Model {
    /// A partitioned operation was described.
    pub(super) fn describe_partitioned(&mut self, origin: &Rc<Origin>, request: &mut Request) {
        let s = shape(origin.func);
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let is_send = s.class == Class::PartitionedSend;
        let lane = match is_send {
            true => (origin.rank, target.peer, target.tag),
            false => (target.peer, origin.rank, target.tag),
        };
        // The first count is that of the partitions.
        let place = origin.func.row().params.iter().position(|p| p.kind == Kind::Count);
        let partitions = place.and_then(|p| int(&origin.ins, p as u8)).and_then(|p| usize::try_from(p).ok());
        let Some(partitions) = partitions.filter(|p| (1..=MOST_PARTITIONS).contains(p)) else { return };
        let threads = self.has_threads(origin.rank);
        let channels = &mut self.comms.list[target.comm].partitioned;
        let made = &mut channels.made.entry(lane).or_default()[usize::from(is_send)];
        let key = (lane, *made);
        *made += 1;
        let channel = channels.channels.entry(key).or_default();
        channel.unclear |= threads;
        if is_send {
            channel.ready = Some(vec![false; partitions]);
        }
        request.partitioned = Some(Box::new(End { comm: target.comm, key, partitions, round: 0 }));
    }

    /// A partitioned operation was started.
    pub(super) fn start_partitioned(&mut self, rank: i32, id: ReqId) {
        let threads = self.has_threads(rank);
        let Some(request) = self.ranks[rank as usize].requests.get_mut(id) else { return };
        let class = request.class;
        let Some(end) = &mut request.partitioned else { return };
        end.round += 1;
        let Some(channel) = self.comms.list[end.comm].partitioned.channels.get_mut(&end.key) else { return };
        channel.unclear |= threads;
        match class {
            Class::PartitionedRecv => channel.received = end.round,
            _ => {
                channel.sent = end.round;
                channel.ready.iter_mut().flatten().for_each(|ready| *ready = false);
            }
        }
    }

    /// Partitions of a send were marked ready.
    pub(super) fn mark_ready(&mut self, origin: &Origin, failed: bool) {
        let threads = self.has_threads(origin.rank);
        let marked = marked(origin);
        let (base, handles) = origin.requests();
        let requests = &mut self.ranks[origin.rank as usize].requests;
        let end = requests.find_in(handles, base, 0).and_then(|id| requests.get_mut(id));
        let Some(end) = end.and_then(|r| r.partitioned.as_mut()) else { return };
        let Some(channel) = self.comms.list[end.comm].partitioned.channels.get_mut(&end.key) else { return };
        channel.unclear |= threads || failed;
        let Some(ready) = channel.ready.as_mut().filter(|_| !failed) else { return };
        for partition in marked {
            usize::try_from(partition).ok().and_then(|p| ready.get_mut(p)).into_iter().for_each(|ready| *ready = true);
        }
    }

    /// The request of a partitioned operation is freed.
    pub(super) fn free_partitioned(&mut self, end: &End) {
        let channels = &mut self.comms.list[end.comm].partitioned.channels;
        if let Some(channel) = channels.get_mut(&end.key) {
            channel.freed += 1;
            if channel.freed == 2 {
                channels.remove(&end.key);
            }
        }
    }

    /// When MPI_Parrived can say that the partition is there: not before all of the send that it is made of are ready.
    pub(crate) fn arrived(&self, origin: &Origin) -> Cond {
        let (base, handles) = origin.requests();
        let requests = &self.ranks[origin.rank as usize].requests;
        let request = requests.find_in(handles, base, 0).and_then(|id| requests.get(id));
        let place = origin.func.row().param("partition").and_then(|p| int(&origin.ins, p as u8));
        let (Some(request), Some(place)) = (request.filter(|r| r.active), place.and_then(|p| usize::try_from(p).ok()))
        else {
            return Cond::Free;
        };
        self.complete_when_ready(request, |end, channel| {
            // Both have the same amount of data, divided evenly.
            let mine = end.partitions;
            channel.is_ready(end.round, |p, all| p * mine < (place + 1) * all && place * all < (p + 1) * mine)
        })
    }

    /// When an active partitioned operation can complete.
    pub(crate) fn in_channel(&self, request: &Request) -> Cond {
        self.complete_when_ready(request, |end, channel| channel.is_ready(end.round, |_, _| true))
    }

    fn complete_when_ready(&self, request: &Request, is_ready: impl Fn(&End, &Channel) -> bool) -> Cond {
        let Some(end) = &request.partitioned else { return Cond::Free };
        let comm = &self.comms.list[end.comm];
        let Some(channel) = comm.partitioned.channels.get(&end.key).filter(|c| !c.unclear) else { return Cond::Free };
        let (source, dest, tag) = end.key.0;
        if comm.is_foreign() || comm.made_wrongly || self.ranks[source as usize].multiple {
            return Cond::Free;
        }
        let on = |rank: i32, certain: bool, why: Why| Cond::On { rank, certain, why };
        match request.class {
            Class::PartitionedRecv if !is_ready(end, channel) => on(source, true, Why::Partitions(tag)),
            Class::PartitionedSend if !is_ready(end, channel) => on(source, true, Why::Partitions(tag)),
            Class::PartitionedSend if channel.received < end.round => on(dest, false, Why::Receive(tag)),
            _ => Cond::Free,
        }
    }
}

/// Numbers of the partitions that a call marks ready.
fn marked(origin: &Origin) -> Vec<i64> {
    let value = |name: &str| origin.func.row().param(name).map(|p| origin.ins.get(p));
    let number = |name: &str| if let Some(Arg::Int(v)) = value(name) { Some(v) } else { None };
    match (number("partition"), number("partition_low"), number("partition_high")) {
        (Some(one), ..) => vec![one],
        (_, Some(low), Some(high)) => (low.max(0)..=high.min(MOST_PARTITIONS as i64)).collect(),
        _ => value("array_of_partitions").map_or(Vec::new(), |list| list.ints().to_vec()),
    }
}
