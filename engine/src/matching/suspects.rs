//! Messages whose two halves are not obviously alike: kept until it is known whether the calls came in order.

use crate::model::Model;
use crate::state::{CommIx, Lane, Message, OpId, are_alike};
use std::collections::hash_map::Entry;

impl Model {
    /// Holds the two halves of a message against each other.
    pub(crate) fn compare_pair(&mut self, send: OpId, recv: OpId) {
        let (s, r) = (&self.ops[send], &self.ops[recv]);
        let (Some(sent), Some(room)) = (s.data, r.data) else { return };
        let (sent, room) = (sent.amount, room.amount);
        if are_alike(sent, room) && !(self.short_sends && sent.reps < room.reps) || s.dim || r.dim {
            return;
        }
        let lane = (s.comm, r.rank, s.rank, s.tag);
        let (send, recv) = (s.origin.clone(), r.origin.clone());
        self.suspect(lane, Message { send, recv, sent, room, difference: None, count: 1 });
    }

    /// A message whose halves are not obviously alike.
    pub(crate) fn suspect(&mut self, lane: (CommIx, i32, i32, i32), message: Message) {
        let key = (lane, self.place(&message.send), self.place(&message.recv));
        match self.suspects.entry(key) {
            Entry::Occupied(mut e) => {
                let known = e.get_mut();
                let count = known.count + 1;
                if message.order() < known.order() {
                    *known = message;
                }
                known.count = count;
            }
            Entry::Vacant(e) => {
                e.insert(message);
            }
        }
    }

    /// Judges the messages whose halves are not obviously alike. At the end, since only then it is known where calls of
    /// threads came out of order.
    pub(crate) fn judge_messages(&mut self) {
        self.judge_comms(|_| true);
    }

    /// Judges those of some communicators, on which nothing will be sent any more.
    pub(crate) fn judge_comms(&mut self, wanted: impl Fn(CommIx) -> bool) {
        self.judge_clusters(&wanted);
        let suspects: Vec<_> = self.suspects.extract_if(|(lane, ..), _| wanted(lane.0)).collect();
        for ((lane, ..), mut message) in suspects {
            let (comm, dest, source, tag) = lane;
            let mailbox = self.comms.list[comm].boxes.get(dest);
            if !mailbox.and_then(|m| m.lanes.get((source, tag))).is_some_and(Lane::is_tangled) {
                message.difference = self.signatures.difference(message.sent, message.room);
                self.rules.message(self, &message);
            }
        }
    }
}
