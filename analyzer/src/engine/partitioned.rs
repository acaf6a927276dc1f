//! Partitioned communication (MPI 4.1, chapter 4): the k-th MPI_Psend_init of a process to another on a communicator
//! with a tag belongs to the k-th MPI_Precv_init there; a receive is over when all partitions of the send are ready.

use super::Model;
use super::comms::CommIx;
use super::facts::Origin;
use super::replay::{given_requests, int};
use super::requests::{ReqId, Request};
use super::shape::shape;
use super::wait::{Cond, Why};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use trace_format::mpi::{Class, Kind};

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
    /// The last round of the send of which all partitions are ready.
    ready: u64,
    /// Requests of the two that were freed.
    freed: u8,
    /// Several threads may have a part in it: what was first is not always known.
    unclear: bool,
}

/// What a request has to do with a channel.
pub(crate) struct End {
    pub(crate) comm: CommIx,
    key: (Lane, u64),
    partitions: i64,
    /// How often it was started.
    round: u64,
    /// Partitions marked ready since.
    ready: i64,
}

impl Model {
    /// A partitioned operation was described.
    pub(super) fn describe_partitioned(&mut self, origin: &Arc<Origin>, request: &mut Request) {
        let s = shape(origin.func);
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let is_send = s.class == Class::PartitionedSend;
        let lane = match is_send {
            true => (origin.rank, target.peer, target.tag),
            false => (target.peer, origin.rank, target.tag),
        };
        // The first count is that of the partitions.
        let place = origin.func.row().params.iter().position(|p| p.kind == Kind::Count);
        let partitions = place.and_then(|p| int(&origin.ins, p as u8)).unwrap_or(0);
        let threads = self.has_threads(origin.rank);
        let channels = &mut self.comms.list[target.comm].partitioned;
        let made = &mut channels.made.entry(lane).or_default()[usize::from(is_send)];
        let key = (lane, *made);
        *made += 1;
        channels.channels.entry(key).or_default().unclear |= threads;
        request.partitioned = Some(End { comm: target.comm, key, partitions, round: 0, ready: 0 });
    }

    /// A partitioned operation was started.
    pub(super) fn start_partitioned(&mut self, rank: i32, id: ReqId) {
        let threads = self.has_threads(rank);
        let Some(request) = self.ranks[rank as usize].requests.get_mut(id) else { return };
        let class = request.class;
        let Some(end) = &mut request.partitioned else { return };
        (end.round, end.ready) = (end.round + 1, 0);
        let Some(channel) = self.comms.list[end.comm].partitioned.channels.get_mut(&end.key) else { return };
        channel.unclear |= threads;
        if class == Class::PartitionedRecv {
            channel.received = end.round;
        }
    }

    /// Partitions of a send were marked ready.
    pub(super) fn mark_ready(&mut self, origin: &Origin, failed: bool) {
        let s = shape(origin.func);
        let threads = self.has_threads(origin.rank);
        let number = |name: &str| origin.func.row().param(name).and_then(|p| int(&origin.ins, p as u8));
        let count = match (number("partition_low"), number("partition_high"), number("length")) {
            (Some(low), Some(high), _) => high - low + 1,
            (_, _, Some(length)) => length,
            _ => 1,
        };
        let (base, handles) = given_requests(&origin.ins, s);
        let requests = &mut self.ranks[origin.rank as usize].requests;
        let end = requests.find_in(handles, base, 0).and_then(|id| requests.get_mut(id));
        let Some(end) = end.and_then(|r| r.partitioned.as_mut()) else { return };
        let Some(channel) = self.comms.list[end.comm].partitioned.channels.get_mut(&end.key) else { return };
        channel.unclear |= threads || failed;
        end.ready += count;
        if end.ready >= end.partitions {
            channel.ready = end.round;
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

    /// When an active partitioned operation can complete.
    pub(crate) fn in_channel(&self, request: &Request) -> Cond {
        let Some(end) = &request.partitioned else { return Cond::Free };
        let comm = &self.comms.list[end.comm];
        let Some(channel) = comm.partitioned.channels.get(&end.key).filter(|c| !c.unclear) else { return Cond::Free };
        let (source, dest, tag) = end.key.0;
        if comm.is_foreign() || comm.made_wrongly || self.ranks[source as usize].multiple {
            return Cond::Free;
        }
        let on = |rank: i32, certain: bool, why: Why| Cond::On { rank, certain, why };
        match request.class {
            Class::PartitionedRecv if channel.ready < end.round => on(source, true, Why::Partitions(tag)),
            Class::PartitionedSend if channel.ready < end.round => on(source, true, Why::Partitions(tag)),
            Class::PartitionedSend if channel.received < end.round => on(dest, false, Why::Receive(tag)),
            _ => Cond::Free,
        }
    }
}
