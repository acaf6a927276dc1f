//! When partitioned communication can complete: a receive is over when all partitions of the send are ready.

use super::{Cond, Why};
use crate::model::Model;
use crate::state::{Channel, ChannelEnd, Origin, Request};
use trace_format::mpi::Class;

impl Model {
    /// When MPI_Parrived can say that the partition is there: not before all of the send that it is made of are ready.
    pub(crate) fn arrived(&self, origin: &Origin) -> Cond {
        let (base, handles) = origin.requests();
        let requests = &self.ranks[origin.rank as usize].requests;
        let request = requests.find_in(handles, base, 0).and_then(|id| requests.get(id));
        let place = origin.func.row().param("partition").and_then(|p| origin.int(p as u8));
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

    fn complete_when_ready(&self, request: &Request, is_ready: impl Fn(&ChannelEnd, &Channel) -> bool) -> Cond {
        let Some(end) = request.partitioned() else { return Cond::Free };
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
