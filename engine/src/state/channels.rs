//! Partitioned communication (MPI 4.1, chapter 4): the k-th MPI_Psend_init of a process to another on a communicator
//! with a tag belongs to the k-th MPI_Precv_init there.

use super::call::Origin;
use super::comms::CommIx;
use super::turns::LastUse;
use crate::types::Amount;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Source and destination (world ranks) and tag.
pub(crate) type Lane = (i32, i32, i32);

/// The partitioned operations of a communicator.
#[derive(Default)]
pub(crate) struct Channels {
    /// How many sends and receives were described.
    pub(crate) made: FxHashMap<Lane, [(u64, LastUse); 2]>,
    pub(crate) channels: FxHashMap<(Lane, u64), Channel>,
}

/// A send and its receive.
#[derive(Default)]
pub(crate) struct Channel {
    /// How often the receive was started.
    pub(crate) received: u64,
    /// How often the send was started.
    pub(crate) sent: u64,
    /// Partitions of the send that are ready since, by number. Unknown before it is described.
    pub(crate) ready: Option<Vec<bool>>,
    /// Requests of the two that were freed.
    pub(crate) freed: u8,
    /// Several threads may have a part in it: what was first is not always known.
    pub(crate) unclear: bool,
    /// The first of the two that was described.
    pub(crate) described: Option<Described>,
}

/// The data of a partitioned operation, as the call describes them that makes it.
pub(crate) struct Described {
    pub(crate) call: Rc<Origin>,
    pub(crate) partitions: usize,
    /// All of its partitions.
    pub(crate) amount: Amount,
}

/// A send and a receive that were described.
pub(crate) struct DescribedPair {
    pub(crate) send: Described,
    pub(crate) recv: Described,
}

/// The part of a request in a channel.
pub(crate) struct ChannelEnd {
    pub(crate) comm: CommIx,
    pub(crate) key: (Lane, u64),
    pub(crate) partitions: usize,
    /// How often it was started.
    pub(crate) round: u64,
}

/// Requests with more partitions are not followed.
pub(crate) const MOST_PARTITIONS: usize = 1 << 20;

impl Channels {
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.channels.values().filter_map(|c| c.described.as_ref()).map(|described| &described.call)
    }
}

impl Channel {
    /// One of the two is described: both, if the other one was.
    pub(crate) fn describe(&mut self, is_send: bool, described: Described) -> Option<DescribedPair> {
        match self.described.take() {
            Some(recv) if is_send => Some(DescribedPair { send: described, recv }),
            Some(send) => Some(DescribedPair { send, recv: described }),
            None => {
                self.described = Some(described);
                None
            }
        }
    }

    /// Are all partitions of the send's round that are among these ready?
    pub(crate) fn is_ready(&self, round: u64, among: impl Fn(usize, usize) -> bool) -> bool {
        let Some(ready) = &self.ready else { return self.sent > round };
        // A later round begins when this one is over.
        self.sent > round || self.sent == round && (0..ready.len()).all(|p| ready[p] || !among(p, ready.len()))
    }
}
