//! Partitioned communication (MPI 4.1, chapter 4): the k-th MPI_Psend_init of a process to another on a communicator
//! with a tag belongs to the k-th MPI_Precv_init there; a receive is over when all partitions of the send are ready.

use crate::arg_places::arg_places;
use crate::model::Model;
use crate::state::{ChannelEnd, CommIx, Described, DescribedPair, MOST_PARTITIONS, Origin, ReqId, Request};
use crate::types::Amount;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Kind};
use trace_reader::args::Arg;

impl Model {
    /// A partitioned operation was described.
    pub(crate) fn describe_partitioned(&mut self, origin: &Rc<Origin>, request: &mut Request) {
        let s = arg_places(origin.func);
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let is_send = s.class == Class::PartitionedSend;
        let lane = match is_send {
            true => (origin.rank, target.peer, target.tag),
            false => (target.peer, origin.rank, target.tag),
        };
        // The first count is that of the partitions.
        let place = origin.func.row().params.iter().position(|p| p.kind == Kind::Count);
        let partitions = place.and_then(|p| origin.int(p as u8)).and_then(|p| usize::try_from(p).ok());
        let Some(partitions) = partitions.filter(|p| (1..=MOST_PARTITIONS).contains(p)) else { return };
        let threads = self.has_threads(origin.rank);
        // Which of two threads that describe one at once is the first is not certain.
        let is_beside = self.ranks[origin.rank as usize].is_beside(origin, |other| other.arg_places.class == s.class);
        let channels = &mut self.comms.list[target.comm].partitioned;
        let (made, last) = &mut channels.made.entry(lane).or_default()[usize::from(is_send)];
        let key = (lane, *made);
        *made += 1;
        let is_ordered = !last.is_overlapped(origin) && !is_beside;
        let channel = channels.channels.entry(key).or_default();
        channel.unclear |= threads;
        if is_send {
            channel.ready = Some(vec![false; partitions]);
        }
        request.rare().partitioned = Some(ChannelEnd { comm: target.comm, key, partitions, round: 0 });
        let Some(amount) = self.partitioned_amount(origin, is_send, partitions).filter(|_| is_ordered) else { return };
        let described = Described { call: origin.clone(), partitions, amount };
        let channel = self.comms.list[target.comm].partitioned.channels.get_mut(&key);
        if let Some(pair) = channel.and_then(|channel| channel.describe(is_send, described)) {
            self.compare_described(target.comm, &pair);
        }
    }

    /// The data of all partitions.
    fn partitioned_amount(&self, origin: &Origin, is_send: bool, partitions: usize) -> Option<Amount> {
        let s = origin.arg_places;
        let datatype = if is_send { s.send.datatype } else { s.recv.datatype };
        // The first count is that of the partitions.
        let place = origin.func.row().param("count")?;
        let (count, datatype) = (origin.int(place as u8)?, origin.int(datatype)?);
        let count = u64::try_from(count).ok()?.checked_mul(partitions as u64)?;
        Some(self.one(origin.rank, datatype as Id)?.times(i64::try_from(count).ok()?))
    }

    fn compare_described(&mut self, comm: CommIx, pair: &DescribedPair) {
        let c = &self.comms.list[comm];
        let unknown =
            c.is_foreign() || c.made_wrongly || [&pair.send, &pair.recv].iter().any(|d| self.is_dim(d.call.rank));
        if !unknown {
            let rules = self.rules;
            rules.partitioned(self, pair);
        }
    }

    /// A partitioned operation was started.
    pub(crate) fn start_partitioned(&mut self, rank: i32, id: ReqId) {
        let threads = self.has_threads(rank);
        let Some(request) = self.ranks[rank as usize].requests.get_mut(id) else { return };
        let class = request.class;
        let Some(end) = request.rare.as_mut().and_then(|rare| rare.partitioned.as_mut()) else { return };
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
    pub(crate) fn mark_ready(&mut self, origin: &Origin, failed: bool) {
        let threads = self.has_threads(origin.rank);
        let marked = marked(origin);
        let (base, handles) = origin.requests();
        let requests = &mut self.ranks[origin.rank as usize].requests;
        let end = requests.find_in(handles, base, 0).and_then(|id| requests.get_mut(id));
        let Some(end) = end.and_then(|r| r.rare.as_mut()?.partitioned.as_mut()) else { return };
        let Some(channel) = self.comms.list[end.comm].partitioned.channels.get_mut(&end.key) else { return };
        channel.unclear |= threads || failed;
        let Some(ready) = channel.ready.as_mut().filter(|_| !failed) else { return };
        for partition in marked {
            usize::try_from(partition).ok().and_then(|p| ready.get_mut(p)).into_iter().for_each(|ready| *ready = true);
        }
    }

    /// The request of a partitioned operation is freed.
    pub(crate) fn free_partitioned(&mut self, end: &ChannelEnd) {
        let channels = &mut self.comms.list[end.comm].partitioned.channels;
        if let Some(channel) = channels.get_mut(&end.key) {
            channel.freed += 1;
            if channel.freed == 2 {
                channels.remove(&end.key);
            }
        }
    }
}

/// Numbers of the partitions that a call marks ready.
fn marked(origin: &Origin) -> Vec<i64> {
    let value = |name: &str| origin.func.row().param(name).map(|p| origin.arg(p));
    let number = |name: &str| if let Some(Arg::Int(v)) = value(name) { Some(v) } else { None };
    match (number("partition"), number("partition_low"), number("partition_high")) {
        (Some(one), ..) => vec![one],
        (_, Some(low), Some(high)) => (low.max(0)..=high.min(MOST_PARTITIONS as i64)).collect(),
        _ => value("array_of_partitions").map_or(Vec::new(), |list| list.ints().to_vec()),
    }
}
