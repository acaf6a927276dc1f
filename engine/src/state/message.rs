//! A send and the receive that got its message.

use super::call::Origin;
use crate::types::{Amount, Difference};
use std::rc::Rc;

/// A send and the receive that got its message.
pub(crate) struct Message {
    pub(crate) send: Rc<Origin>,
    pub(crate) recv: Rc<Origin>,
    pub(crate) sent: Amount,
    pub(crate) room: Amount,
    pub(crate) difference: Option<Difference>,
    /// How often it happened on this lane at these places.
    pub(crate) count: u64,
}

pub(crate) fn are_alike(sent: Amount, room: Amount) -> bool {
    sent.sig == room.sig && sent.reps <= room.reps && sent.sig != crate::types::UNKNOWN
}

impl Message {
    /// Sent and received in the same form?
    pub(crate) fn is_obviously_fine(&self) -> bool {
        are_alike(self.sent, self.room)
    }

    /// The first one stands for all at its places, but none that is only short for one that is wrong.
    pub(crate) fn order(&self) -> (bool, u16, u64, u16, u64) {
        (self.is_obviously_fine(), self.send.thread, self.send.index, self.recv.thread, self.recv.index)
    }
}

/// A send and a receive that belong together if each lane's order is that of the times of the calls.
pub(crate) struct Pair {
    /// The calls whose times give the order.
    pub(crate) send_at: Rc<Origin>,
    pub(crate) recv_at: Rc<Origin>,
    pub(crate) message: Message,
    /// Bytes that the receive says it got.
    pub(crate) got: Option<u64>,
}

impl Pair {
    pub(crate) fn calls(&self) -> [&Rc<Origin>; 4] {
        [&self.send_at, &self.recv_at, &self.message.send, &self.message.recv]
    }

    pub(crate) fn could_be_in(&self, cluster: &[Pair]) -> bool {
        cluster
            .iter()
            .any(|p| p.send_at.is_concurrent_with(&self.send_at) || p.recv_at.is_concurrent_with(&self.recv_at))
    }
}
